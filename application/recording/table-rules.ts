import type { AssuranceLevel } from '../../domain/assurance.ts'
import type { FactorKind } from '../../domain/factor.ts'
import type { OneTimeTokenPurpose } from '../../domain/one-time-token.ts'
import type { ClientKind, PkceUse } from '../../domain/redirect-uris.ts'
import type { Roles } from '../../domain/roles.ts'
import type { KeyPurpose } from '../../domain/signing-key.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { ExpiringTable, RowOf, Table } from '../ports/store.ts'

/** What the application decides about a table. */
export type TableRules<T extends Table> = Readonly<{
  /**
   * Which fields are personal: the removal of a user erases those of `users` (`removed` in domain/user.ts) and of `factors`
   * (`removedFactor` in domain/factor.ts), and housekeeping deletes those of expiring tables. Nothing would erase one of another table, so
   * it does not compile.
   */
  fields: Readonly<
    Record<keyof RowOf<T>, T extends 'users' | 'factors' | ExpiringTable ? 'personal' | 'kept' : 'kept'>
  >
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

/** What the log tells of the rows of each table. `isStored`: the store has the row. */
export type Expected = { [T in Table]: ToldByLog[T] & { isStored: boolean } }

type ToldByLog = {
  applications: {
    name: string
    scope: string
    keyId: string
    previous: Readonly<{ id: string; until: string }> | undefined
    /** Null is the lifetime of the service. */
    userTokenTtl: number | null
    idleTtl: number | null
    sessionTtl: number | null
    rememberTtl: number | null
    requiredAssurance: AssuranceLevel
    requiresVerifiedEmail: boolean
    passkeyOrigins: ReadonlyArray<string>
    returnUrls: ReadonlyArray<string>
    redirectUris: ReadonlyArray<string>
    logoutUris: ReadonlyArray<string>
    clientKind: ClientKind
    pkce: PkceUse
    revoked: boolean
    version: number
  }
  users: {
    passwordVersion: number
    sessionsVersion: number
    allEndedVersion: number
    passwordDigest: string
    status: UserStatus
    emailVerified: boolean
    emailVersion: number
    roles: Roles
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
    /** Undefined before the first change of the password. */
    passwordChangedAtSeconds: number | undefined
    amr: ReadonlyArray<string>
    /** The service reads the clock before it records the authentication. */
    authenticatedAtMostSeconds: number
    applicationId: string
    remembered: boolean
    /** Undefined without a browser. */
    browserId: string | undefined
    signedOut: boolean
    passwordVersion: number
    sessionsVersion: number
    /** Once the session made a change. Until then both are at most those of the user at the sign-in. */
    hasExactVersions: boolean
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
    /** Of a sign-in that an application vouches for. */
    amr: ReadonlyArray<string> | undefined
    applicationId: string | undefined
    /** That of the user at the start. */
    emailVersionAtMost: number
    sessionsVersionAtMost: number
    expiresAtSeconds: number
    used: boolean
    version: number
  }
  factors: {
    userId: string
    kind: FactorKind
    mark: number
    /** Of recovery codes, how many are left. */
    counter: number
    createdAtSeconds: number
    /** Undefined before the first use. */
    usedAtSeconds: number | undefined
    removed: boolean
    version: number
  }
}

/** No row is expected. */
export const UNEXPECTED: Agreement = { 'the row': false }
