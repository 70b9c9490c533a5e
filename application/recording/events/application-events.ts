import { toNullable } from 'fp-ts/lib/Option.js'
import { type Application, scopeText, withKey } from '../../../domain/application.ts'
import { NO_CLIENT, type OpenIdClient, pkceUse } from '../../../domain/redirect-uris.ts'
import { rfc3339OfSeconds } from '../../../domain/rfc3339.ts'
import type { RevokedToken } from '../../../domain/token.ts'
import { createExpected, updateExpected } from '../expected-rows.ts'
import { inserted, type Unwritten, updated } from '../row-versions.ts'
import { defineEvent, logged, theApplication } from './definition.ts'

export const APPLICATION_EVENTS = {
  ApplicationRegistered: defineEvent<'ApplicationRegistered', { application: Unwritten<Application> }>({
    version: 1,
    event: ({ application }) =>
      logged(theApplication(application.id), { ...valuesOf(application), key_id: application.keyId }),
    rows: ({ application }) => [{ table: 'applications', row: inserted(application) }],
    expect: ({ subject, ...entry }, { applications }) =>
      createExpected(applications, subject, {
        name: entry.data.name,
        scope: entry.data.scope,
        keyId: entry.data.key_id,
        previous: undefined,
        userTokenTtl: entry.data.user_token_ttl,
        idleTtl: entry.data.idle_ttl,
        sessionTtl: entry.data.session_ttl,
        rememberTtl: entry.data.remember_ttl,
        requiredAssurance: entry.data.required_assurance,
        requiresVerifiedEmail: entry.data.require_verified_email,
        passkeyOrigins: [],
        returnUrls: [],
        redirectUris: NO_CLIENT.redirectUris,
        logoutUris: NO_CLIENT.logoutUris,
        clientKind: NO_CLIENT.clientKind,
        pkce: pkceUse(NO_CLIENT),
        revoked: false,
        isStored: false,
        version: 1,
      }),
  }),

  /** `application` has the new values. */
  ApplicationChanged: defineEvent<'ApplicationChanged', { application: Application }>({
    version: 1,
    event: ({ application }) => logged(theApplication(application.id), valuesOf(application)),
    rows: ({ application }) => [{ table: 'applications', row: updated(application) }],
    expect: (entry, { applications }) =>
      updateExpected(applications, entry, (application) => {
        application.name = entry.data.name
        application.scope = entry.data.scope
        application.userTokenTtl = entry.data.user_token_ttl
        application.idleTtl = entry.data.idle_ttl
        application.sessionTtl = entry.data.session_ttl
        application.rememberTtl = entry.data.remember_ttl
        application.requiredAssurance = entry.data.required_assurance
        application.requiresVerifiedEmail = entry.data.require_verified_email
        return undefined
      }),
  }),

  /** `origins` replace those of `application`. */
  PasskeyOriginsSet: defineEvent<
    'PasskeyOriginsSet',
    { application: Application; origins: ReadonlyArray<string> }
  >({
    version: 1,
    event: ({ application, origins }) => logged(theApplication(application.id), { origins }),
    rows: ({ application, origins }) => [
      { table: 'applications', row: updated({ ...application, passkeyOrigins: origins }) },
    ],
    expect: (entry, { applications }) =>
      updateExpected(applications, entry, (application) => {
        application.passkeyOrigins = entry.data.origins
        return undefined
      }),
  }),

  /** `urls` replace those of `application`. */
  ReturnUrlsSet: defineEvent<'ReturnUrlsSet', { application: Application; urls: ReadonlyArray<string> }>({
    version: 1,
    event: ({ application, urls }) => logged(theApplication(application.id), { urls }),
    rows: ({ application, urls }) => [
      { table: 'applications', row: updated({ ...application, returnUrls: urls }) },
    ],
    expect: (entry, { applications }) =>
      updateExpected(applications, entry, (application) => {
        application.returnUrls = entry.data.urls
        return undefined
      }),
  }),

  /** `client` replaces what `application` was at the OpenID provider. */
  RedirectUrisSet: defineEvent<'RedirectUrisSet', { application: Application; client: OpenIdClient }>({
    version: 1,
    event: ({ application, client }) =>
      logged(theApplication(application.id), {
        redirect_uris: client.redirectUris,
        logout_uris: client.logoutUris,
        client: client.clientKind,
        pkce: pkceUse(client),
      }),
    rows: ({ application, client }) => [
      { table: 'applications', row: updated({ ...application, ...client }) },
    ],
    expect: (entry, { applications }) =>
      updateExpected(applications, entry, (application) => {
        application.redirectUris = entry.data.redirect_uris
        application.logoutUris = entry.data.logout_uris
        application.clientKind = entry.data.client
        application.pkce = entry.data.pkce
        return undefined
      }),
  }),

  /** `key` replaces the key of `application`, which stays valid until `previousUntilSeconds`. */
  ApplicationKeyRotated: defineEvent<
    'ApplicationKeyRotated',
    { application: Application; key: Readonly<{ id: string; digest: string }>; previousUntilSeconds: number }
  >({
    version: 1,
    event: ({ application, key, previousUntilSeconds }) =>
      logged(theApplication(application.id), {
        key_id: key.id,
        previous_key_id: application.keyId,
        previous_until: rfc3339OfSeconds(previousUntilSeconds),
      }),
    rows: ({ application, key, previousUntilSeconds }, { atMilliseconds }) => [
      {
        table: 'applications',
        row: updated(withKey(application, key, { previousUntilSeconds, nowSeconds: atMilliseconds / 1000 })),
      },
    ],
    expect: (entry, { applications }) =>
      updateExpected(applications, entry, (application) => {
        const { key_id, previous_key_id, previous_until } = entry.data
        const isKnown = application.keyId === previous_key_id
        application.previous =
          Date.parse(entry.at) < Date.parse(previous_until)
            ? { id: previous_key_id, until: previous_until }
            : undefined
        application.keyId = key_id
        return isKnown ? undefined : 'previous_key_id is not the current key'
      }),
  }),

  ApplicationRevoked: defineEvent<'ApplicationRevoked', { application: Application }>({
    version: 1,
    event: ({ application }) => logged(theApplication(application.id), {}),
    rows: ({ application }) => [{ table: 'applications', row: updated({ ...application, revoked: true }) }],
    expect: (entry, { applications }) =>
      updateExpected(applications, entry, (application) => {
        application.revoked = true
      }),
  }),

  ApplicationTokenIssued: defineEvent<
    'ApplicationTokenIssued',
    { applicationId: string; keyId: string; tokenId: string; expiresAtSeconds: number }
  >({
    version: 1,
    event: ({ applicationId, keyId, tokenId, expiresAtSeconds }) =>
      logged(theApplication(applicationId), {
        token_id: tokenId,
        key_id: keyId,
        expires_at: rfc3339OfSeconds(expiresAtSeconds),
      }),
    rows: () => [],
    /** A revocation of the token does not repeat its expiry. */
    expect: ({ data }, { issuedTokens, nowSeconds }) => {
      const expiresAtSeconds = Date.parse(data.expires_at) / 1000
      if (expiresAtSeconds > nowSeconds) issuedTokens.set(data.token_id, expiresAtSeconds)
      return undefined
    },
  }),

  ApplicationTokenRevoked: defineEvent<'ApplicationTokenRevoked', { token: Unwritten<RevokedToken> }>({
    version: 1,
    event: ({ token }) => logged(theApplication(token.applicationId), { token_id: token.id }),
    rows: ({ token }) => [{ table: 'revoked_tokens', row: inserted(token) }],
    expect: ({ subject, data: { token_id: tokenId } }, { issuedTokens, revoked_tokens: revokedTokens }) => {
      const isKnown = revokedTokens.has(tokenId)
      revokedTokens.set(tokenId, {
        applicationId: subject.id,
        expiresAtSeconds: issuedTokens.get(tokenId),
        isStored: false,
      })
      return isKnown ? `token ${tokenId} was already revoked` : undefined
    },
  }),
}

const valuesOf = ({
  name,
  scope,
  lifetimes,
  requiredAssurance,
  requiresVerifiedEmail,
}: Unwritten<Application>) => ({
  name,
  scope: scopeText(scope),
  user_token_ttl: toNullable(lifetimes.userTokenTtlSeconds),
  idle_ttl: toNullable(lifetimes.idleTtlSeconds),
  session_ttl: toNullable(lifetimes.sessionTtlSeconds),
  remember_ttl: toNullable(lifetimes.rememberTtlSeconds),
  required_assurance: requiredAssurance,
  require_verified_email: requiresVerifiedEmail,
})
