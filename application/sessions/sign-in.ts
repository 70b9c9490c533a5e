import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { type Assurance, assuranceClaims, type Methods, sessionAssurance } from '../../domain/assurance.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { type LifetimeSettings, lifetimesOf } from '../../domain/lifetimes.ts'
import { type SignInProblem, type SignInRequest, validateSignIn } from '../../domain/sign-in.ts'
import type { User } from '../../domain/user.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { checkCredentials } from '../throttling/check-credentials.ts'
import type { EvenTiming } from '../throttling/even-timing.ts'
import { shareOfEndUser } from '../throttling/hashing-shares.ts'
import { endUserKeys, type Throttle, type Throttled } from '../throttling/throttle.ts'
import type { Rehash } from './rehash.ts'
import type { SignUserToken } from './sign-user-token.ts'

/** Signs a user in for an application (docs/contract.md §5.1). */
export type SignIn = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: SignInRequest,
) => TE.TaskEither<
  Invalid<SignInProblem> | Throttled | HashingRefused | KeyUnusable | StoreUnavailable,
  SignedIn
>

/** `expiresInSeconds` is the lifetime of the token. */
export type SignedIn = Readonly<{
  token: string
  expiresInSeconds: number
  userId: string
  emailVerified: boolean
}> &
  Assurance

type Dependencies = Readonly<{
  store: Pick<Store, 'findUserByEmail'>
  hasher: PasswordHasher
  signUserToken: SignUserToken
  clock: Clock
  random: Random
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  rehash: Rehash
  evenTiming: EvenTiming
  settings: LifetimeSettings
}>

export const signIn =
  (dependencies: Dependencies): SignIn =>
  (context, caller, request) =>
  async () => {
    const attempt = { context, caller }
    const { id } = caller.application
    const share = shareOfEndUser(id, context)
    const account = await checkCredentials(dependencies, {
      context,
      credentials: request,
      actor: { kind: 'application', id },
      share,
      network: endUserKeys(context, id),
    })()
    if (isLeft(account)) return account
    const valid = validateSignIn(request, account.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    const user = valid.right
    const label = isPresent(request.label) ? some(request.label) : none
    const signedIn = await openSession(dependencies, attempt, { user, label })
    if (isLeft(signedIn)) return signedIn
    if (isPresent(request.password)) dependencies.rehash({ user, password: request.password, share }, context)
    return signedIn
  }

type Attempt = Readonly<{ context: RequestContext; caller: ApplicationCaller }>

/** Signs the token first, so that no session is recorded if signing fails. */
const openSession = async (
  { signUserToken, clock, random, record, settings }: Dependencies,
  { context, caller }: Attempt,
  { user, label }: Readonly<{ user: User; label: Option<string> }>,
): Promise<Either<KeyUnusable | StoreUnavailable, SignedIn>> => {
  const { userTokenTtlSeconds, sessionTtlSeconds } = lifetimesOf(caller.application, settings)
  const issuedAtSeconds = Math.floor(clock() / 1000)
  const sessionId = random.uuid()
  const authentication = {
    methods: some<Methods>('password'),
    authenticatedAtSeconds: some(issuedAtSeconds),
  }
  const token = await signUserToken({
    userId: user.id,
    sessionId,
    applicationId: caller.application.id,
    assurance: assuranceClaims({ ...authentication, createdAtSeconds: none }),
    issuedAtSeconds,
    lifetimeSeconds: userTokenTtlSeconds,
  })()
  if (isLeft(token)) return token
  const { expiresAtSeconds } = token.right
  const session = {
    id: sessionId,
    userId: user.id,
    passwordVersion: user.passwordVersion,
    expiresAtSeconds,
    endsAtSeconds: some(issuedAtSeconds + sessionTtlSeconds),
    signedOut: false,
    label,
    ...authentication,
  }
  const recorded = await pipe(
    record([{ _tag: 'UserSignedIn', session }], { kind: 'application', id: caller.application.id }, context),
    neverFailsWith('Conflict', 'EmailTaken'),
  )()
  if (isLeft(recorded)) return recorded
  return right({
    token: token.right.token,
    expiresInSeconds: expiresAtSeconds - issuedAtSeconds,
    userId: user.id,
    emailVerified: user.emailVerified,
    ...sessionAssurance(session),
  })
}
