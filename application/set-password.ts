import { left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isSome, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Field, isPresent } from '../domain/field.ts'
import type { PasswordWeakness } from '../domain/password-policy.ts'
import type { FindWeakness } from './find-weakness.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { Unjudgeable } from './ports/failures.ts'
import type { HashingRefused, PasswordHasher } from './ports/password-hasher.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { Recorder, RequestContext } from './recording/recorder.ts'
import { toUser, type UserUnknown, userByEmail } from './recording/user-by-email.ts'
import { SHARE_OF_COMMANDS } from './throttling/hashing-shares.ts'
import type { Throttle } from './throttling/throttle.ts'

/** An operator sets a password, because it was forgotten or is known to others. Every session of the user ends. */
export type SetPassword = (
  call: RequestContext,
  request: Readonly<{ email: string; password: Field }>,
) => TE.TaskEither<
  Invalid<SetPasswordProblem> | UserUnknown | HashingRefused | Unjudgeable | StoreUnavailable,
  { id: string; email: string }
>

export type SetPasswordProblem = 'PasswordMissing' | PasswordWeakness

export const setPassword =
  ({
    store,
    hasher,
    record,
    throttle,
    findWeakness,
  }: Readonly<{
    store: Pick<Store, 'findUserByEmail'>
    hasher: PasswordHasher
    record: Recorder
    throttle: Pick<Throttle, 'forget'>
    findWeakness: FindWeakness
  }>): SetPassword =>
  (call, { email, password }) =>
    isPresent(password)
      ? pipe(
          userByEmail(store, email), // before the expensive hash
          TE.chainW((user) => findWeakness(password, user.email)),
          TE.chainEitherKW((weakness) =>
            isSome(weakness) ? left(invalid<SetPasswordProblem>([weakness.value])) : right(password),
          ),
          TE.chainW(() => hasher.hash(password, { wanted: call.wanted, share: SHARE_OF_COMMANDS })),
          TE.chainW((hashed) =>
            toUser(store, record, (user) => some({ _tag: 'PasswordSet', user, password: hashed }))(
              call,
              email,
            ),
          ),
          // Whatever was tried with the old one: whoever knows the new one need not wait.
          TE.chainFirstTaskK(() => throttle.forget({ kind: 'account', email })),
        )
      : TE.left(invalid<SetPasswordProblem>(['PasswordMissing']))
