import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isSome, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import type { PasswordWeakness } from '../../domain/password-policy.ts'
import type { FindWeakness } from '../passwords/find-weakness.ts'
import { SHARE_OF_COMMANDS } from '../passwords/hashing-shares.ts'
import type { PasswordCheckUnavailable } from '../ports/failures.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { changeUser, namedUser, type UserUnknown } from '../recording/change-user.ts'
import { operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { forgetAll, type Throttle } from '../throttling/throttle.ts'
import { accountKeys } from '../throttling/throttle-key.ts'

/**
 * Sets the password of a user for an operator, after the user forgot it or it leaked. Every session of the user ends.
 * `user` is an e-mail or id.
 */
export type SetPassword = (
  context: RequestContext,
  request: Readonly<{ user: string; password: Field }>,
) => TE.TaskEither<
  Invalid<SetPasswordProblem> | UserUnknown | HashingRefused | PasswordCheckUnavailable | StoreUnavailable,
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
    store: Pick<Store, 'findUser' | 'findUserByEmail'>
    hasher: PasswordHasher
    record: Recorder
    throttle: Pick<Throttle, 'forget'>
    findWeakness: FindWeakness
  }>): SetPassword =>
  (context, { user: emailOrId, password }) =>
  async () => {
    if (!isPresent(password)) return left(invalid<SetPasswordProblem>(['PasswordMissing']))
    const found = await namedUser(store, emailOrId)() // an unknown user needs no expensive hash
    if (isLeft(found)) return found
    const weakness = await findWeakness(password, found.right.email)()
    if (isLeft(weakness)) return weakness
    if (isSome(weakness.right)) return left(invalid<SetPasswordProblem>([weakness.right.value]))
    const hashed = await hasher.hash(password, { signal: context.signal?.(), share: SHARE_OF_COMMANDS })()
    if (isLeft(hashed)) return hashed
    const setPasswordOf = changeUser({ store, record }, (user) =>
      TE.right(some({ _tag: 'PasswordSet', user, password: hashed.right })),
    )
    const changed = await setPasswordOf(found.right, operatorOf(context), context)()
    if (isLeft(changed)) return changed
    // Failures with the old password must not delay a sign-in with the new one.
    const { id, email } = changed.right
    await forgetAll(throttle, accountKeys(email))()
    return right({ id, email })
  }
