import { isLeft, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { Digests } from '../ports/environment.ts'
import type { ProtocolState } from '../ports/protocol-state.ts'
import type { EndClientSession } from '../sessions/end-client-session.ts'
import type { RevokeToken } from '../sessions/revoke-token.ts'
import type { FindOpenSession } from './open-sessions.ts'

/**
 * Revokes a refresh token of a client (RFC 7009 §2.1), which ends its session, or any other token as `revokeToken` does. The refresh token of another
 * client stays, and the answer is the same.
 */
export const revokeRefreshToken =
  ({
    state,
    digests,
    findOpenSession,
    endClientSession,
    revokeToken,
  }: Readonly<{
    state: Pick<ProtocolState, 'find'>
    digests: Digests
    findOpenSession: FindOpenSession
    endClientSession: EndClientSession
    revokeToken: RevokeToken
  }>): RevokeToken =>
  (context, applicationId, token) =>
  async () => {
    const entry = await state.find('refresh_token', digests.sha256(token))()
    if (isLeft(entry)) return entry
    if (isNone(entry.right)) return revokeToken(context, applicationId, token)()
    const { sessionId } = entry.right.value
    if (isNone(sessionId)) return right(undefined)
    const facts = await findOpenSession(sessionId.value)()
    if (isLeft(facts)) return facts
    return isNone(facts.right) || facts.right.value.session.applicationId !== applicationId
      ? right(undefined)
      : endClientSession(context, facts.right.value)()
  }
