import { left } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { tryCatch } from 'fp-ts/lib/TaskEither.js'
import type { IdentityRefused, ProviderUnavailable } from '../../../application/ports/identity-provider.ts'
import type { IdentityRefusal } from '../../../domain/identity-refusal.ts'

// Inside these adapters, failures are thrown: the library throws its own, and passes on those of the fetch that it is given.

/** The provider did not answer within the bounds. */
export class ProviderDown extends Error {}

/** The provider, or its answer, is refused. */
export class Refused extends Error {
  readonly reason: IdentityRefusal

  constructor(reason: IdentityRefusal) {
    super(reason)
    this.reason = reason
  }
}

export type ProviderFailure = IdentityRefused | ProviderUnavailable

/** Runs calls to a provider, at most so many at once. A further call fails at once: each waits for the provider, so a queue would not help. */
export const callsAtOnce = (most: number) => {
  let running = 0
  return <A>(work: () => Promise<A>): TaskEither<ProviderFailure, A> =>
    async () => {
      if (running >= most) return left(UNAVAILABLE)
      running += 1
      try {
        return await tryCatch(work, failureOf)()
      } finally {
        running -= 1
      }
    }
}

export const UNAVAILABLE: ProviderUnavailable = { _tag: 'ProviderUnavailable' }

/** Messages of errors may contain parts of the answer, so they are dropped. */
const failureOf = (error: unknown): ProviderFailure =>
  error instanceof ProviderDown
    ? UNAVAILABLE
    : { _tag: 'IdentityRefused', reason: error instanceof Refused ? error.reason : 'provider_error' }

/** Keeps what `make` resolves with for some time. A failure is not kept. Calls at once share one. */
export const keptFor = <A>(
  milliseconds: number,
  now: () => number,
  make: () => Promise<A>,
): (() => Promise<A>) => {
  let kept: Readonly<{ made: Promise<A>; until: number }> | undefined
  return () => {
    if (kept !== undefined && now() < kept.until) return kept.made
    const made = make()
    kept = { made, until: now() + milliseconds }
    made.catch(() => {
      if (kept?.made === made) kept = undefined
    })
    return made
  }
}
