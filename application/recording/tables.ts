import { isNone, type Option, toNullable, toUndefined } from 'fp-ts/lib/Option.js'
import { scopeText } from '../../domain/application.ts'
import { amrOf, methodsOf } from '../../domain/assurance.ts'
import type { OneTimeTokenPurpose } from '../../domain/one-time-token.ts'
import type { KeyPurpose } from '../../domain/signing-key.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../../domain/token.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { ExpiringTable, RowOf, Table } from '../ports/store.ts'

/** What the application decides about a table. */
export type TableRules<T extends Table> = Readonly<{
  /**
   * Which fields are personal: the removal of a user erases those of `users` (`removed` in domain/user.ts), and housekeeping deletes
   * those of expiring tables. Nothing would erase one of another table, so it does not compile.
   */
  fields: Readonly<Record<keyof RowOf<T>, T extends 'users' | ExpiringTable ? 'personal' | 'kept' : 'kept'>>
  /** How long an expired row stays. */
  keptSeconds: T extends ExpiringTable ? number : undefined
  /** The name by which the log calls the row, if it is not the id. */
  nameInLog?: (row: RowOf<T>) => string
  /** Compares a row with the expected one. Undefined: the log explains no such row. */
  compare: (row: RowOf<T>, expected: Expected[T] | undefined, world: LedgerWorld) => Agreement
}>

/** Per column: whether the row agrees with the log. */
export type Agreement = Readonly<Record<string, boolean>>

export type LedgerWorld = Readonly<{ nowSeconds: number; sha256: (text: string) => string }>

/** What the log tells of the rows of each table. */
export type Expected = {
  applications: {
    name: string
    scope: string
    keyId: string
    previous: Readonly<{ id: string; until: string }> | undefined
    /** Null is the lifetime of the service. */
    userTokenTtl: number | null
    sessionTtl: number | null
    revoked: boolean
    version: number
  }
  users: {
    passwordVersion: number
    passwordDigest: string
    status: UserStatus
    emailVerified: boolean
    emailVersion: number
    createdAtSeconds: number
    version: number
  }
  sessions: {
    userId: string
    createdAtSeconds: number
    expiresAtSeconds: number
    endsAtSeconds: number
    /** Undefined before the first renewal. */
    renewedAtSeconds: number | undefined
    amr: ReadonlyArray<string>
    /** The service reads the clock before it records the authentication. */
    authenticatedAtMostSeconds: number
    applicationId: string | undefined
    signedOut: boolean
    /** Exact once the session made a change; until then at most that of the user at the sign-in. */
    passwordVersion: Readonly<{ exactly: number } | { atMost: number }>
    version: number
  }
  keys: {
    purpose: KeyPurpose
    retired: boolean
    /** Not in the log: a new key rewrites the rows of the keys before it. */
    version: undefined
  }
  revoked_tokens: {
    applicationId: string
    /** Undefined for a token that has expired, or that no entry issues. */
    expiresAtSeconds: number | undefined
  }
  one_time_tokens: {
    purpose: OneTimeTokenPurpose
    userId: string
    applicationId: string | undefined
    /** That of the user at the start. */
    emailVersionAtMost: number
    expiresAtSeconds: number
    used: boolean
    version: number
  }
}

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
        session_ttl: toNullable(application.lifetimes.sessionTtlSeconds) === expected.sessionTtl,
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
      status: 'kept',
      createdAtSeconds: 'personal',
      version: 'kept',
    },
    keptSeconds: undefined,
    compare: (user, expected, { sha256 }) => {
      if (expected === undefined) return UNEXPECTED
      return {
        password_version: user.passwordVersion === expected.passwordVersion,
        password_digest: sha256(user.passwordRecord) === expected.passwordDigest,
        email: expected.status !== 'removed' || user.email === user.id,
        email_verified: user.emailVerified === expected.emailVerified,
        // An instance of the former release, which runs beside this one during an update, does not count its changes.
        email_version: user.emailVersion <= expected.emailVersion,
        created_at: isUnknownOr(expected.createdAtSeconds, user.createdAtSeconds),
        status: user.status === expected.status,
        version: user.version === expected.version,
      }
    },
  },
  sessions: {
    fields: {
      id: 'kept',
      userId: 'kept',
      passwordVersion: 'kept',
      createdAtSeconds: 'kept',
      expiresAtSeconds: 'kept',
      endsAtSeconds: 'kept',
      renewedAtSeconds: 'kept',
      label: 'personal',
      applicationId: 'kept',
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
        created_at: isUnknownOr(expected.createdAtSeconds, session.createdAtSeconds),
        application_id: isUnknownOr(expected.applicationId, session.applicationId),
        expires_at: session.expiresAtSeconds === expected.expiresAtSeconds,
        ends_at: isUnknownOr(expected.endsAtSeconds, session.endsAtSeconds),
        renewed_at: toUndefined(session.renewedAtSeconds) === expected.renewedAtSeconds,
        methods: String(amrOf(methodsOf(session))) === String(expected.amr),
        authenticated_at:
          isNone(session.authenticatedAtSeconds) ||
          session.authenticatedAtSeconds.value <= expected.authenticatedAtMostSeconds,
        signed_out: session.signedOut === expected.signedOut,
        password_version:
          'exactly' in expected.passwordVersion
            ? session.passwordVersion === expected.passwordVersion.exactly
            : session.passwordVersion <= expected.passwordVersion.atMost,
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
      emailVersion: 'kept',
      emailOnRecord: 'personal',
      email: 'personal',
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
        // The e-mail may have changed between the decision and the start. A token of the former release has none.
        email_version: isNone(token.emailVersion) || token.emailVersion.value <= expected.emailVersionAtMost,
        expires_at: token.expiresAtSeconds === expected.expiresAtSeconds,
        used: token.used === expected.used,
        email: (token.email === '') === expected.used,
        version: token.version === expected.version,
      }
    },
  },
}

const UNEXPECTED: Agreement = { 'the row': false }

/** An instance of the former release, which runs beside this one during an update, does not write the column. */
function isUnknownOr<A>(expected: A | undefined, stored: Option<A>): boolean {
  return isNone(stored) || stored.value === expected
}
