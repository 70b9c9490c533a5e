import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { logFolder } from '../../adapters/stores/exported-log/folder.ts'
import { checkStore } from '../../application/log/check-store.ts'
import { exportLog } from '../../application/log/export-log.ts'
import { makeCheckpoint } from '../../application/log/make-checkpoint.ts'
import { verifyLog } from '../../application/log/verify-log.ts'
import { type LogTree, treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { onEveryStore } from '../support/every-store.ts'
import { integrated, LOG_SECRET, treeDigests } from '../support/integration.ts'
import { succeed } from '../support/outcome.ts'
import { provedPruning } from '../support/proved-pruning.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { verifyByUs } from './exported-log.ts'

const PUBLIC_URL = 'https://id.example.com'
const notes = ed25519Notes([{ secret: LOG_SECRET }])

/** What a running service does between two reads of a command. */
const MEANWHILE: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'adds an entry': async (store) => append(store, 1),
  'adds an entry, and extends the tree': async (store) => {
    await append(store, 1)
    await integrated(store)
  },
  'fills tiles': async (store) => {
    await append(store, 300)
    await integrated(store)
  },
  'renews the log': async (store) => renew(store),
  'renews the log, and extends the tree': async (store) => {
    await renew(store)
    await append(store, 300)
    await integrated(store)
  },
}

const renew = async (store: Store): Promise<void> => {
  await succeed(store.renewEpoch((ended) => change({ _tag: 'LogRenewed', ended }).events[0]))
}

/** Removes all entries of the tree except its last one. */
const prune = async (store: Store): Promise<void> => {
  const positions = Array.from({ length: 259 }, (_, index) => index + 1)
  await commitAll(store, change({ _tag: 'LogPruned', pruning: await provedPruning(store, positions) }))
  await succeed((store as Store & LogTree).pruneLog({ through: 259, positions }))
}

const append = async (store: Store, entries: number): Promise<void> =>
  commitAll(
    store,
    change(...(Array.from({ length: entries }, () => issuedToken()) as unknown as Parameters<typeof change>)),
  )

onEveryStore('a healthy log of a busy service', (stores) => {
  /** A store with 260 entries in the tree and 3 behind it. */
  const busy = async (): Promise<Store & LogTree> => {
    const { store } = await stores.lasting()
    const log = treeOf(store)
    if (log === undefined) throw new Error('the store has no tree')
    await append(store, 260)
    await integrated(store)
    await append(store, 3)
    return { ...store, ...log }
  }

  /** The same store, which calls `interrupt` before the read of this number. `reads` counts them. */
  const interrupted = (store: Store & LogTree, at: number, interrupt: (store: Store) => Promise<void>) => {
    let reads = 0
    const before =
      <Words extends ReadonlyArray<never>, A>(read: (...words: Words) => () => Promise<A>) =>
      (...words: Words) =>
      async (): Promise<A> => {
        reads += 1
        if (reads === at) await interrupt(store)
        return read(...words)()
      }
    const front: Store & LogTree = {
      ...store,
      readTree: before(store.readTree),
      readTile: before(store.readTile),
      readLines: before(store.readLines),
      readEvents: before(store.readEvents),
    }
    return {
      dependencies: { store: front, log: front, notes, treeDigests, publicUrl: PUBLIC_URL },
      reads: () => reads,
    }
  }

  /** Other stores than the first take longer. */
  const step = stores.kind.isShared ? 6 : 1

  /** Runs a command once for each of its reads, with an interruption before this read. */
  const atEachRead = async (
    interrupt: (store: Store) => Promise<void>,
    command: (
      given: ReturnType<typeof interrupted>['dependencies'],
      store: Store,
      read: number,
    ) => Promise<void>,
  ): Promise<void> => {
    for (let read = 1; ; read += step) {
      const store = await busy()
      const { dependencies, reads } = interrupted(store, read, interrupt)
      await command(dependencies, store, read)
      if (reads() < read) {
        expect(read, 'there were reads').to.be.greaterThan(step)
        return
      }
    }
  }

  /** Expects that `checkStore` finds nothing wrong. */
  const healthy = async (
    dependencies: ReturnType<typeof interrupted>['dependencies'],
    read: number,
  ): Promise<void> => {
    const { log, history } = await checkStore({ ...dependencies, clock: Date.now, digests: nodeDigests })()
    expect(log, `read ${read}`).to.have.deep.nested.property('right.disagreements', [])
    expect(history, `read ${read}`).to.have.deep.nested.property('right.findings', [])
  }

  it('agrees with its tree and its rows in one pass while entries are pruned', () =>
    atEachRead(prune, (dependencies, _, read) => healthy(dependencies, read))).timeout(60_000)

  for (const [what, interrupt] of Object.entries(MEANWHILE)) {
    it(`agrees with its tree and with kept checkpoints while the service ${what}`, () =>
      atEachRead(interrupt, async (dependencies, store, read) => {
        const { note } = await succeed(makeCheckpoint({ ...dependencies, log: store as Store & LogTree }))
        const { findings, verdicts } = await succeed(verifyLog(dependencies)([note]))
        expect({ findings, verdicts: verdicts.map(({ _tag }) => _tag) }, `read ${read}`).to.deep.equal({
          findings: [],
          verdicts: ['Same'],
        })
      })).timeout(60_000)

    it(`agrees with its tree and its rows in one pass while the service ${what}`, () =>
      atEachRead(interrupt, (dependencies, _, read) => healthy(dependencies, read))).timeout(60_000)

    it(`gives a checkpoint and an export that agree while the service ${what}`, () =>
      atEachRead(interrupt, async (dependencies, _, read) => {
        const folder = mkdtempSync(join(tmpdir(), 'portcullis-busy-'))
        try {
          const { note } = await succeed(makeCheckpoint(dependencies))
          const { checkpoint } = await succeed(exportLog(dependencies)(logFolder(folder)))
          const isSameLog = note.startsWith(`${checkpoint.origin}\n`)
          const [vkey = ''] = notes.verifierKeys(checkpoint.origin)
          const verified = await verifyByUs(folder, vkey, isSameLog ? [note] : [])
          expect(verified, `read ${read}`).to.have.property('_tag', 'Right')
        } finally {
          rmSync(folder, { recursive: true })
        }
      })).timeout(60_000)
  }
})
