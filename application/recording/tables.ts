import { isNone, map, toNullable, toUndefined } from 'fp-ts/lib/Option.js'
import { isAccountPages } from '../../domain/account-pages.ts'
import { scopeText } from '../../domain/application.ts'
import { amrOf } from '../../domain/assurance.ts'
import { isAttributesText } from '../../domain/attributes.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../../domain/clock-tolerance.ts'
import { originsText } from '../../domain/passkey-origins.ts'
import { pkceUse, urisText } from '../../domain/redirect-uris.ts'
import { returnUrlsText } from '../../domain/return-urls.ts'
import { rolesText } from '../../domain/roles.ts'
import { hasPassword } from '../../domain/user.ts'
import type { Table } from '../ports/store.ts'
import { type Expected, type TableRules, UNEXPECTED } from './table-rules.ts'

export type { Expected, LedgerWorld } from './table-rules.ts'

const A_DAY_SECONDS = 24 * 3600

/**
 * The rules of each table. A new table, or a new field of its record, does not compile without a decision.
 *
 * Another clock may be a day behind when a row is deleted: its instance still refuses a revoked token, and `doctor` there misses no
 * row. One-time tokens hold e-mails, so they stay no longer than two clocks may differ.
 */
export const TABLE_RULES: { readonly [T in Table]: TableRules<T> } = {
  applications: {
    fields: {
      id: 'kept',
      name: 'kept',
      scope: 'kept',
      keyId: 'kept',
      keyDigest: 'kept',
      previousKey: 'kept',
      lifetimes: 'kept',
      requiredAssurance: 'kept',
      requiresVerifiedEmail: 'kept',
      passkeyOrigins: 'kept',
      returnUrls: 'kept',
      redirectUris: 'kept',
      logoutUris: 'kept',
      clientKind: 'kept',
      requiresPkce: 'kept',
      revoked: 'kept',
      version: 'kept',
    },
    keptSeconds: undefined,
    compare: (application, expected) => {
      if (expected === undefined) return UNEXPECTED
      const previous = toUndefined(application.previousKey)
      return {
        name: application.name === expected.name,
        scope: scopeText(application.scope) === expected.scope,
        key_id: application.keyId === expected.keyId,
        previous_key_id: previous?.id === expected.previous?.id,
        previous_until:
          previous === undefined ||
          previous.untilSeconds * 1000 === Date.parse(expected.previous?.until ?? ''),
        user_token_ttl: toNullable(application.lifetimes.userTokenTtlSeconds) === expected.userTokenTtl,
        idle_ttl: toNullable(application.lifetimes.idleTtlSeconds) === expected.idleTtl,
        session_ttl: toNullable(application.lifetimes.sessionTtlSeconds) === expected.sessionTtl,
        remember_ttl: toNullable(application.lifetimes.rememberTtlSeconds) === expected.rememberTtl,
        required_assurance: application.requiredAssurance === expected.requiredAssurance,
        require_verified_email: application.requiresVerifiedEmail === expected.requiresVerifiedEmail,
        passkey_origins: originsText(application.passkeyOrigins) === originsText(expected.passkeyOrigins),
        return_urls: returnUrlsText(application.returnUrls) === returnUrlsText(expected.returnUrls),
        redirect_uris: urisText(application.redirectUris) === urisText(expected.redirectUris),
        logout_uris: urisText(application.logoutUris) === urisText(expected.logoutUris),
        client_kind: application.clientKind === expected.clientKind,
        requires_pkce: pkceUse(application) === expected.pkce,
        revoked: application.revoked === expected.revoked,
        version: application.version === expected.version,
      }
    },
  },
  users: {
    fields: {
      id: 'kept',
      email: 'personal',
      emailVerified: 'personal',
      emailVersion: 'kept',
      passwordRecord: 'personal',
      passwordScheme: 'personal',
      passwordVersion: 'kept',
      sessionsVersion: 'kept',
      allEndedVersion: 'kept',
      roles: 'personal',
      status: 'kept',
      attributes: 'personal',
      createdAtSeconds: 'personal',
      version: 'kept',
    },
    keptSeconds: undefined,
    compare: (user, expected, { sha256 }) => {
      if (expected === undefined) return UNEXPECTED
      return {
        password_version: user.passwordVersion === expected.passwordVersion,
        sessions_version: user.sessionsVersion === expected.sessionsVersion,
        all_ended_version: user.allEndedVersion === expected.allEndedVersion,
        roles: rolesText(user.roles) === rolesText(expected.roles),
        password_digest: sha256(user.passwordRecord) === expected.passwordDigest,
        password_scheme: hasPassword(user) || user.passwordScheme === '',
        email: expected.status !== 'removed' || user.email === user.id,
        email_verified: user.emailVerified === expected.emailVerified,
        email_version: user.emailVersion === expected.emailVersion,
        created_at: user.createdAtSeconds === expected.createdAtSeconds,
        status: user.status === expected.status,
        // The log has no values. A damaged text would count as none.
        attributes:
          expected.status === 'removed' ? user.attributes === '' : isAttributesText(user.attributes),
        version: user.version === expected.version,
      }
    },
  },
  sessions: {
    fields: {
      id: 'kept',
      userId: 'kept',
      passwordVersion: 'kept',
      sessionsVersion: 'kept',
      createdAtSeconds: 'kept',
      expiresAtSeconds: 'kept',
      endsAtSeconds: 'kept',
      renewedAtSeconds: 'kept',
      label: 'personal',
      passwordChangedAtSeconds: 'kept',
      applicationId: 'kept',
      remembered: 'kept',
      cookie: 'kept',
      browserId: 'kept',
      methods: 'kept',
      authenticatedAtSeconds: 'kept',
      signedOut: 'kept',
      version: 'kept',
    },
    keptSeconds: A_DAY_SECONDS,
    compare: (session, expected, { nowSeconds }) => {
      if (expected === undefined) return session.expiresAtSeconds <= nowSeconds ? {} : UNEXPECTED
      return {
        user_id: session.userId === expected.userId,
        created_at: session.createdAtSeconds === expected.createdAtSeconds,
        application_id: session.applicationId === expected.applicationId,
        expires_at: session.expiresAtSeconds === expected.expiresAtSeconds,
        ends_at: session.endsAtSeconds === expected.endsAtSeconds,
        renewed_at: toUndefined(session.renewedAtSeconds) === expected.renewedAtSeconds,
        password_changed_at:
          toUndefined(session.passwordChangedAtSeconds) === expected.passwordChangedAtSeconds,
        remembered: session.remembered === expected.remembered,
        // The log does not tell it. Only the pages have cookies.
        cookie: isNone(session.cookie) || isAccountPages(session.applicationId),
        browser_id: toUndefined(session.browserId) === expected.browserId,
        methods: String(amrOf(session.methods)) === String(expected.amr),
        authenticated_at: session.authenticatedAtSeconds <= expected.authenticatedAtMostSeconds,
        signed_out: session.signedOut === expected.signedOut,
        password_version: isTold(session.passwordVersion, expected.passwordVersion, expected),
        sessions_version: isTold(session.sessionsVersion, expected.sessionsVersion, expected),
        version: session.version === expected.version,
      }
    },
  },
  keys: {
    fields: {
      id: 'kept',
      kid: 'kept',
      purpose: 'kept',
      material: 'kept',
      createdAtSeconds: 'kept',
      signsFromSeconds: 'kept',
      retiresAtSeconds: 'kept',
      retired: 'kept',
      version: 'kept',
    },
    keptSeconds: undefined,
    nameInLog: ({ kid }) => kid,
    compare: (key, expected) => {
      if (expected === undefined) return UNEXPECTED
      return {
        purpose: key.purpose === expected.purpose,
        retired: key.retired === expected.retired,
        secret: (key.material === '') === expected.retired,
      }
    },
  },
  revoked_tokens: {
    fields: { id: 'kept', applicationId: 'kept', expiresAtSeconds: 'kept', version: 'kept' },
    keptSeconds: A_DAY_SECONDS,
    // An earlier expiry would let housekeeping delete the revocation of a token that is still accepted.
    compare: (token, expected) => {
      if (expected === undefined) return UNEXPECTED
      return {
        application_id: token.applicationId === expected.applicationId,
        expires_at:
          expected.expiresAtSeconds === undefined || token.expiresAtSeconds === expected.expiresAtSeconds,
        version: token.version === 1,
      }
    },
  },
  one_time_tokens: {
    fields: {
      id: 'kept',
      purpose: 'kept',
      digest: 'kept',
      userId: 'kept',
      applicationId: 'kept',
      passwordVersion: 'kept',
      sessionsVersion: 'kept',
      emailVersion: 'kept',
      email: 'personal',
      label: 'personal',
      remembered: 'kept',
      first: 'kept',
      expiresAtSeconds: 'kept',
      used: 'kept',
      version: 'kept',
    },
    keptSeconds: 2 * CLOCK_TOLERANCE_SECONDS,
    compare: (token, expected, { nowSeconds }) => {
      if (expected === undefined) return token.expiresAtSeconds <= nowSeconds ? {} : UNEXPECTED
      return {
        purpose: token.purpose === expected.purpose,
        user_id: token.userId === expected.userId,
        application_id: token.applicationId === expected.applicationId,
        // The e-mail may have changed between the decision and the start.
        email_version: token.emailVersion <= expected.emailVersionAtMost,
        // The same holds for what ends sessions.
        sessions_version: token.sessionsVersion <= expected.sessionsVersionAtMost,
        expires_at: token.expiresAtSeconds === expected.expiresAtSeconds,
        used: token.used === expected.used,
        email: (token.email === '') === (expected.used || expected.purpose === 'sign_in'),
        label: isNone(token.label) || (expected.purpose === 'sign_in' && !expected.used),
        remembered: !token.remembered || expected.purpose === 'sign_in',
        first: String(toUndefined(map(amrOf)(token.first))) === String(expected.amr),
        version: token.version === expected.version,
      }
    },
  },
  factors: {
    fields: {
      id: 'kept',
      userId: 'kept',
      kind: 'kept',
      name: 'personal',
      material: 'personal',
      mark: 'kept',
      answered: 'kept',
      counter: 'kept',
      flags: 'personal',
      createdAtSeconds: 'kept',
      usedAtSeconds: 'kept',
      removed: 'kept',
      version: 'kept',
    },
    keptSeconds: undefined,
    compare: (factor, expected) => {
      if (expected === undefined) return UNEXPECTED
      return {
        user_id: factor.userId === expected.userId,
        kind: factor.kind === expected.kind,
        mark: factor.mark === expected.mark,
        counter: factor.counter === expected.counter,
        created_at: factor.createdAtSeconds === expected.createdAtSeconds,
        used_at: toUndefined(factor.usedAtSeconds) === expected.usedAtSeconds,
        removed: factor.removed === expected.removed,
        name: !expected.removed || factor.name === '',
        material: (factor.material === '') === (expected.removed || isUsedUp(expected)),
        flags: !expected.removed || factor.flags === '',
        version: factor.version === expected.version,
      }
    },
  },
}

/** The version of a session is that of its user when the session was opened or last rewritten. */
function isTold(
  stored: number,
  told: number,
  { hasExactVersions }: Pick<Expected['sessions'], 'hasExactVersions'>,
): boolean {
  return hasExactVersions ? stored === told : stored <= told
}

/** All recovery codes are used. */
function isUsedUp({ kind, counter }: Expected['factors']): boolean {
  return kind === 'recovery_codes' && counter === 0
}
