import { bimap, type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  consecutive,
  countAttempt,
  endPause,
  type Failures,
  perHour,
  perQuarterHour,
  refundAttempt,
  type ThrottleRule,
  type TooManyFailures,
  WRONG_TOTP,
} from '../../domain/throttle.ts'
import { emailKey } from '../../domain/user.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { CountKey, FailureCounts } from '../ports/failure-counts.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { RequestContext } from '../recording/recorder.ts'

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
 * What failures count on. The counts are independent.
 *
 * - `account_in_network`: sign-ins with this e-mail from this network, also without an account. All networks that are unknown are one
 *   network, which also counts wrong old passwords
 * - `account`: the same from all networks together
 * - `session`: wrong old passwords in this session
 * - `address`: wrong API keys and forged tokens from this network, and wrong passwords on the pages for people
 * - `end_user_address`: sign-ins and recoveries that an application sent for an end user in this network
 * - `registrations`: users that an application registered for an end user in this network
 * - `recoveries`: recovery tokens that are made for an application
 * - `recoveries_in_network`: recoveries that an application starts for an end user in this network, also without an account
 * - `recovery_of_email`: recoveries that are started for this e-mail, also without an account
 * - `confirmation_of_email`: confirmations that are started for this e-mail, also if it is the user's already
 * - `one_time_token`: weak new passwords that were sent with this token
 * - `new_password`: weak new passwords that this user sent with the right old one
 * - `factor_resets`: resets of second factors that an application makes
 * - `second_factor`: wrong codes of an authenticator app of this user
 * - `end_others_in_session`, `end_others`: how often this session ended all others of its user, and how often all sessions of the user did
 */
export type ThrottleKey =
  | Readonly<{ kind: 'account_in_network'; email: string; address: string | undefined }>
  | Readonly<{ kind: 'account'; email: string }>
  | Readonly<{ kind: 'session'; id: string }>
  | Readonly<{ kind: 'address'; address: string }>
  | Readonly<{ kind: 'end_user_address'; applicationId: string; address: string }>
  | Readonly<{ kind: 'registrations'; applicationId: string; address: string }>
  | Readonly<{ kind: 'recoveries'; applicationId: string }>
  | Readonly<{ kind: 'recoveries_in_network'; applicationId: string; address: string }>
  | Readonly<{ kind: 'factor_resets'; applicationId: string }>
  | Readonly<{ kind: 'recovery_of_email'; email: string }>
  | Readonly<{ kind: 'confirmation_of_email'; email: string }>
  | Readonly<{ kind: 'one_time_token'; id: string }>
  | Readonly<{ kind: 'new_password'; userId: string }>
  | Readonly<{ kind: 'second_factor'; userId: string }>
  | Readonly<{ kind: 'end_others_in_session'; id: string }>
  | Readonly<{ kind: 'end_others'; userId: string }>

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
  | 'confirmations'
  | 'recoveries_from_network'
  | 'recoveries_in_network'
  | 'ended_sessions'

type Dependencies = Readonly<{
  counts: FailureCounts
  clock: Clock
  digests: Digests
  /** `recoveriesPerHour` is for each application, `registrationsPerHour` for each of its networks of end users. */
  limits: Readonly<{
    accountFailures: number
    addressFailures: number
    recoveriesPerHour: number
    registrationsPerHour: number
  }>
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

const rulesFor = ({
  accountFailures,
  addressFailures,
  recoveriesPerHour,
  registrationsPerHour,
}: Dependencies['limits']): Readonly<Record<ThrottleKey['kind'], ThrottleRule>> => ({
  account_in_network: consecutive(accountFailures),
  account: consecutive(Math.max(accountFailures, FAILURES_FROM_ALL_NETWORKS)),
  session: consecutive(accountFailures),
  address: perQuarterHour(addressFailures),
  end_user_address: perQuarterHour(addressFailures),
  registrations: perHour(registrationsPerHour),
  recoveries: perHour(recoveriesPerHour),
  recoveries_in_network: perHour(Math.ceil(recoveriesPerHour * SHARE_OF_A_NETWORK)),
  factor_resets: perHour(FACTOR_RESETS),
  recovery_of_email: perHour(MAILS_TO_ADDRESS),
  confirmation_of_email: perHour(MAILS_TO_ADDRESS),
  one_time_token: consecutive(accountFailures),
  new_password: consecutive(accountFailures),
  second_factor: WRONG_TOTP,
  end_others_in_session: perHour(END_OTHERS_IN_SESSION),
  end_others: perHour(END_OTHERS),
})

/**
 * A stranger in one network stays below it, so that the owner in another one is not delayed. More consecutive failures on an account are not
 * permitted (NIST SP 800-63B-4 §3.2.2).
 */
const FAILURES_FROM_ALL_NETWORKS = 100

/** The rest of an application's recoveries is for other networks: real addresses in one network cannot use up all. */
const SHARE_OF_A_NETWORK = 0.1

/** More mails would only annoy the owner of the address. */
const MAILS_TO_ADDRESS = 5

/** More than the support of an application needs, and little for a thief of its keys. */
const FACTOR_RESETS = 60

/**
 * More than a person needs. A session has less than its user, so that the thief of one token leaves the owner's session its own.
 */
const END_OTHERS_IN_SESSION = 10
const END_OTHERS = 30

/** The key is a digest, because an e-mail in a sign-in can be any text, even a password. */
const countKey = (digests: Digests, key: ThrottleKey): CountKey => ({
  kind: key.kind,
  key: digests.sha256(`${key.kind} ${nameOf(key)}`),
})

const nameOf = (key: ThrottleKey): string => {
  switch (key.kind) {
    case 'account_in_network':
      return `${key.address ?? 'unknown'} ${emailKey(key.email)}`
    case 'account':
    case 'recovery_of_email':
    case 'confirmation_of_email':
      return emailKey(key.email)
    case 'session':
    case 'end_others_in_session':
    case 'one_time_token':
      return key.id
    case 'address':
      return key.address
    case 'end_user_address':
    case 'registrations':
    case 'recoveries_in_network':
      return `${key.applicationId} ${key.address}`
    case 'recoveries':
    case 'factor_resets':
      return key.applicationId
    case 'new_password':
    case 'second_factor':
    case 'end_others':
      return key.userId
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
  recovery_of_email: 'recoveries',
  confirmation_of_email: 'confirmations',
  end_user_address: 'recoveries_from_network',
  end_others_in_session: 'ended_sessions',
  end_others: 'ended_sessions',
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

/**
 * The counts of a password, with the network from which it comes. The network is first, so that attempts from a refused one do not touch
 * the account. Without a network, or with a session, it is the unknown one.
 */
export const accountKeys = (
  email: string,
  network: ReadonlyArray<ThrottleKey> = [],
): ReadonlyArray<ThrottleKey> => {
  const [address] = network.flatMap((key) => ('address' in key ? [key.address] : []))
  return [
    { kind: 'account_in_network', email, address },
    { kind: 'account', email },
  ]
}

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

/** The count of the end user's network at this application, if the application reported the address. */
export const endUserKeys = (
  { endUserAddress: address }: RequestContext,
  applicationId: string,
): ReadonlyArray<ThrottleKey> =>
  address === undefined ? [] : [{ kind: 'end_user_address', applicationId, address }]

/** The recoveries of the end user's network at this application, if the application reported the address. */
export const recoveryKeys = (
  { endUserAddress: address }: RequestContext,
  applicationId: string,
): ReadonlyArray<ThrottleKey> =>
  address === undefined ? [] : [{ kind: 'recoveries_in_network', applicationId, address }]

/** The count of the client's network, for passwords that people enter on the pages of the service. */
export const pageKeys = ({ address }: RequestContext): ReadonlyArray<ThrottleKey> => {
  const network = address?.()
  return network === undefined ? [] : [{ kind: 'address', address: network }]
}

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
