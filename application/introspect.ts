import * as E from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { scopeText } from '../domain/application.ts'
import type { Session } from '../domain/session.ts'
import type { ApplicationTokenClaims, UserTokenClaims } from '../domain/token.ts'
import type { StoreUnavailable } from './ports/store.ts'
import type { LiveToken, ValidateToken } from './validate-token.ts'

/** What a token is worth at this moment, named as RFC 7662 §2.2 names it. Times are seconds since the epoch. */
export type Introspection =
  | Readonly<{ active: false }>
  | (Active & ApplicationTokenClaims)
  /**
   * `username` is the user's e-mail, as it was registered; `client_id` the application that signed the user in, absent where the
   * session names none.
   */
  | (Active & UserTokenClaims & Readonly<{ username: string; client_id?: string }>)

type Active = Readonly<{ active: true; token_type: 'Bearer' }>

/**
 * What a token says and whom it belongs to, for an application that may ask; of one that is not good, whyever, only that
 * it is not (RFC 7662 §2.2). A store that is away says nothing about a token: that is a failure.
 *
 * It changes nothing and leaves no trace.
 */
export type Introspect = (token: string) => TaskEither<StoreUnavailable, Introspection>

export const introspect =
  ({ validateToken: judge }: Readonly<{ validateToken: ValidateToken }>): Introspect =>
  (token) =>
  async () => {
    const live = await judge(token)()
    if (E.isRight(live)) return E.right(described(live.right))
    return live.left._tag === 'StoreUnavailable' ? E.left(live.left) : E.right({ active: false })
  }

const described = (live: LiveToken): Introspection =>
  live.kind === 'user'
    ? { ...ACTIVE, ...live.claims, ...clientOf(live.caller.session), username: live.caller.user.email }
    : { ...ACTIVE, ...live.claims, scope: scopeText(live.caller.scope) }

const clientOf = ({ applicationId }: Session) =>
  isSome(applicationId) ? { client_id: applicationId.value } : {}

const ACTIVE: Active = { active: true, token_type: 'Bearer' }
