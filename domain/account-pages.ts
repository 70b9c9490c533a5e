import { none } from 'fp-ts/lib/Option.js'
import { APPLICATION_DEFAULTS, type Application, DEFAULT_SCOPE } from './application.ts'
import { NO_CLIENT } from './redirect-uris.ts'

/**
 * The application that the sessions of the pages for people belong to (docs/account-pages.md). The service makes it. It has no key, so no
 * token can be issued for it.
 */
export type AccountPages = Omit<Application, 'version'>

/** A UUID of version 8 (RFC 9562 §5.8). All other ids are of version 7, so none begins like this. */
const PREFIX = '70616765-7300-8000-8000-'

/**
 * The id follows from a number, so that instances which start together make one application. After a revocation, the next number makes the
 * next one.
 *
 * @param generation from 1
 */
export const accountPagesId = (generation: number): string =>
  `${PREFIX}${generation.toString(16).padStart(12, '0')}`

/** Whether the service itself makes the application with this id. */
export const isAccountPages = (applicationId: string): boolean => applicationId.startsWith(PREFIX)

/** Returns the new application of a generation. */
export const newAccountPages = (generation: number): AccountPages => ({
  ...APPLICATION_DEFAULTS,
  id: accountPagesId(generation),
  name: 'Account pages',
  scope: DEFAULT_SCOPE,
  keyId: accountPagesId(generation),
  keyDigest: NO_KEY,
  previousKey: none,
  passkeyOrigins: [],
  returnUrls: [],
  ...NO_CLIENT,
  revoked: false,
})

/** Has the length of a SHA-256 in hexadecimal, and is the digest of no key. */
const NO_KEY = '-'.repeat(64)
