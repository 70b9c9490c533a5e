import { isLeft, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import {
  type RecoveryStartProblem,
  type RecoveryStartRequest,
  validateRecoveryStart,
} from '../../domain/recovery.ts'
import type { User } from '../../domain/user.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { findAccount } from '../recording/change-user.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { newSecret, newTokenRecord } from '../recording/one-time-tokens.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { endUserKeys, recoveryKeys, type ThrottleKey } from '../throttling/throttle-key.ts'

/**
 * Starts the recovery of an account whose password is forgotten, for an application (docs/account-life.md §2.1). The application
 * mails the token to the e-mail on record.
 */
export type StartRecovery = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: RecoveryStartRequest,
) => TE.TaskEither<Invalid<RecoveryStartProblem> | Throttled | StoreUnavailable, StartedRecovery>

/** `expiresInSeconds` is the lifetime of a token. Without an enabled account there is none. */
export type StartedRecovery = Readonly<{ expiresInSeconds: number; account: Option<RecoverableAccount> }>

export type RecoverableAccount = Readonly<{
  token: string
  userId: string
  /** The e-mail on record, to which the mail goes. */
  email: string
  emailVerified: boolean
}>

type Dependencies = Readonly<{
  store: Pick<Store, 'findUserByEmail'>
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  settings: Readonly<{ recoveryTtlSeconds: number }>
}>

export const startRecovery =
  (dependencies: Dependencies): StartRecovery =>
  (context, caller, request) =>
  async () => {
    const { throttle, refusals, settings } = dependencies
    const valid = validateRecoveryStart(request)
    if (isLeft(valid)) return left(invalid(valid.left))
    const attempt = { context, caller, email: valid.right }
    return pipe(
      // Each start counts, also one that finds its account: the limits protect a mailbox, and bound a network.
      withThrottle(throttle, throttleKeys(attempt), {
        check: recoverAccount(dependencies, attempt),
        isSuccess: () => false,
      }),
      TE.bimap(
        (failure) => {
          if (failure._tag === 'Throttled') noteThrottledRecovery(refusals, attempt)
          return failure
        },
        (account) => ({ expiresInSeconds: settings.recoveryTtlSeconds, account }),
      ),
    )()
  }

type Attempt = Readonly<{ context: RequestContext; caller: ApplicationCaller; email: string }>

const throttleKeys = ({ context, caller, email }: Attempt): ReadonlyArray<ThrottleKey> => [
  ...recoveryNetworkKeys(context, caller.application.id),
  { kind: 'mails_to_email', email },
]

/** The network counts every start, not only those with a token: otherwise its limit would show which e-mails have an account. */
export const recoveryNetworkKeys = (
  context: RequestContext,
  applicationId: string,
): ReadonlyArray<ThrottleKey> => [
  ...endUserKeys(context, applicationId),
  ...recoveryKeys(context, applicationId),
]

/**
 * Records a new token for the enabled account with the e-mail.
 *
 * An exhausted limit of the application refuses every e-mail alike. Only a start with a token counts on it, also while it runs: strangers
 * with made-up e-mails cannot use it up, however many they send at once.
 */
const recoverAccount = (
  dependencies: Dependencies,
  { context, caller, email }: Attempt,
): TE.TaskEither<Throttled | StoreUnavailable, Option<RecoverableAccount>> => {
  const { store, record, settings, throttle } = dependencies
  const { id: applicationId } = caller.application
  const limit = { kind: 'recoveries', applicationId } as const
  const secret = newSecret(dependencies, 'recovery')
  const start = (user: User): TE.TaskEither<StoreUnavailable, Option<RecoverableAccount>> => {
    const token = newTokenRecord(dependencies, user, {
      purpose: 'recovery',
      digest: secret.digest,
      applicationId,
      email: user.email,
      ttlSeconds: settings.recoveryTtlSeconds,
    })
    return pipe(
      record([{ _tag: 'RecoveryStarted', token }], { kind: 'application', id: applicationId }, context),
      neverFailsWith('Conflict', 'EmailTaken'),
      TE.map(() =>
        some({
          token: secret.text,
          userId: user.id,
          email: user.email,
          emailVerified: user.emailVerified,
        }),
      ),
    )
  }
  return pipe(
    findAccount(store, email),
    TE.map(filter(({ status }: User) => status === 'enabled')),
    TE.chainW((user) =>
      isNone(user)
        ? pipe(
            throttle.check(limit),
            TE.map(() => none),
          )
        : withThrottle(throttle, limit, { check: start(user.value), isSuccess: () => false }),
    ),
  )
}

/** The user stays unnamed: most limits refuse before an account is looked up. */
export const noteThrottledRecovery = (
  refusals: Refusals,
  { context, caller }: Pick<Attempt, 'context' | 'caller'>,
): void =>
  refusals.note(
    { _tag: 'RecoveryRefused', userId: undefined, codes: [] },
    { kind: 'application', id: caller.application.id },
    context,
  )
