import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
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
import type { Keyring } from './keyring.ts'
import type { Clock } from './ports/environment.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { ApplicationTokens, InvalidToken, UserTokens } from './ports/token-format.ts'

/**
 * Who a Bearer token belongs to, when that caller may do `operation`.
 *
 * A token that is malformed, forged, expired or revoked, or whose user or application is gone, is an
 * `InvalidToken`, whichever of these it is. Only a token that is good in all of that can be `InsufficientScope`.
 */
export type Authenticate = <O extends Operation>(
  operation: O,
  token: string,
) => TE.TaskEither<InvalidToken | InsufficientScope | StoreUnavailable, CallerOf<O>>

export const authenticate = (
  store: Pick<Store, 'findApplication' | 'findSession'>,
  formats: Readonly<{ application: ApplicationTokens; user: UserTokens }>,
  keyring: Keyring,
  clock: Clock,
  issuer: string,
): Authenticate => {
  const now = () => clock() / 1000

  const verify = (token: string): TE.TaskEither<InvalidToken, Verified> =>
    pipe(
      formats.user.verify(token, keyring.user.verifying),
      TE.map((claims): Verified => ({ kind: 'user', claims })),
      TE.orElse(() =>
        pipe(
          formats.application.verify(token, keyring.application.verifying),
          TE.map((claims): Verified => ({ kind: 'application', claims })),
        ),
      ),
    )

  const userOf = ({ sid, sub }: UserTokenClaims): TE.TaskEither<StoreUnavailable, O.Option<Caller>> =>
    pipe(
      store.findSession(sid),
      TE.map(
        O.chain(({ session, user }) =>
          user.id === sub && isAlive(session, user, now())
            ? O.some<Caller>({ kind: 'user', user, session })
            : O.none,
        ),
      ),
    )

  const applicationOf = (claims: ApplicationTokenClaims): TE.TaskEither<StoreUnavailable, O.Option<Caller>> =>
    pipe(
      store.findApplication(claims.sub),
      TE.map(
        O.chain((application) =>
          pipe(
            parseScope(claims.scope),
            O.map((scope): Caller => ({ kind: 'application', application, scope })),
          ),
        ),
      ),
    )

  return (operation, token) =>
    pipe(
      verify(token),
      TE.filterOrElse(({ claims }) => isCurrent(claims, issuer, now()), invalidToken),
      TE.chainW((verified) =>
        verified.kind === 'user' ? userOf(verified.claims) : applicationOf(verified.claims),
      ),
      TE.chainW(TE.fromOption(invalidToken)),
      TE.chainEitherKW((caller) => authorize(operation, caller)),
    )
}

type Verified =
  | Readonly<{ kind: 'user'; claims: UserTokenClaims }>
  | Readonly<{ kind: 'application'; claims: ApplicationTokenClaims }>

const invalidToken = (): InvalidToken => ({ _tag: 'InvalidToken' })
