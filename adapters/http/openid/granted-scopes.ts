import { pipe } from 'fp-ts/lib/function.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ProtocolState } from '../../../application/ports/protocol-state.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'

/** Returns the scopes that a client got with a session: none without an authorization. */
export type FindGrantedScopes = (sessionId: string) => TE.TaskEither<StoreUnavailable, ReadonlyArray<string>>

/** The library has written them into the grant, whose id is that of the session. */
export const findGrantedScopes =
  (state: ProtocolState): FindGrantedScopes =>
  (sessionId) =>
    pipe(
      state.find('grant', sessionId),
      TE.map((entry) => (isSome(entry) ? scopesIn(JSON.parse(entry.value.content)) : [])),
    )

const scopesIn = ({ openid }: Readonly<{ openid?: Readonly<{ scope?: string }> }>): ReadonlyArray<string> =>
  openid?.scope?.split(' ') ?? []
