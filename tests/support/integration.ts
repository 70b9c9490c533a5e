import { hash } from 'node:crypto'
import type { Task } from 'fp-ts/lib/Task.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { integrateLog } from '../../application/log/integrate-log.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import type { Store, StoreUnavailable } from '../../application/ports/store.ts'
import type { TreeDigests } from '../../application/ports/tree-digests.ts'

export const treeDigests: TreeDigests = {
  sha256: (bytes) => hash('sha256', bytes, 'buffer'),
  base64: (bytes) => Buffer.from(bytes).toString('base64'),
}

/** Who integrates a log: the secrets that sign, and the public URL. */
export type Signer = Readonly<{ keys?: ReadonlyArray<Readonly<{ secret: string }>>; publicUrl?: string }>

/** What the observer of an integration was told, in order. */
export type Told = Array<Readonly<{ pending: number } | { finding: string } | { failure: StoreUnavailable }>>

/**
 * An integration of a log whose seconds pass when a test says so.
 *
 * @param busyMs how much longer than asked each rest takes
 */
export const integration = (
  log: LogTree,
  { keys = [{ secret: LOG_SECRET }], publicUrl = 'https://id.example.com' }: Signer = {},
  busyMs = 0,
) => {
  const told: Told = []
  let pending = 0
  let running: Task<void> | undefined
  let delayed: Task<void> | undefined
  let now = 0
  const integrating = integrateLog({
    ...{ log, treeDigests, publicUrl },
    notes: ed25519Notes(keys),
    background: {
      run: (task) => {
        running = task
        return true
      },
      after: (_milliseconds, task) => {
        delayed = task
      },
      close: async () => undefined,
    },
    timer: {
      now: () => now,
      until: (atMs) => async () => {
        now = atMs + busyMs
      },
    },
    observer: {
      looked: (entries) => {
        pending = entries
      },
      passed: () => told.push({ pending }),
      stopped: (finding) => told.push({ finding }),
      failed: (failure) => told.push({ failure }),
    },
  })
  integrating.start()

  return {
    told,
    /** Runs everything until the next second. */
    second: async (): Promise<Told> => {
      const before = told.length
      await delayed?.()
      while (running !== undefined) {
        const task = running
        running = undefined
        await task()
      }
      return told.slice(before)
    },
  }
}

export const LOG_SECRET = 'a secret of the log, long and random'

/** Brings the tree of a store up to date, as a running service does. */
export const integrated = async (store: Store, signer?: Signer): Promise<void> => {
  const log = treeOf(store)
  if (log === undefined) throw new Error('the store has no tree')
  const told = await integration(log, signer).second()
  const last = told.at(-1)
  if (last === undefined || !('pending' in last) || last.pending > 0)
    throw new Error(`the tree was not brought up to date: ${JSON.stringify(told)}`)
}
