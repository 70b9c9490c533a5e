import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import type { Pruning } from '../../application/recording/events/service-events.ts'
import type { Fact } from '../../application/recording/facts.ts'
import { integrated, LOG_SECRET, treeDigests } from '../support/integration.ts'
import { succeed } from '../support/outcome.ts'
import { provedPruning } from '../support/proved-pruning.ts'
import {
  aSession,
  aUser,
  change,
  createdKey,
  newId,
  registered,
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

type WithTree = Store & LogTree

/** Writes `LogPruned` with what a test makes of a proved pruning. */
type Forge = (proved: Pruning, store: WithTree) => Pruning | Promise<Pruning>

const storeWith = async (forge: Forge | null = (proved) => proved): Promise<WithTree> => {
  const store = memoryStore()
  for (const fact of FACTS) {
    const made = change(fact)
    const rows = made.rows.filter(({ table }) => table !== 'sessions') // housekeeping has deleted them
    await commitAll(store, { ...made, rows })
  }
  await integrated(store)
  if (forge !== null)
    await write(store, await forge({ ...(await proved(store, PRUNABLE)), through: 8 }, store))
  await commitAll(store, change(registered()))
  return store
}

const proved = (store: Store, positions: ReadonlyArray<number>, secret = LOG_SECRET): Promise<Pruning> =>
  provedPruning(store, positions, { keys: [{ secret }] })

const write = (store: Store, pruning: Pruning): Promise<void> =>
  commitAll(store, change({ _tag: 'LogPruned', pruning }))

/** The findings, without those about the digests of rows, which the builders do not compute. */
const findings = async (store: WithTree, secrets = [LOG_SECRET]): Promise<ReadonlyArray<string>> => {
  const notes = ed25519Notes(secrets.map((secret) => ({ secret })))
  const proofs = { notes, treeDigests, log: store }
  const result = checkLog({ store, clock: () => NOW, digests: nodeDigests, proofs })()
  const { disagreements } = await succeed(() => result)
  return disagreements.filter((finding) => !finding.includes('password_digest'))
}

const without = (store: WithTree, ...positions: ReadonlyArray<number>): WithTree => ({
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

const missing = (...positions: ReadonlyArray<number>): ReadonlyArray<string> =>
  positions.map(
    (position) => `position ${position} is missing, and no LogPruned that EVENT_LOG_KEY has signed names it`,
  )

/** What a writer to the database can make of proofs, who wants position 6 to be gone. */
const forgeries = (): Readonly<Record<string, Forge>> => {
  const ofAnotherLog = async (facts: ReadonlyArray<Fact>) => {
    const other = memoryStore()
    for (const fact of facts) await commitAll(other, change(fact))
    await integrated(other)
    return proved(other, [6])
  }
  return {
    'is missing': (pruning) => ({ ...pruning, proof: '' }),
    'is signed by another key': (_, store) => proved(store, [6], 'a secret of the attacker, long and random'),
    'was extended after it was signed': (pruning) => ({
      ...pruning,
      proof: pruning.proof.replace('\n2 3 1 1\n', '\n2 5\n'),
    }),
    'is a checkpoint with positions behind it': async (pruning, store) => {
      const { note } = await succeed(store.readTree())
      return { ...pruning, proof: note.replace('\n\n', '\n5 1\n\n') }
    },
    'has the signature of a checkpoint': async (pruning, store) => {
      const { note } = await succeed(store.readTree())
      const signature = note.slice(note.indexOf('\n\n'))
      return { ...pruning, proof: `${(await proved(store, [6])).proof.split('\n\n')[0]}${signature}` }
    },
    'is of another log with as many entries': () => ofAnotherLog(FACTS),
    'is of a longer log': () => ofAnotherLog([...FACTS, registered()]),
  }
}

describe('checkLog, given a log that was pruned', () => {
  for (let count = 0; count <= PRUNABLE.length; count += 1)
    it(`when ${count} of 4 entries are deleted, then it reports nothing`, async () => {
      const store = await storeWith()
      await succeed(store.pruneLog({ through: 8, positions: PRUNABLE.slice(0, count) }))
      expect(await findings(store)).to.deep.equal([])
    })

  it('when an entry is missing that the proof does not name, then it is reported by its position', async () => {
    const store = await storeWith()
    expect(await findings(without(store, 6))).to.deep.equal(missing(6))
    expect(await findings(without(store, ...PRUNABLE, 6))).to.deep.equal(missing(6))
    expect(await findings(without(store, 3, 4, 5, 6)), 'instead of a named one').to.deep.equal(missing(6))
    expect((await findings(without(store, 3, 8, 9)))[0]).to.equal(
      'positions 8 to 9 are missing, and no LogPruned that EVENT_LOG_KEY has signed names them',
    )
  })

  it('when LogPruned is missing or was never written, then each missing position is reported', async () => {
    expect(await findings(without(await storeWith(), 3, 5, 10))).to.deep.equal(missing(3, 5, 10))
    expect(await findings(without(await storeWith(null), 7))).to.deep.equal(missing(7))
  })

  it('when LogPruned names positions that are not before it, then it is reported', async () => {
    expect(await findings(await storeWith((pruning) => ({ ...pruning, through: 10 })))).to.include(
      'the log at position 10 (LogPruned): through is 10, which is not before it',
    )
  })

  for (const [what, forge] of Object.entries(forgeries()))
    it(`when the proof ${what}, then it counts for nothing`, async () => {
      const store = await storeWith(forge)
      expect(await findings(store), 'nothing is missing').to.deep.equal([])
      expect(await findings(without(store, 6))).to.deep.equal(missing(6))
    })

  it('when it was pruned twice, then both proofs count', async () => {
    const store = await storeWith()
    await succeed(store.pruneLog({ through: 8, positions: PRUNABLE }))
    await integrated(store)
    await write(store, await proved(store, [6]))
    await succeed(store.pruneLog({ through: 9, positions: [6] }))
    expect(await findings(store)).to.deep.equal([])
    expect(await findings(without(store, 8))).to.include.members([...missing(8)])
  })

  it('when it is pruned further meanwhile, then it reports nothing', async () => {
    const store = await storeWith()
    let reads = 0
    const readEvents: Store['readEvents'] = (query) => async () => {
      reads += 1
      if (reads > 1) return store.readEvents(query)()
      const page = await without(store, 6).readEvents(query)()
      await write(store, await proved(store, [6]))
      return page
    }
    expect(await findings({ ...store, readEvents })).to.deep.equal([])
    expect(reads).to.be.greaterThan(1)
  })

  it('when the key that signed is listed beside the new one, then its proof counts, and no longer without it', async () => {
    const store = await storeWith()
    await succeed(store.pruneLog({ through: 8, positions: [7] }))
    expect(await findings(store, ['the next secret, long and random', LOG_SECRET])).to.deep.equal([])
    expect(await findings(store, ['the next secret, long and random'])).to.deep.equal(missing(7))
    expect(await findings(store, [])).to.deep.equal([
      'what was pruned cannot be proved: EVENT_LOG_KEY is not set, and only its signature proves what was pruned',
    ])
  })

  it('when the tree lacks what the proof is compared with, then it says so', async () => {
    const store = await storeWith()
    await succeed(store.pruneLog({ through: 8, positions: [7] }))
    const torn = { ...store, readTile: () => async () => right(new Uint8Array()) }
    expect(await findings(torn)).to.deep.equal([
      'what was pruned cannot be proved: tile/0/000.p/9 is stored without all of its hashes',
    ])
  })
})
