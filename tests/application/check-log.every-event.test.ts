import { expect } from 'chai'
import * as fc from 'fast-check'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import type { EventType } from '../../domain/event.ts'
import { SEED } from '../domain/no-io.ts'
import { expectListed } from '../support/listed.ts'
import { succeed } from '../support/outcome.ts'
import { change } from '../testkit/builders.ts'
import { everyEvent } from '../testkit/store/every-event.ts'
import { settableClock } from './fakes.ts'
import { histories, play, type Step } from './histories.ts'
import { allEvents, NOW } from './world.ts'

/** They depend on the length of the log, so no history contains them. Other tests check them. */
const OF_STORES: ReadonlyArray<EventType> = ['LogRenewed', 'LogPruned']
const TYPES = EVENT_TYPES.filter((type) => !OF_STORES.includes(type))

/** Events without rows: the log is their only place. */
const WITHOUT_ROWS: ReadonlyArray<EventType> = everyEvent()
  .filter(({ fact }) => change(fact).rows.length === 0)
  .map(({ event }) => event.type)
const WITH_ROWS = TYPES.filter((type) => !WITHOUT_ROWS.includes(type))

type Once = readonly [what: EventType, which?: number, amount?: number]

/** They make the records that all others act on. */
const FIRST: ReadonlyArray<Once> = [
  ['ApplicationRegistered'],
  ['ApplicationTokenRevoked', 0, 90_000], // another token than the one that is issued
  ['SigningKeyCreated'],
  ['UserRegistered', 1],
  ['FactorImported'],
  ['UserSignedIn'],
  ['UserSignedOut'],
  ['UserSignedIn'],
  ['SessionRenewed'],
  ['SessionSteppedUp'],
  ['EmailConfirmationStarted'],
  ['EmailConfirmed'],
  ['RecoveryStarted', 1],
  ['PasswordRecovered', 1],
  ['SecondFactorRequested'],
  ['FactorEnrolled'],
  ['RecoveryCodesGenerated'],
  ['FactorUsed'],
  ['FactorReencrypted'],
  ['FactorRenamed'],
  ['FactorRemoved'],
  ['FactorEnrolled'],
  ['FactorsReset'],
]

/** After them, some records take no further change. */
const LAST: ReadonlyArray<Once> = [
  ['SigningKeyRetired'],
  ['UserDisabled'],
  ['UserEnabled'],
  ['UserRemoved'],
  ['UserImported', 2],
  ['ApplicationRevoked'],
]

const isAmong =
  (steps: ReadonlyArray<Once>) =>
  (type: EventType): boolean =>
    steps.some(([what]) => what === type)

/** One step for each event, in an order in which each has a record to act on. Nothing expires. */
const EACH_ONCE: ReadonlyArray<Step> = [
  ...FIRST,
  ...TYPES.filter((type) => !isAmong([...FIRST, ...LAST])(type)).map((type): Once => [type]),
  ...LAST,
].map(([what, which = 0, amount = 100_000]) => ({ what, which, amount, stale: false }))

describe('checkLog, given every event once', () => {
  it('then each type is in the log, and nothing is reported', async () => {
    const { entries, findings } = await played(EACH_ONCE)
    const seen = entries.map(({ type }) => type)
    expect(TYPES.filter((type) => !seen.includes(type))).to.deep.equal([])
    expect(await findings(entries)).to.deep.equal([])
  })
})

for (const type of WITH_ROWS)
  describe(`checkLog, given a log that ends with ${type}`, () => {
    let log: Played
    let last: LogEntry
    before(async () => {
      const end = EACH_ONCE.findIndex(({ what }) => what === type)
      log = await played([...EACH_ONCE.slice(0, end + 1), HARMLESS])
      const entry = log.entries.findLast((one) => one.type === type)
      if (entry === undefined) throw new Error(`no ${type} in the log`)
      last = entry
    })

    /** What is wrong if this entry is at the position of another one. */
    const findingsWith = (entry: unknown, position: number) =>
      log.findings(
        log.entries.map((one) =>
          one.position === position ? { ...(entry as LogEntry), position, id: one.id } : one,
        ),
      )
    const harmless = () => log.entries.at(-1)

    it('when nothing was changed, then nothing is reported', async () => {
      expect(await log.findings(log.entries)).to.deep.equal([])
    })

    it('when the entry is missing, then it is reported', async () => {
      const found = await findingsWith(harmless(), last.position)
      expect(found.length > 0).to.equal(!NOT_IN_ROWS.includes(type))
    })

    it('when the entry is repeated, then it is reported', async () => {
      const found = await findingsWith(last, log.entries.length)
      expect(found.length > 0).to.equal(!REPEATABLE.includes(type))
    })

    it('when the entry is about another subject, then it is reported', async () => {
      const forged = { ...last, subject: { ...last.subject, id: 'forged' } }
      expect(await findingsWith(forged, last.position)).not.to.deep.equal([])
    })

    it('when any of its fields is forged, then it is reported', async () => {
      for (const [name, value] of Object.entries(last.data)) {
        const found = await findingsWith(
          { ...last, data: { ...last.data, [name]: other(value) } },
          last.position,
        )
        expect(found.length > 0, name).to.equal(!NOT_IN_ROWS.includes(`${type}.${name}`))
      }
    })
  })

/** Events and fields that no row contains, so that the log is their only place. */
const NOT_IN_ROWS: ReadonlyArray<string> = [
  'FactorReencrypted.key_encryption_key_id',
  'SigningKeyReencrypted',
  'SigningKeyReencrypted.key_encryption_key_id',
  'UserImported.scheme',
]

/** Events that may be repeated: the rows of keys have no version in the log. */
const REPEATABLE: ReadonlyArray<EventType> = ['SigningKeyRetired', 'SigningKeyReencrypted']

const HARMLESS: Step = { what: 'SignInRefused', which: 0, amount: 1, stale: false }

type Played = Readonly<{
  entries: ReadonlyArray<LogEntry>
  /** What is wrong with another log beside the same rows. */
  findings: (log: ReadonlyArray<LogEntry>) => Promise<ReadonlyArray<string>>
}>

const played = async (steps: ReadonlyArray<Step>): Promise<Played> => {
  const store = memoryStore()
  const clock = settableClock(NOW)
  await play(store, clock, steps)
  return {
    entries: await allEvents(store),
    findings: async (log) => {
      const readEvents: Store['readEvents'] =
        ({ after, limit }) =>
        async () => ({
          _tag: 'Right',
          right: log.filter(({ position }) => position > after).slice(0, limit),
        })
      const result = checkLog({ store: { ...store, readEvents }, clock: clock.read, digests: nodeDigests })
      return (await succeed(result)).disagreements
    },
  }
}

/** Another value of the same type. */
const other = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 7
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return ['forged']
  if (typeof value === 'string' && /^\d{4}-/.test(value)) return '2031-01-01T00:00:00.000Z'
  return 'forged'
}

describe('the random histories', () => {
  it('contain each type of event', async () => {
    const seen = new Set<EventType>()
    for (const history of fc.sample(histories, { seed: SEED, numRuns: 600 })) {
      const store = memoryStore()
      await play(store, settableClock(NOW), history)
      for (const { type } of await allEvents(store)) seen.add(type)
    }
    expectListed([...seen], TYPES, 'FACTS of tests/application/histories.ts')
  })
})
