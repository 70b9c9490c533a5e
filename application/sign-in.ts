import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../domain/access.ts'
import type { SignInRefusal } from '../domain/event.ts'
import { isPresent } from '../domain/field.ts'
import { isComplete, type SignInProblem, type SignInRequest, validateSignIn } from '../domain/sign-in.ts'
import { isEmail, type User } from '../domain/user.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { CurrentKeyring } from './keys/keyring.ts'
import type { Clock, Random } from './ports/environment.ts'
import type { HashingRefused, PasswordHasher } from './ports/password-hasher.ts'
import type { Refusals } from './ports/refusals.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { KeyUnusable, UserTokens } from './ports/token-format.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recording/recorder.ts'
import { findAccount } from './recording/user-by-email.ts'
import type { Rehash } from './rehash.ts'
import type { EvenTiming } from './throttling/even-timing.ts'
import { shareOfApplication } from './throttling/hashing-shares.ts'
import { asAttempt, type Throttle, type Throttled } from './throttling/throttle.ts'

/** An application signs one of its users in. `expiresInSeconds` is the token's lifetime. */
export type SignIn = (
  call: RequestContext,
  caller: ApplicationCaller,
  request: SignInRequest,
) => TE.TaskEither<
  Invalid<SignInProblem> | Throttled | HashingRefused | KeyUnusable | StoreUnavailable,
  { token: string; expiresInSeconds: number; userId: string }
>

export const signIn = ({
  store,
  hasher,
  tokens,
  keyring,
  clock,
  random,
  record,
  refusals,
  throttle,
  rehash,
  evenTiming,
  settings,
}: Readonly<{
  store: Pick<Store, 'findUserByEmail'>
  hasher: PasswordHasher
  tokens: UserTokens
  keyring: CurrentKeyring
  clock: Clock
  random: Random
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  rehash: Rehash
  evenTiming: EvenTiming
  settings: Readonly<{ issuer: string; userTokenTtlSeconds: number }>
}>): SignIn => {
  /** The account, if the password is its own and it is enabled. One that does not exist costs the same hash. */
  const accountFor = (call: RequestContext, caller: ApplicationCaller, request: SignInRequest) => {
    const refuse = (reason: SignInRefusal, userId?: string): O.Option<User> => {
      const actor = { kind: 'application', id: caller.application.id } as const
      refusals.note({ _tag: 'SignInRefused', userId, reason }, actor, call)
      return O.none
    }
    if (!isComplete(request)) return TE.right(refuse('missing_field'))

    const judge = (user: O.Option<User>, matches: boolean): O.Option<User> => {
      if (O.isNone(user)) return refuse('unknown_email')
      const { id, status } = user.value
      if (!matches) return refuse('wrong_password', id)
      return status === 'enabled' ? user : refuse('user_disabled', id)
    }

    const { email, password } = request
    const account = pipe(
      findAccount(store, email),
      TE.chainW((user) =>
        evenTiming({
          wanted: call.wanted,
          check: (wanted) =>
            pipe(
              hasher.verify(
                password,
                pipe(
                  user,
                  O.map(({ passwordRecord }) => passwordRecord),
                ),
                { wanted, share: shareOfApplication(caller.application.id) },
              ),
              TE.map((matches) => judge(user, matches)),
            ),
          hasFailed: O.isNone,
        }),
      ),
    )
    // What is no e-mail address is nobody's account, and there is nothing to guess.
    if (!isEmail(email)) return account
    return pipe(
      asAttempt(throttle, { kind: 'account', email })(account, O.isSome),
      TE.mapLeft((failure) => {
        if (failure._tag === 'Throttled') refuse('too_many_failures')
        return failure
      }),
    )
  }

  const openSession = (user: User, caller: ApplicationCaller, call: RequestContext) => {
    const iat = Math.floor(clock() / 1000)
    const exp = iat + settings.userTokenTtlSeconds
    const session = {
      id: random.uuid(),
      userId: user.id,
      passwordVersion: user.passwordVersion,
      expiresAtSeconds: exp,
      signedOut: false,
    }
    const claims = { iss: settings.issuer, sub: user.id, sid: session.id, iat, exp, jti: random.uuid() }
    return pipe(
      keyring,
      TE.chainW(({ user: { signing } }) => tokens.sign(claims, signing)),
      TE.chainFirstW(() =>
        pipe(
          record(
            [{ _tag: 'UserSignedIn', session }],
            { kind: 'application', id: caller.application.id },
            call,
          ),
          cannotMeet('Conflict', 'EmailTaken'),
        ),
      ),
      TE.map((token) => ({ token, expiresInSeconds: settings.userTokenTtlSeconds, userId: user.id })),
    )
  }

  return (call, caller, request) =>
    pipe(
      accountFor(call, caller, request),
      TE.chainEitherKW((account) => validateSignIn(request, account)),
      TE.mapLeft((failure) => ('_tag' in failure ? failure : invalid(failure))),
      TE.chainW((user) =>
        pipe(
          openSession(user, caller, call),
          TE.map((signedIn) => {
            if (isPresent(request.password)) {
              const share = shareOfApplication(caller.application.id)
              rehash({ user, password: request.password, share }, call)
            }
            return signedIn
          }),
        ),
      ),
    )
}
