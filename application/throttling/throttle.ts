import { bimap, type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  countAttempt,
  endPause,
  type Failures,
  refundAttempt,
  type TooManyFailures,
} from '../../domain/throttle.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { FailureCounts } from '../ports/failure-counts.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { RequestContext } from '../recording/recorder.ts'
import { countKey, type ThrottleKey } from './throttle-key.ts'
import { rulesFor, type ThrottleLimits } from './throttle-rules.ts'

/** Limits failed attempts (docs/contract.md §1.9). */
export type Throttle = Readonly<{
  /** Counts a failure, or refuses the attempt after too many failures. */
  attempt(key: ThrottleKey): TE.TaskEither<Throttled | StoreUnavailable, void>
  /** Refuses what `attempt` would refuse, and counts nothing. */
  check(key: ThrottleKey): TE.TaskEither<Throttled | StoreUnavailable, void>
  /** Counts a failure without refusing the current request. */
  addFailure(key: ThrottleKey): Task<void>
  /** Takes back an attempt that was not made. */
  refund(key: ThrottleKey): Task<void>
  /** Deletes the count after a success. */
  forget(key: ThrottleKey): Task<void>
  /** Ends a pause and keeps the count, unless attempts are refused until it is cleared: then it deletes the count. */
  endPause(key: ThrottleKey): Task<void>
}>

/**
 * Too many attempts, of which failures are the usual kind. The service neither examined nor counted this one.
 *
 * With `untilCleared`, attempts are refused until `forget`, and `retryAfterSeconds` is only the longest time between two tries.
 */
export type Throttled = Readonly<{
  _tag: 'Throttled'
  retryAfterSeconds: number
  tooMany?: Starts
  untilCleared?: true
}>

/** Attempts that count also if they succeed. `recoveries_from_network` count together with failures. */
type Starts =
  | 'registrations'
  | 'recoveries'
  | 'factor_resets'
  | 'vouched'
  | 'vouched_of_user'
  | 'mails_to_email'
  | 'mails'
  | 'mails_of_user'
  | 'recoveries_from_network'
  | 'recoveries_in_network'
  | 'ended_sessions'
  | 'factor_changes'
  | 'identity_answers'
  | 'attribute_changes'
  | 'password_changes'
  | 'sign_ins'

type Dependencies = Readonly<{
  counts: FailureCounts
  clock: Clock
  digests: Digests
  limits: ThrottleLimits
}>

export const throttle = (dependencies: Dependencies): Throttle => {
  const { counts, clock, digests, limits } = dependencies
  const rules = rulesFor(limits)

  const examine =
    (isCounted: boolean): Throttle['attempt'] =>
    (key) =>
      pipe(
        counts.update(countKey(digests, key), (known) => {
          const counted = countAttempt(rules[key.kind], known, clock())
          return { kept: isCounted && isRight(counted) ? some(counted.right) : known, answer: counted }
        }),
        TE.chainEitherKW(bimap(throttled(key), () => undefined)),
      )
  const attempt = examine(true)

  /** The request does not depend on it. If the store is unavailable, one failure too many remains. */
  const update = (key: ThrottleKey, change: (known: Option<Failures>) => Option<Failures>) => async () =>
    void (await counts.update(countKey(digests, key), (known) => ({
      kept: change(known),
      answer: undefined,
    }))())

  return {
    attempt,
    check: examine(false),
    addFailure: (key) => async () => void (await attempt(key)()),
    refund: (key) => update(key, (known) => refundAttempt(rules[key.kind], known, clock())),
    forget: (key) => update(key, () => none),
    endPause: (key) => update(key, (known) => endPause(rules[key.kind], known, clock())),
  }
}

const throttled =
  ({ kind }: ThrottleKey) =>
  ({ retryAfterMs, isUntilCleared }: TooManyFailures): Throttled => {
    const tooMany = STARTS[kind]
    return {
      _tag: 'Throttled',
      retryAfterSeconds: Math.ceil(retryAfterMs / 1000),
      ...(tooMany === undefined ? {} : { tooMany }),
      ...(isUntilCleared ? { untilCleared: true } : {}),
    }
  }

const STARTS: Readonly<Partial<Record<ThrottleKey['kind'], Starts>>> = {
  registrations: 'registrations',
  recoveries: 'recoveries',
  recoveries_in_network: 'recoveries_in_network',
  factor_resets: 'factor_resets',
  vouched: 'vouched',
  vouched_of_user: 'vouched_of_user',
  mails_to_email: 'mails_to_email',
  mails: 'mails',
  mails_of_user: 'mails_of_user',
  end_user_address: 'recoveries_from_network',
  session_ends_in_session: 'ended_sessions',
  session_ends: 'ended_sessions',
  sign_ins_in_network: 'sign_ins',
  sign_ins: 'sign_ins',
  factor_changes_in_session: 'factor_changes',
  factor_changes: 'factor_changes',
  identity_answers: 'identity_answers',
  attribute_changes: 'attribute_changes',
  password_changes: 'password_changes',
}

/**
 * Throttles a check that may be a guess. It counts as a failure from its start until it succeeds. A check that fails with an
 * error, such as `Overloaded`, does not count, unless its outcome is unknown.
 *
 * With several keys, all of them must permit the attempt. An attempt that one key refuses counts on none. To count attempts whether
 * they succeed or fail, pass an `isSuccess` that is always false.
 */
export const withThrottle =
  <E extends Readonly<{ _tag: string; outcome?: 'unknown' }>, A>(
    throttle: Throttle,
    key: ThrottleKey | ReadonlyArray<ThrottleKey>,
    { check, isSuccess }: Readonly<{ check: TE.TaskEither<E, A>; isSuccess: (outcome: A) => boolean }>,
  ): TE.TaskEither<E | Throttled | StoreUnavailable, A> =>
  async () => {
    const keys = [key].flat()
    const counted = await attemptAll(throttle, keys)
    if (isLeft(counted)) return counted
    const outcome = await check()
    if (isLeft(outcome)) {
      if (outcome.left.outcome !== 'unknown') await forEach(keys, throttle.refund)
    } else if (isSuccess(outcome.right)) await forEach(keys, endAfterSuccess(throttle))
    return outcome
  }

/** Counts an attempt on every key, or on none. */
const attemptAll = async (
  { attempt, refund }: Throttle,
  keys: ReadonlyArray<ThrottleKey>,
): Promise<Either<Throttled | StoreUnavailable, void>> => {
  for (const [index, key] of keys.entries()) {
    const counted = await attempt(key)()
    if (isRight(counted)) continue
    await forEach(keys.slice(0, index), refund)
    return counted
  }
  return right(undefined)
}

const forEach = (
  keys: ReadonlyArray<ThrottleKey>,
  update: (key: ThrottleKey) => Task<void>,
): Promise<unknown> => Promise.all(keys.map((key) => update(key)()))

/** A success resets the count of an account, session or second factor. In a network, one valid user must not clear the failures of others. */
const endAfterSuccess =
  ({ refund, forget }: Throttle) =>
  (key: ThrottleKey): Task<void> =>
    RESET_BY_SUCCESS.has(key.kind) ? forget(key) : refund(key)

const RESET_BY_SUCCESS: ReadonlySet<ThrottleKey['kind']> = new Set([
  'account_in_network',
  'account',
  'session',
  'second_factor',
])

/** Deletes all counts at once. */
export const forgetAll =
  ({ forget }: Pick<Throttle, 'forget'>, keys: ReadonlyArray<ThrottleKey>): Task<unknown> =>
  () =>
    forEach(keys, forget)

/** Counts a failure on every key that does not wait. */
export const countFailure =
  ({ addFailure }: Pick<Throttle, 'addFailure'>, keys: ReadonlyArray<ThrottleKey>): Task<unknown> =>
  () =>
    forEach(keys, addFailure)

/**
 * Counts wrong API keys or a forged token on the caller's network, and returns the failure, or `Throttled` after too many.
 *
 * Callers with valid keys or tokens are never throttled, even on the same network. If the network is unknown or the count is
 * unavailable, nothing is counted.
 */
export type CallerFailed = <Failure>(
  failure: Failure,
  context: RequestContext,
) => Promise<Either<Failure | Throttled, never>>

export const callerFailed =
  ({ attempt }: Pick<Throttle, 'attempt'>): CallerFailed =>
  async (failure, context) => {
    const address = context.address?.()
    if (address === undefined) return left(failure)
    const counted = await attempt({ kind: 'address', address })()
    return isLeft(counted) && counted.left._tag === 'Throttled' ? left(counted.left) : left(failure)
  }
