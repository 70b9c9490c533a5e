import type { Task } from 'fp-ts/lib/Task.js'
import type { PasswordHasher } from '../../../application/ports/password-hasher.ts'
import type { Refusals } from '../../../application/ports/refusals.ts'
import type { Store } from '../../../application/ports/store.ts'
import type { Throttle } from '../../../application/throttling/throttle.ts'
import type { KeyPurpose } from '../../../domain/signing-key.ts'

/**
 * Measures what a service does. What it is put around does the same as before; nothing of it fails or throws, and no client
 * can make it keep more than there are routes, statuses and reasons.
 */
export type Meters = Readonly<{
  store(store: Store): Store
  passwordHasher(hasher: PasswordHasher): PasswordHasher
  refusals(refusals: Refusals): Refusals
  throttle(throttle: Throttle): Throttle
  /** So many changes went to the disk in one transaction. */
  committedTogether(changes: number): void
  /** A token of this kind, by its form, came whose signature was known to be good, or had to be looked at. */
  tokenLookedUp(purpose: KeyPurpose, isKnown: boolean): void
  requests: RequestMeters
  /** All of it, as Prometheus reads it. */
  exposition: Task<Readonly<{ type: string; data: string }>>
}>

export type RequestMeters = Readonly<{
  /** `route` is the pattern of a route, and absent where there is none; `abandoned`: the client had gone before it was answered. */
  answered(
    how: Readonly<{ method: string; route: string | undefined; status: number | 'abandoned' }>,
    seconds: number,
  ): void
  refused(status: number): void
  connected(): void
  disconnected(): void
}>

/** Measures nothing. */
export const NO_METERS: Meters = {
  store: (store) => store,
  passwordHasher: (hasher) => hasher,
  refusals: (refusals) => refusals,
  throttle: (throttle) => throttle,
  committedTogether: () => {},
  tokenLookedUp: () => {},
  requests: { answered: () => {}, refused: () => {}, connected: () => {}, disconnected: () => {} },
  exposition: async () => ({ type: 'text/plain; charset=utf-8', data: '' }),
}
