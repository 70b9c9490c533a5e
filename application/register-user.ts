import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../domain/event.ts'
import { isPresent } from '../domain/field.ts'
import {
  type RegistrationProblem,
  type RegistrationRequest,
  validateRegistration,
} from '../domain/registration.ts'
import type { User } from '../domain/user.ts'
import type { FindWeakness } from './find-weakness.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { Random } from './ports/environment.ts'
import type { Unjudgeable } from './ports/failures.ts'
import type { HashingRefused, HashingRequest, PasswordHasher } from './ports/password-hasher.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { Unwritten } from './recording/facts.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recording/recorder.ts'
import { shareOfActor } from './throttling/hashing-shares.ts'

/** An operator, or an application that may, registers a user. */
export type RegisterUser = (
  call: RequestContext,
  request: RegistrationRequest,
  actor: Actor,
) => TE.TaskEither<RegistrationFailure, { id: string; email: string }>

export type RegistrationFailure =
  | Invalid<RegistrationProblem>
  | HashingRefused
  | Unjudgeable
  | StoreUnavailable

export const registerUser =
  ({
    store,
    hasher,
    random,
    record,
    findWeakness,
  }: Readonly<{
    store: Pick<Store, 'findUserByEmail'>
    hasher: PasswordHasher
    random: Random
    record: Recorder
    findWeakness: FindWeakness
  }>): RegisterUser =>
  (call, request, actor) =>
    pipe(
      newUser({ store, hasher, random, findWeakness })(request, {
        wanted: call.wanted,
        share: shareOfActor(actor),
      }),
      TE.chainFirstW((user) =>
        pipe(
          record([{ _tag: 'UserRegistered', user }], actor, call),
          cannotMeet('Conflict'),
          TE.mapLeft((failure) =>
            // Somebody registered the same e-mail since it was looked up.
            failure._tag === 'EmailTaken' ? invalid<RegistrationProblem>(['EmailTaken']) : failure,
          ),
        ),
      ),
      TE.map(({ id, email }) => ({ id, email })),
    )

/** A user with a hashed password, not written yet. */
export const newUser =
  ({
    store,
    hasher,
    random,
    findWeakness,
  }: Readonly<{
    store: Pick<Store, 'findUserByEmail'>
    hasher: PasswordHasher
    random: Random
    findWeakness: FindWeakness
  }>) =>
  (
    request: RegistrationRequest,
    hashing: HashingRequest,
  ): TE.TaskEither<RegistrationFailure, Unwritten<User>> =>
    pipe(
      TE.Do,
      TE.bindW('emailTaken', () =>
        isPresent(request.email)
          ? pipe(store.findUserByEmail(request.email), TE.map(isSome))
          : TE.right(false),
      ),
      TE.bindW('weakness', () => findWeakness(request.password, request.email)),
      TE.chainEitherKW((facts) =>
        pipe(validateRegistration(request, facts.emailTaken, facts.weakness), E.mapLeft(invalid)),
      ),
      TE.chainW(({ email, password }) =>
        pipe(
          hasher.hash(password, hashing),
          TE.map(({ record, scheme }) => ({
            id: random.uuid(),
            email,
            passwordRecord: record,
            passwordScheme: scheme,
            passwordVersion: 1,
            status: 'enabled' as const,
          })),
        ),
      ),
    )
