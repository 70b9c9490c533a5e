import { expect } from 'chai'
import * as fc from 'fast-check'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import type { Fact } from '../../application/recording/facts.ts'
import type { EventType } from '../../domain/event.ts'
import { SEED } from '../domain/no-io.ts'
import { expectListed } from '../support/listed.ts'
import { succeed } from '../support/outcome.ts'
import { AT, changeBy } from '../testkit/builders.ts'
import { everyEvent } from '../testkit/store/every-event.ts'
import { settableClock } from './fakes.ts'
import { actorOf, histories, isOfStores, play } from './histories.ts'
import { allEvents, NOW } from './world.ts'

for (const { event, rows, before: earlier, fact } of everyEvent()) {
  const { type } = event
  if (isOfStores(type)) continue
  describe(`checkLog, given a log that ends with ${type}`, () => {
    let log: Written
    let last: LogEntry
    before(async () => {
      log = await written([...earlier, fact, HARMLESS])
      const entry = log.entries.at(-2)
      if (entry?.type !== type) throw new Error(`no ${type} in the log`)
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

    // Without rows, the log is the only place of an event.
    if (rows.length === 0) return

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
}

/** Events and fields that no row contains, so that the log is their only place. */
const NOT_IN_ROWS: ReadonlyArray<string> = [
  'FactorReencrypted.key_encryption_key_id',
  'SigningKeyReencrypted',
  'SigningKeyReencrypted.key_encryption_key_id',
  'UserAttributesChanged.fields',
  'UserImported.scheme',
]

/** Events that may be repeated: the rows of keys have no version in the log. */
const REPEATABLE: ReadonlyArray<EventType> = ['SigningKeyRetired', 'SigningKeyReencrypted']

const HARMLESS: Fact = { _tag: 'SignInRefused', userId: undefined, reason: 'unknown_email' }

type Written = Readonly<{
  entries: ReadonlyArray<LogEntry>
  /** What is wrong with another log beside the same rows. */
  findings: (log: ReadonlyArray<LogEntry>) => Promise<ReadonlyArray<string>>
}>

const written = async (facts: ReadonlyArray<Fact>): Promise<Written> => {
  const store = memoryStore()
  for (const fact of facts)
    await succeed(store.commit(changeBy({ actor: actorOf(fact), sha256: nodeDigests.sha256 }, fact)))
  return {
    entries: await allEvents(store),
    findings: async (log) => {
      const readEvents: Store['readEvents'] =
        ({ after, limit }) =>
        async () => ({
          _tag: 'Right',
          right: log.filter(({ position }) => position > after).slice(0, limit),
        })
      const clock = () => Date.parse(AT)
      const result = checkLog({ store: { ...store, readEvents }, clock, digests: nodeDigests })
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
    const types = EVENT_TYPES.filter((type) => !isOfStores(type))
    expectListed([...seen], types, 'FACTS of tests/application/histories.ts')
  })
})
