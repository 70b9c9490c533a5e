import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../domain/access.ts'
import { isWorthVerifying, judgeSignIn, type SignInProblem, type SignInRequest } from '../domain/sign-in.ts'
import type { User } from '../domain/user.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { Keyring } from './keyring.ts'
import type { Clock, Random } from './ports/environment.ts'
import type { HashingRefused, PasswordHasher } from './ports/password-hasher.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { KeyUnusable, UserTokens } from './ports/token-format.ts'
import { type Call, cannotMeet, type Recorder } from './recorder.ts'

/** An application signs one of its users in. `expiresInSeconds` is the token's lifetime. */
export type SignIn = (
  call: Call,
  caller: ApplicationCaller,
  request: SignInRequest,
) => TE.TaskEither<
  Invalid<SignInProblem> | HashingRefused | KeyUnusable | StoreUnavailable,
  { token: string; expiresInSeconds: number; userId: string }
>

export const signIn = (
  store: Pick<Store, 'findUserByEmail'>,
  hasher: PasswordHasher,
  tokens: UserTokens,
  keyring: Keyring,
  clock: Clock,
  random: Random,
  record: Recorder,
  settings: Readonly<{ issuer: string; userTokenTtlSeconds: number }>,
): SignIn => {
  /** The account, if the password is its own. An account that does not exist costs the same hash. */
  const findAccount = (call: Call, request: SignInRequest) =>
    isWorthVerifying(request)
      ? pipe(
          store.findUserByEmail(request.email),
          TE.chainW((user) =>
            pipe(
              hasher.verify(
                request.password,
                pipe(
                  user,
                  O.map(({ passwordRecord }) => passwordRecord),
                ),
                call.wanted,
              ),
              TE.map((matches) => (matches ? user : O.none)),
            ),
          ),
        )
      : TE.right(O.none)

  const openSession = (user: User, caller: ApplicationCaller, call: Call) => {
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
      tokens.sign(claims, keyring.user.signing),
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
      findAccount(call, request),
      TE.chainEitherKW((account) => judgeSignIn(request, account)),
      TE.mapLeft((failure) => ('_tag' in failure ? failure : invalid(failure))),
      TE.chainW((user) => openSession(user, caller, call)),
    )
}
