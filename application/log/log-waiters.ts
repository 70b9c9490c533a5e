import { isLeft } from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import { mayWait } from '../../domain/event-feed.ts'
import type { Background } from '../ports/background.ts'
import type { AbortSignalLike } from '../ports/password-hasher.ts'
import type { Store } from '../ports/store.ts'
import { headOfLog } from '../recording/head-of-log.ts'

/** Requests that wait for entries of the log. */
export type LogWaiters = Readonly<{
  /**
   * Waits until the log may have an entry behind a position, or the waiting is over. It is undefined if too many requests wait, or
   * too many of the application.
   */
  wait(waiting: Waiting): Task<Woken> | undefined
  /** Ends all waiting, also of later requests. */
  stop(): void
}>

export type Waiting = Readonly<{
  applicationId: string
  /** A position with an entry, or 0. */
  after: number
  milliseconds: number
  /** Of a client that may disconnect. */
  signal: AbortSignalLike | undefined
}>

/** `over`: the time is over, the client has disconnected or the service is stopping. */
export type Woken = 'look' | 'over'

/**
 * Looks at the end of the log once a second while requests wait, for all of them together. It does not know who writes: entries of
 * other instances wake requests just as early, and a commit costs no more.
 */
export const logWaiters = ({
  store,
  background,
}: Readonly<{ store: Pick<Store, 'readEvents'>; background: Background }>): LogWaiters => {
  const waiters = new Set<Waiter>()
  let isLookDue = false
  let isStopped = false

  const look: Task<void> = async () => {
    isLookDue = false
    for (const { signal, wake } of [...waiters]) if (signal?.aborted) wake('over')
    if (waiters.size === 0) return
    const positions = [...waiters].map(({ after }) => after)
    const head = await headOfLog(store, Math.min(...positions))()
    // After a failure each request looks itself, and meets the failure.
    for (const { after, wake } of [...waiters]) if (isLeft(head) || after < head.right) wake('look')
    if (waiters.size > 0) lookLater()
  }

  const lookLater = (): void => {
    if (isLookDue || isStopped) return
    isLookDue = true
    background.after(LOOK_EVERY_MS, look)
  }

  return {
    wait: ({ applicationId, after, milliseconds, signal }) => {
      if (isStopped) return async () => 'over'
      const own = [...waiters].filter((waiter) => waiter.applicationId === applicationId).length
      if (!mayWait({ own, others: waiters.size - own })) return undefined
      return () =>
        new Promise((resolve) => {
          const waiter: Waiter = {
            applicationId,
            after,
            signal,
            wake: (how) => {
              waiters.delete(waiter)
              resolve(how)
            },
          }
          waiters.add(waiter)
          background.after(milliseconds, async () => waiter.wake('over'))
          lookLater()
        })
    },
    stop: () => {
      isStopped = true
      for (const { wake } of [...waiters]) wake('over')
    },
  }
}

type Waiter = Readonly<Pick<Waiting, 'applicationId' | 'after' | 'signal'> & { wake: (how: Woken) => void }>

const LOOK_EVERY_MS = 1_000
