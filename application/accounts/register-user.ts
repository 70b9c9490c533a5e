import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../../domain/event.ts'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { askedBy, type Mail, newMail } from '../../domain/mail.ts'
import {
  type RegistrationProblem,
  type RegistrationRequest,
  validateRegistration,
} from '../../domain/registration.ts'
import { NO_PASSWORD } from '../../domain/user.ts'
import type { RequestMails } from '../mail/request-mails.ts'
import type { FindWeakness } from '../passwords/find-weakness.ts'
import { shareOfActor } from '../passwords/hashing-shares.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { PasswordCheckUnavailable } from '../ports/failures.ts'
import type { HashingRefused, HashingRequest, PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { NewUser } from '../recording/facts.ts'
import { newUserOf } from '../recording/new-user.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'

/** Registers a user, for an operator or an application (docs/contract.md §4). */
export type RegisterUser = (
  context: RequestContext,
  request: RegistrationRequest,
  actor: Actor,
) => TE.TaskEither<RegistrationFailure, Registered>

export type Registered = Readonly<{ id: string; email: string; emailVerified: boolean }>

export type RegistrationFailure =
  | Invalid<RegistrationProblem>
  | HashingRefused
  | PasswordCheckUnavailable
  | StoreUnavailable

/** Without `mails`, no confirmation can be sent. */
export const registerUser =
  ({
    record,
    ...dependencies
  }: NewUserDependencies &
    Readonly<{ record: Recorder; clock: Clock; mails?: RequestMails | undefined }>): RegisterUser =>
  (context, request, actor) =>
  async () => {
    const hashing = { signal: context.signal?.(), share: shareOfActor(actor) }
    const canConfirm = dependencies.mails !== undefined
    const user = await newUser({ ...dependencies, canConfirm }, request, hashing)()
    if (isLeft(user)) return user
    const mails =
      request.sendConfirmation && actor.kind === 'application'
        ? [confirmationOf(dependencies, request, user.right, actor.id)]
        : []
    const recorded = await pipe(
      record([{ _tag: 'UserRegistered', user: user.right }], actor, context, mails),
      neverFailsWith('Conflict'),
    )()
    if (isLeft(recorded)) {
      // Another request registered the e-mail after the look-up.
      return recorded.left._tag === 'EmailTaken'
        ? left(invalid<RegistrationProblem>(['EmailTaken']))
        : left(recorded.left)
    }
    const { id, email, emailVerified } = user.right
    return right({ id, email, emailVerified })
  }

/** The link ends with a change of the password, like every confirmation that a user requests. */
const confirmationOf = (
  { random, clock }: Readonly<{ random: Random; clock: Clock }>,
  { language }: RegistrationRequest,
  user: NewUser,
  applicationId: string,
): Mail =>
  newMail(
    {
      id: random.uuid(),
      kind: 'email_confirmation',
      userId: some(user.id),
      address: user.email,
      language: isPresent(language) ? some(language) : none,
      applicationId: some(applicationId),
      facts: { asked: askedBy(user) },
    },
    Math.floor(clock() / 1000),
  )

type NewUserDependencies = Readonly<{
  store: Pick<Store, 'findUserByEmail'>
  hasher: PasswordHasher
  random: Random
  findWeakness: FindWeakness
}>

/** Validates a registration and hashes the password, if there is one. The caller writes the user. */
export const newUser =
  (
    {
      store,
      hasher,
      random,
      findWeakness,
      canConfirm = false,
    }: NewUserDependencies & Readonly<{ canConfirm?: boolean }>,
    request: RegistrationRequest,
    hashing: HashingRequest,
  ): TE.TaskEither<RegistrationFailure, NewUser> =>
  async () => {
    const emailTaken = await isEmailTaken(store, request.email)()
    if (isLeft(emailTaken)) return emailTaken
    const weakness = await findWeakness(request.password, request.email)()
    if (isLeft(weakness)) return weakness
    const valid = validateRegistration(request, emailTaken.right, weakness.right, canConfirm)
    if (isLeft(valid)) return left(invalid(valid.left))
    const { password } = valid.right
    const hashed = isSome(password) ? await hasher.hash(password.value, hashing)() : right(NO_PASSWORD)
    if (isLeft(hashed)) return hashed
    return right(
      newUserOf({
        id: random.uuid(),
        email: valid.right.email,
        emailVerified: request.emailVerified === true,
        password: hashed.right,
      }),
    )
  }

const isEmailTaken = (
  store: Pick<Store, 'findUserByEmail'>,
  email: Field,
): TE.TaskEither<StoreUnavailable, boolean> =>
  isPresent(email) ? pipe(store.findUserByEmail(email), TE.map(isSome)) : TE.right(false)
