import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { CurrentIdTokenKeys } from '../keys/id-token-keys.ts'
import { type SignUserToken, signUserToken } from '../keys/sign-user-token.ts'
import { type AuthorizeInBrowser, authorizeInBrowser } from '../openid/authorize-in-browser.ts'
import { type FindClient, findClient } from '../openid/clients.ts'
import { type ContinuedRequests, continuedRequests } from '../openid/continued-request.ts'
import { type FindOpenSession, findOpenSession } from '../openid/open-sessions.ts'
import { type RenewClientSession, renewClientSession } from '../openid/renew-client-session.ts'
import { revokeRefreshToken } from '../openid/revoke-refresh-token.ts'
import type { ProtocolState } from '../ports/protocol-state.ts'
import type { Sealing } from '../ports/sealing.ts'
import { type EndClientSession, endClientSession } from '../sessions/end-client-session.ts'
import type { OpenByBrowser } from '../sessions/open-by-browser.ts'
import type { RevokeToken } from '../sessions/revoke-token.ts'
import type { NeededByRequests } from './requests.ts'

/** What the OpenID provider needs: its clients, their sessions and tokens, and what it keeps between two requests. */
export type OpenIdUseCases = Readonly<{
  authorizeInBrowser: AuthorizeInBrowser
  continued: ContinuedRequests
  endClientSession: EndClientSession
  findClient: FindClient
  findOpenSession: FindOpenSession
  idTokenKeys: CurrentIdTokenKeys
  /** Seconds since the epoch. */
  now: () => number
  renewClientSession: RenewClientSession
  /** Revokes refresh tokens, too. */
  revokeToken: RevokeToken
  settings: LifetimeSettings
  signUserToken: SignUserToken
  state: ProtocolState
}>

/** Undefined if the service is no OpenID provider. */
export type HasOpenIdProvider = Readonly<{ openIdProvider: OpenIdUseCases | undefined }>

export const openIdUseCases = (
  needed: NeededByRequests &
    Readonly<{
      sealing: Sealing
      state: ProtocolState
      idTokenKeys: CurrentIdTokenKeys
      openByBrowser: OpenByBrowser
      revokeToken: RevokeToken
    }>,
): OpenIdUseCases => {
  const endSession = endClientSession(needed)
  const findSession = findOpenSession(needed)
  return {
    authorizeInBrowser: authorizeInBrowser(needed),
    continued: continuedRequests(needed),
    endClientSession: endSession,
    findClient: findClient(needed),
    findOpenSession: findSession,
    idTokenKeys: needed.idTokenKeys,
    now: () => needed.clock() / 1000,
    renewClientSession: renewClientSession(needed),
    revokeToken: revokeRefreshToken({
      ...needed,
      endClientSession: endSession,
      findOpenSession: findSession,
    }),
    settings: needed.settings,
    signUserToken: signUserToken(needed),
    state: needed.state,
  }
}
