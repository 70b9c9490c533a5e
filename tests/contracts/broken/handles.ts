import * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryStore } from '../../../adapters/driven/memory/store.ts'
import type { Store } from '../../../application/ports/store.ts'
import type { OpenSharedStore } from '../store.ts'
import type { BrokenOne } from './a-contract.ts'
import { always, endingAs } from './closing.ts'

/** A handle on a store; the store goes on when the handle is closed. */
export const closableHandle = (core: Store): Store =>
  endingAs(
    core,
    always(() => TE.left({ _tag: 'StoreUnavailable', reason: 'the handle is closed' })),
  )

/** A store in memory with as many handles as somebody wants. */
export const sharedMemory: OpenSharedStore = async () => {
  const core = memoryStore()
  return { store: closableHandle(core), another: async () => closableHandle(core) }
}

export type BrokenShared = BrokenOne<OpenSharedStore>

/**
 * The shared memory with some of the methods of its handles replaced.
 *
 * @param handles called once a store with the store itself; what it returns, once a handle
 */
export const brokenShared = (
  breaks: string,
  caughtBy: string | ReadonlyArray<string>,
  handles: (core: Store) => (handle: Store) => Partial<Store>,
): BrokenShared => ({
  breaks,
  caughtBy: typeof caughtBy === 'string' ? [caughtBy] : caughtBy,
  open: async () => {
    const core = memoryStore()
    const methods = handles(core)
    const handle = () => {
      const whole = closableHandle(core)
      return { ...whole, ...methods(whole) }
    }
    return { store: handle(), another: async () => handle() }
  },
})

/** Runs one job after the other, as a lock within one process does. */
export const oneAfterTheOther = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <A>(job: () => Promise<A>): Promise<A> => {
    const next = last.then(job)
    last = next
    return next
  }
}
