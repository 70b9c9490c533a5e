import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  authorize,
  type Caller,
  type CallerOf,
  type InsufficientScope,
  type Operation,
} from '../domain/access.ts'
import { parseScope } from '../domain/application.ts'
import { isAlive } from '../domain/session.ts'
import { type ApplicationTokenClaims, isCurrent, type UserTokenClaims } from '../domain/token.ts'
import type { CurrentKeyring } from './keyring.ts'
import type { Clock } from './ports/environment.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { ApplicationTokens, InvalidToken, UserTokens } from './ports/token-format.ts'
import type { Call } from './recorder.ts'
import type { CallerFailed, Throttled } from './throttle.ts'

/**
 * Who a Bearer token belongs to, when that caller may do `operation`.
 *
 * A token that is malformed, forged, expired or revoked, or whose user or application is gone, is an
 * `InvalidToken`, whichever of these it is. Only a token that is good in all of that can be `InsufficientScope`.
 */
export type Authenticate = <O extends Operation>(
  call: Call,
  operation: O,
  token: string,
) => TaskEither<InvalidToken | InsufficientScope | Throttled | StoreUnavailable, CallerOf<O>>

export const authenticate = (
  store: Pick<Store, 'findApplication' | 'findSession'>,
  formats: Readonly<{ application: ApplicationTokens; user: UserTokens }>,
  keyring: CurrentKeyring,
  clock: Clock,
  callerFailed: CallerFailed,
  issuer: string,
): Authenticate => {
  const now = () => clock() / 1000

  const verified = async (token: string): Promise<E.Either<InvalidToken | StoreUnavailable, Verified>> => {
    const keys = await keyring()
    if (E.isLeft(keys)) return keys
    const user = await formats.user.verify(token, keys.right.user.verifying)()
    if (E.isRight(user)) return E.right({ kind: 'user', claims: user.right })
    const application = await formats.application.verify(token, keys.right.application.verifying)()
    return E.isRight(application) ? E.right({ kind: 'application', claims: application.right }) : application
  }

  const userOf = async ({
    sid,
    sub,
  }: UserTokenClaims): Promise<E.Either<InvalidToken | StoreUnavailable, Caller>> => {
    const found = await store.findSession(sid)()
    if (E.isLeft(found)) return found
    if (O.isNone(found.right)) return INVALID
    const { session, user } = found.right.value
    return user.id === sub && isAlive(session, user, now())
      ? E.right({ kind: 'user', user, session })
      : INVALID
  }

  const applicationOf = async ({
    sub,
    scope: text,
  }: ApplicationTokenClaims): Promise<E.Either<InvalidToken | StoreUnavailable, Caller>> => {
    const found = await store.findApplication(sub)()
    if (E.isLeft(found)) return found
    const scope = parseScope(text)
    return O.isSome(found.right) && !found.right.value.revoked && O.isSome(scope)
      ? E.right({ kind: 'application', application: found.right.value, scope: scope.value })
      : INVALID
  }

  const callerOf = async (token: string): Promise<E.Either<InvalidToken | StoreUnavailable, Caller>> => {
    const signed = await verified(token)
    if (E.isLeft(signed)) return signed
    const { right } = signed
    if (!isCurrent(right.claims, issuer, now())) return INVALID
    return right.kind === 'user' ? userOf(right.claims) : applicationOf(right.claims)
  }

  // Plain steps here and in `issueApplicationToken`: every request comes through, and a chain of task combinators costs
  // it more than what they join.
  return (call, operation, token) => async () => {
    const caller = await callerOf(token)
    if (E.isRight(caller)) return authorize(operation, caller.right)
    return caller.left._tag === 'InvalidToken' ? callerFailed(caller.left, call) : caller
  }
}

type Verified =
  | Readonly<{ kind: 'user'; claims: UserTokenClaims }>
  | Readonly<{ kind: 'application'; claims: ApplicationTokenClaims }>

const INVALID = E.left<InvalidToken>({ _tag: 'InvalidToken' })
