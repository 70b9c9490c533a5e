import { event } from './event-row.ts'

/** What an operator decides about an application. */
const APPLICATION_VALUES = {
  name: 'text',
  scope: 'text',
  user_token_ttl: 'lifetime',
  idle_ttl: 'lifetime',
  session_ttl: 'lifetime',
  remember_ttl: 'lifetime',
  required_assurance: 'assurance',
  require_verified_email: 'flag',
} as const

/** The events of applications and their tokens. */
export const APPLICATION_EVENTS = {
  ApplicationRegistered: event(
    'application',
    { ...APPLICATION_VALUES, key_id: 'text' },
    'lasting',
    ({ name }) => `application ${name} created`,
  ),
  ApplicationChanged: event(
    'application',
    APPLICATION_VALUES,
    'lasting',
    ({ name }) => `application ${name} changed`,
  ),
  PasskeyOriginsSet: event('application', { origins: 'texts' }, 'lasting', 'passkey origins set'),
  ReturnUrlsSet: event('application', { urls: 'texts' }, 'lasting', 'return URLs set'),
  RedirectUrisSet: event(
    'application',
    { redirect_uris: 'texts', logout_uris: 'texts', client: 'kind of client', pkce: 'use of PKCE' },
    'lasting',
    'redirect URIs set',
  ),
  ApplicationKeyRotated: event(
    'application',
    { key_id: 'text', previous_key_id: 'text', previous_until: 'time' },
    'lasting',
    'API key rotated',
  ),
  ApplicationRevoked: event('application', {}, 'lasting', 'application revoked'),
  ApplicationTokenIssued: event(
    'application',
    { token_id: 'text', key_id: 'text', expires_at: 'time' },
    'until expiry',
    'application token issued',
  ),
  ApplicationTokenRevoked: event('application', { token_id: 'text' }, 'lasting', 'application token revoked'),
}
