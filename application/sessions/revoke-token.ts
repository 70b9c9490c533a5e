import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ApplicationTokenClaims } from '../../domain/token.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { type Recorder, type RequestContext, ruleOut } from '../recording/recorder.ts'
import { endClientSession } from './end-client-session.ts'
import type { ValidateToken } from './validate-token.ts'

/**
 * Revokes a token for an application (RFC 7009): one of its own, or the token of a user that it signed in. The user's session
 * ends too, also by a token that has expired while its session lives.
 *
 * Every other string (unknown, forged, expired or revoked tokens, or those of other applications) is a success that changes and
 * counts nothing: the application cannot use it anyway (RFC 7009 §2.2).
 *
 * @param applicationId the application that calls, already authenticated
 */
export type RevokeToken = (
  context: RequestContext,
  applicationId: string,
  token: string,
) => TaskEither<Overloaded | StoreUnavailable, void>

type Dependencies = Readonly<{
  validateToken: ValidateToken
  store: Pick<Store, 'findSession'>
  clock: Clock
  record: Recorder
}>

export const revokeToken =
  (dependencies: Dependencies): RevokeToken =>
  (context, applicationId, token) =>
  async () => {
    const active = await dependencies.validateToken(token, { mayBeExpired: true })()
    if (E.isLeft(active))
      return active.left._tag === 'StoreUnavailable' ? E.left(active.left) : NOTHING_TO_REVOKE
    const revocation = { context, applicationId }
    if (active.right.kind === 'application') {
      const { claims } = active.right
      return claims.client_id === applicationId
        ? revokeApplicationToken(dependencies.record, claims, revocation)
        : NOTHING_TO_REVOKE
    }
    const { caller } = active.right
    return caller.session.applicationId === applicationId
      ? endClientSession(dependencies)(context, caller)()
      : NOTHING_TO_REVOKE
  }

type Revocation = Readonly<{ context: RequestContext; applicationId: string }>

const revokeApplicationToken = async (
  record: Recorder,
  { jti, exp }: ApplicationTokenClaims,
  { context, applicationId }: Revocation,
): Promise<E.Either<StoreUnavailable, void>> => {
  const token = { id: jti, applicationId, expiresAtSeconds: exp }
  const actor = { kind: 'application', id: applicationId } as const
  const recorded = await record([{ _tag: 'ApplicationTokenRevoked', token }], actor, context)()
  if (E.isRight(recorded)) return recorded
  // The record is written once, so a conflict means that another request has revoked the token.
  const failure = ruleOut(recorded.left, 'EmailTaken')
  return failure._tag === 'Conflict' ? NOTHING_TO_REVOKE : E.left(failure)
}

const NOTHING_TO_REVOKE = E.right(undefined)
