import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import type { Pruning } from '../../application/recording/events/service-events.ts'
import type { Fact } from '../../application/recording/facts.ts'
import { succeed } from '../support/outcome.ts'
import {
  anApplication,
  aSession,
  aUser,
  change,
  createdKey,
  newId,
  registered,
  registeredApplication,
  renewedSession,
  signedIn,
  signedOut,
} from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'

const NOW = Date.parse('2026-06-01T00:00:00.000Z')
const BEFORE = '2026-02-01T00:00:00.000Z'
const EXPIRED_SECONDS = Date.parse(BEFORE) / 1000 - 1

const user = aUser()
const expired = aSession({ userId: user.id, expiresAtSeconds: EXPIRED_SECONDS })
const token = (expiresAtSeconds: number): Fact => ({
  _tag: 'ApplicationTokenIssued',
  ...{ applicationId: newId(), keyId: newId(), tokenId: newId(), expiresAtSeconds },
})

/** Positions 3, 4, 5 and 7 are prunable. */
const FACTS: ReadonlyArray<Fact> = [
  registered(user),
  createdKey(),
  signedIn(expired),
  signedOut({ ...expired, version: 1 }),
  token(EXPIRED_SECONDS),
  token(EXPIRED_SECONDS + 1),
  { _tag: 'SignInRefused', userId: user.id, reason: 'wrong_password' },
  registered(),
  registered(),
]
const PRUNABLE = [3, 4, 5, 7]
const PRUNING: Pruning = { before: BEFORE, through: 8, entries: PRUNABLE.length }

const storeWith = async (pruning: Pruning | null = PRUNING): Promise<Store & LogTree> => {
  const store = memoryStore()
  for (const fact of FACTS) {
    const made = change(fact)
    const rows = made.rows.filter(({ table }) => table !== 'sessions') // housekeeping has deleted them
    await commitAll(store, { ...made, rows })
  }
  if (pruning !== null) await commitAll(store, change({ _tag: 'LogPruned', pruning }))
  await commitAll(store, change(registered()))
  return store
}

/** The findings, without those about the digests of rows, which the builders do not compute. */
const findings = async (store: Store): Promise<ReadonlyArray<string>> => {
  const result = checkLog({ store, clock: () => NOW, digests: nodeDigests })()
  const { disagreements } = await succeed(() => result)
  return disagreements.filter((finding) => !finding.includes('password_digest'))
}

const without = (store: Store, ...positions: ReadonlyArray<number>): Store => ({
  ...store,
  readEvents:
    ({ after, limit, ...query }) =>
    async () => {
      const all = await wholeLog(store)
      const right = all.filter(
        ({ position, type }) =>
          position > after &&
          position <= (query.through ?? position) &&
          (query.type ?? type) === type &&
          !positions.includes(position),
      )
      return { _tag: 'Right', right: right.slice(0, limit) }
    },
})

const sumIsWrong = (missing: number, present: number, entries = 4) => [
  `up to position 8, ${missing} entries are missing and ${present} may be pruned, but LogPruned says ${entries} in all: another entry was removed or changed`,
]

describe('checkLog, given a log that was pruned', () => {
  for (let count = 0; count <= PRUNABLE.length; count += 1)
    it(`when ${count} of 4 entries are deleted, then it reports nothing`, async () => {
      const store = await storeWith()
      await succeed(store.pruneLog({ through: 8, positions: PRUNABLE.slice(0, count) }))
      expect(await findings(store)).to.deep.equal([])
    })

  it('when an entry with a lasting effect is missing, too, then the sum is wrong', async () => {
    const store = await storeWith()
    expect(await findings(without(store, 6))).to.deep.equal(sumIsWrong(1, 4))
    expect(await findings(without(store, ...PRUNABLE, 6))).to.deep.equal(sumIsWrong(5, 0))
  })

  it('when an entry with a lasting effect is missing instead of a prunable one, then the sum is wrong', async () => {
    const store = await storeWith()
    expect(await findings(without(store, 3, 4, 5, 6))).to.deep.equal(sumIsWrong(4, 1))
  })

  it('when an entry behind is missing, then the gap is reported', async () => {
    const found = await findings(without(await storeWith(), 3, 9))
    expect(found).to.include('the log has a gap before position 10')
  })

  it('when LogPruned is missing or was never written, then each gap is reported', async () => {
    expect(await findings(without(await storeWith(), 3, 5, 10))).to.deep.equal([
      'the log has a gap before position 4',
      'the log has a gap before position 6',
      'the log has a gap before position 11',
    ])
    expect(await findings(without(await storeWith(null), 7))).to.deep.equal([
      'the log has a gap before position 8',
    ])
  })

  for (const [what, pruning, expected] of [
    ['more entries', { ...PRUNING, entries: 5 }, sumIsWrong(0, 4, 5)],
    ['fewer entries', { ...PRUNING, entries: 3 }, sumIsWrong(0, 4, 3)],
    [
      'positions that are not before it',
      { ...PRUNING, through: 10 },
      ['the log at position 10 (LogPruned): through is 10, which is not before it'],
    ],
  ] as const)
    it(`when LogPruned names ${what}, then it is reported`, async () => {
      expect(await findings(await storeWith(pruning))).to.include.members([...expected])
    })

  it('when the sign-in of a renewed session is missing that expired before the date and ended later, then the sum is wrong', async () => {
    const application = anApplication()
    const endsAtSeconds = some(EXPIRED_SECONDS + 1)
    const session = aSession({ userId: user.id, expiresAtSeconds: EXPIRED_SECONDS - 9, endsAtSeconds })
    const facts = [
      registeredApplication(application),
      registered(user),
      signedIn(session),
      renewedSession({ session, user, application, expiresAtSeconds: EXPIRED_SECONDS }),
      token(EXPIRED_SECONDS),
    ]
    const store = memoryStore()
    for (const fact of facts) await commitAll(store, change(fact))
    const pruning = { before: BEFORE, through: facts.length, entries: 1 }
    await commitAll(store, change({ _tag: 'LogPruned', pruning }))
    expect(await findings(store)).to.deep.equal([])
    await succeed(store.pruneLog({ through: facts.length, positions: [5] }))
    expect(await findings(store)).to.deep.equal([])
    expect((await findings(without(store, 3))).join()).to.include('another entry was removed or changed')
  })

  it('when it was pruned twice, then the later date counts', async () => {
    const store = await storeWith()
    await succeed(store.pruneLog({ through: 8, positions: PRUNABLE }))
    const later = { before: '2026-03-01T00:00:00.000Z', through: 9, entries: 5 }
    await commitAll(store, change({ _tag: 'LogPruned', pruning: later }))
    expect(await findings(store)).to.deep.equal([])
    await succeed(store.pruneLog({ through: 9, positions: [6] }))
    expect(await findings(store)).to.deep.equal([])
  })

  it('when it is pruned further meanwhile, then it reports nothing', async () => {
    const store = await storeWith()
    const later = { before: '2026-03-01T00:00:00.000Z', through: 9, entries: 5 }
    let reads = 0
    const readEvents: Store['readEvents'] = (query) => async () => {
      reads += 1
      if (reads === 2) {
        await commitAll(store, change({ _tag: 'LogPruned', pruning: later }))
        await succeed(store.pruneLog({ through: 9, positions: [...PRUNABLE, 6] }))
      }
      return store.readEvents(query)()
    }
    expect(await findings({ ...store, readEvents })).to.deep.equal([])
    expect(reads).to.be.greaterThan(2)
  })
})
