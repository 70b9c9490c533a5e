import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { fromNullable, isSome } from 'fp-ts/lib/Option.js'
import { countAttempt, type Failures, perMinute, refundAttempt } from '../../domain/throttle.ts'
import type { Clock } from '../ports/environment.ts'

/** Limits how many tokens an application gets a minute (docs/contract.md §1.9). It counts in the memory of this process. */
export type TokenLimit = Readonly<{
  /** Counts a token, or refuses it. */
  count(applicationId: string): Either<TooManyTokens, void>
  /** Takes back a token that was not issued. */
  refund(applicationId: string): void
}>

/** The application has got as many tokens as it may get in this minute. */
export type TooManyTokens = Readonly<{ _tag: 'TooManyTokens'; retryAfterSeconds: number }>

type Dependencies = Readonly<{
  clock: Clock
  /** How many tokens an application gets a minute. 0 is no limit. */
  tokensPerMinute: number
  /** For more applications in one minute, it drops the counts that began first. */
  countedAtMost?: number
}>

export const tokenLimit = ({ clock, tokensPerMinute, countedAtMost = 10_000 }: Dependencies): TokenLimit => {
  if (tokensPerMinute === 0) return NO_LIMIT
  const rule = perMinute(tokensPerMinute)
  const counts = new Map<string, Failures>() // the oldest minute first

  const makeRoom = (): void => {
    for (const [id, { forgottenFrom }] of counts) {
      if (counts.size <= countedAtMost && clock() < forgottenFrom) return
      counts.delete(id)
    }
  }

  return {
    count: (id) => {
      const known = fromNullable(counts.get(id))
      const counted = countAttempt(rule, known, clock())
      if (isLeft(counted)) {
        const retryAfterSeconds = Math.ceil(counted.left.retryAfterMs / 1000)
        return left({ _tag: 'TooManyTokens', retryAfterSeconds })
      }
      if (counted.right.count === 1) counts.delete(id) // a new minute goes to the end
      counts.set(id, counted.right)
      makeRoom()
      return COUNTED
    },
    refund: (id) => {
      const kept = refundAttempt(rule, fromNullable(counts.get(id)), clock())
      if (isSome(kept)) counts.set(id, kept.value)
      else counts.delete(id)
    },
  }
}

const COUNTED = right(undefined)

const NO_LIMIT: TokenLimit = { count: () => COUNTED, refund: () => undefined }
