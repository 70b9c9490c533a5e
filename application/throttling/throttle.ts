import { bimap, type Either, isLeft, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  consecutive,
  countAttempt,
  type Failures,
  perQuarterHour,
  refundAttempt,
  type ThrottleRule,
  type TooManyFailures,
} from '../../domain/throttle.ts'
import { emailKey } from '../../domain/user.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { FailureCounts } from '../ports/failure-counts.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { RequestContext } from '../recording/recorder.ts'

/** Too much has failed there; nothing was looked at this time, nor counted. */
export type Throttled = Readonly<{ _tag: 'Throttled'; retryAfterSeconds: number }>

/**
 * Whose failures are counted: those on an account (whether or not there is one), those of a session that tries old passwords,
 * and those of an address whose callers' own keys or tokens fail. None of them spends what another may.
 */
export type ThrottleKey =
  | Readonly<{ kind: 'account'; email: string }>
  | Readonly<{ kind: 'session'; id: string }>
  | Readonly<{ kind: 'address'; address: string }>

export type Throttle = Readonly<{
  /** Counts a failure, or refuses because there were too many. */
  attempt(who: ThrottleKey): TE.TaskEither<Throttled | StoreUnavailable, void>
  /** Counts a failure that was looked at for another reason, unless there were too many: nobody is refused for it now. */
  addFailure(who: ThrottleKey): Task<void>
  /** The last attempt was not made after all. */
  refund(who: ThrottleKey): Task<void>
  /** All is forgotten: somebody succeeded. */
  forget(who: ThrottleKey): Task<void>
}>

export const throttle = ({
  counts,
  clock,
  digests,
  limits,
}: Readonly<{
  counts: FailureCounts
  clock: Clock
  digests: Digests
  limits: Readonly<{ accountFailures: number; addressFailures: number }>
}>): Throttle => {
  const account = consecutive(limits.accountFailures)
  const rules = { account, session: account, address: perQuarterHour(limits.addressFailures) }
  // A digest, for what somebody typed as an e-mail may be anything.
  const keyOf = (who: ThrottleKey) => digests.sha256(`${who.kind} ${nameOf(who)}`)

  /** What no answer depends on: a store that is away keeps one failure too many. */
  const keep = (
    who: ThrottleKey,
    after: (rule: ThrottleRule, known: Option<Failures>) => Option<Failures>,
  ) => {
    const decide = (known: Option<Failures>) => ({ kept: after(rules[who.kind], known), answer: undefined })
    return async () => void (await counts.update(keyOf(who), decide)())
  }

  const attempt: Throttle['attempt'] = (who) =>
    pipe(
      counts.update(keyOf(who), (known) => {
        const judged = countAttempt(rules[who.kind], known, clock())
        return { kept: isLeft(judged) ? known : some(judged.right), answer: judged }
      }),
      TE.chainEitherKW(bimap(throttled, () => undefined)),
    )

  return {
    attempt,
    addFailure: (who) => async () => void (await attempt(who)()),
    refund: (who) => keep(who, (rule, known) => refundAttempt(rule, known, clock())),
    forget: (who) => keep(who, () => none),
  }
}

/**
 * A check that may be a guess: it counts as a failure from before it begins until it has succeeded. One that could not be made
 * does not count.
 */
export const asAttempt =
  ({ attempt, refund, forget }: Throttle, who: ThrottleKey) =>
  <E, A>(
    check: TE.TaskEither<E, A>,
    hasSucceeded: (outcome: A) => boolean,
  ): TE.TaskEither<E | Throttled | StoreUnavailable, A> =>
    pipe(
      attempt(who),
      TE.chainW(() => async () => {
        const outcome = await check()
        if (isLeft(outcome)) await refund(who)()
        else if (hasSucceeded(outcome.right)) await forget(who)()
        return outcome
      }),
    )

/**
 * What a caller is told whose own keys are no live pair, or whose token nobody here has signed: just that, or that it happened
 * too often where the caller is. A caller whose keys or token are good is never told so, whoever else shares the address. Where
 * nothing can be counted, nothing is.
 */
export type CallerFailed = <Failure>(
  failure: Failure,
  call: RequestContext,
) => Promise<Either<Failure | Throttled, never>>

export const callerFailed =
  ({ attempt }: Pick<Throttle, 'attempt'>): CallerFailed =>
  async (failure, { address }) => {
    const known = address?.()
    if (known === undefined) return left(failure)
    const counted = await attempt({ kind: 'address', address: known })()
    return isLeft(counted) && counted.left._tag === 'Throttled' ? left(counted.left) : left(failure)
  }

const nameOf = (who: ThrottleKey): string => {
  switch (who.kind) {
    case 'account':
      return emailKey(who.email)
    case 'session':
      return who.id
    case 'address':
      return who.address
  }
}

const throttled = ({ retryAfterMs }: TooManyFailures): Throttled => ({
  _tag: 'Throttled',
  retryAfterSeconds: Math.ceil(retryAfterMs / 1000),
})
