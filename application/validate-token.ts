import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller, UserCaller } from '../domain/access.ts'
import { parseScope } from '../domain/application.ts'
import { isAlive } from '../domain/session.ts'
import { KEY_PURPOSES } from '../domain/signing-key.ts'
import { type ApplicationTokenClaims, isCurrent, type UserTokenClaims } from '../domain/token.ts'
import type { CurrentKeyring, Formats } from './keys/keyring.ts'
import type { Clock } from './ports/environment.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { InvalidToken } from './ports/token-format.ts'

/** A token that is good now: what it says, and whom it belongs to. */
export type LiveToken =
  | Readonly<{ kind: 'user'; claims: UserTokenClaims; caller: UserCaller }>
  | Readonly<{ kind: 'application'; claims: ApplicationTokenClaims; caller: ApplicationCaller }>

/**
 * A token that was good once, or one that names a retired key. The secret of a retired key is erased, so that its tokens are not
 * verified: none of them is good, and nothing can be guessed by trying them.
 */
export type EndedToken = Readonly<{ _tag: 'EndedToken' }>

/**
 * Whether a token is good now, and whose it is: the one judgement for whoever comes with a token and for whoever asks
 * about one.
 *
 * What is malformed or forged is an `InvalidToken`; what is expired or revoked, whose user or application is gone, or whose key
 * is retired, an `EndedToken`. Any string may be asked about.
 */
export type ValidateToken = (
  token: string,
) => TaskEither<InvalidToken | EndedToken | StoreUnavailable, LiveToken>

export const validateToken = ({
  store,
  formats,
  keyring,
  clock,
  issuer,
}: Readonly<{
  store: Pick<Store, 'findTokenHolder' | 'findSession'>
  formats: Formats
  keyring: CurrentKeyring
  clock: Clock
  issuer: string
}>): ValidateToken => {
  const now = () => clock() / 1000

  const userToken = async (claims: UserTokenClaims): Promise<Judged> => {
    if (!isCurrent(claims, issuer, now())) return ENDED
    const found = await store.findSession(claims.sid)()
    if (E.isLeft(found)) return found
    if (O.isNone(found.right)) return ENDED
    const { session, user, application } = found.right.value
    return user.id === claims.sub && isAlive(found.right.value, now())
      ? E.right({ kind: 'user', claims, caller: { kind: 'user', session, user, application } })
      : ENDED
  }

  const applicationToken = async (claims: ApplicationTokenClaims): Promise<Judged> => {
    // An application asks for itself, so both claims name it (RFC 9068 §2.2).
    if (!isCurrent(claims, issuer, now()) || claims.client_id !== claims.sub) return ENDED
    const found = await store.findTokenHolder(claims.sub, claims.jti)()
    if (E.isLeft(found)) return found
    const scope = parseScope(claims.scope)
    if (O.isNone(found.right) || O.isNone(scope)) return ENDED
    const { application, revocation } = found.right.value
    if (application.revoked || O.isSome(revocation)) return ENDED
    const caller = { kind: 'application', application, scope: scope.value } as const
    return E.right({ kind: 'application', claims, caller })
  }

  // Plain steps here and in `issueApplicationToken`: every request comes through, and a chain of task combinators costs
  // it more than what they join.
  return (token) => async () => {
    const keys = await keyring()
    if (E.isLeft(keys)) return keys
    const user = await formats.user.verify(token, keys.right.user.verifying)()
    if (E.isRight(user)) return await userToken(user.right)
    const application = await formats.application.verify(token, keys.right.application.verifying)()
    if (E.isRight(application)) return await applicationToken(application.right)
    const hasEnded = KEY_PURPOSES.some((purpose) => {
      const kid = formats[purpose].keyIdOf(token)
      return O.isSome(kid) && keys.right[purpose].ended.has(kid.value)
    })
    return hasEnded ? ENDED : application
  }
}

type Judged = E.Either<EndedToken | StoreUnavailable, LiveToken>

const ENDED = E.left<EndedToken>({ _tag: 'EndedToken' })
