/** The settings that a service needs for some routes, and the paths of these routes below the prefix. */
const PATHS: Readonly<Record<string, ReadonlyArray<string>>> = {
  PASSKEY_RP_ID: [
    '/api/v1/auth/user/passkey',
    '/api/v1/auth/user/passkey/complete',
    '/api/v1/auth/user/second_factor/passkey',
    '/api/v1/profile/step_up/passkey',
  ],
  'PASSKEY_RP_ID and SECOND_FACTORS=on': [
    '/api/v1/profile/factors/passkey',
    '/api/v1/profile/factors/passkey/complete',
  ],
  'SECOND_FACTORS=on': ['/api/v1/profile/factors/totp', '/api/v1/profile/factors/totp/complete'],
  IDENTITY_PROVIDERS_FILE: [
    '/api/v1/auth/user/identity',
    '/api/v1/auth/user/identity/complete',
    '/api/v1/profile/identities',
    '/api/v1/profile/identities/complete',
    '/api/v1/profile/step_up/identity',
  ],
  'MAIL_URL and ACCOUNT_PAGES=on': ['/api/v1/users/recovery/mail', '/api/v1/profile/email'],
  'OPENID=on': [
    '/oauth2/par',
    '/oauth2/userinfo',
    '/.well-known/openid-configuration',
    '/.well-known/openid-jwks.json',
  ],
}

/**
 * Returns what a path without a route needs, for the message of its 404; undefined for an unknown path.
 *
 * @param prefix the path part of the public URL
 */
export const neededSettings = (prefix: string): ((path: string) => string | undefined) => {
  const all = new Map(
    Object.entries(PATHS).flatMap(([settings, paths]) =>
      paths.map((path) => [`${prefix}${path}`, settings] as const),
    ),
  )
  return (path) => all.get(path)
}
