import { right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { memoryProtocolState } from '../../adapters/stores/memory/protocol-state.ts'
import type { ProtocolState } from '../../application/ports/protocol-state.ts'

/** A protocol state in memory in which a client got each session with the scope `openid`. */
export const grantedSessions = (): ProtocolState => {
  const state = memoryProtocolState()
  return {
    ...state,
    find: (kind, id) =>
      kind === 'grant'
        ? async () =>
            right(
              some({
                kind,
                id,
                sessionId: some(id),
                content: '{"openid":{"scope":"openid"}}',
                consumedAtSeconds: none,
                expiresAtSeconds: Number.MAX_SAFE_INTEGER,
              }),
            )
        : state.find(kind, id),
  }
}

/** A redirect URI of a client. */
export const REDIRECT_URI = 'https://shop.example.com/callback'
