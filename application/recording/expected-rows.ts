import type { OneTimeTokenPurpose } from '../../domain/one-time-token.ts'
import type { KeyPurpose } from '../../domain/signing-key.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { LogEntry, Table } from '../ports/store.ts'

/** The rows that follow from the log, as far as the log tells them; by id, and signing keys by `kid`. */
export type ExpectedRows = Readonly<{
  applications: Map<string, ExpectedApplication>
  users: Map<string, ExpectedUser>
  /** Without those that have expired: their rows may be gone. */
  sessions: Map<string, ExpectedSession>
  keys: Map<string, ExpectedKey>
  /** The expiry of each issued application token that has not expired, by its id. */
  issuedTokens: Map<string, number>
  revoked_tokens: Map<string, ExpectedRevokedToken>
  /** Without those that have expired: their rows may be gone. */
  one_time_tokens: Map<string, ExpectedOneTimeToken>
  nowSeconds: number
  sha256: (text: string) => string
}>

export type ExpectedApplication = {
  name: string
  scope: string
  keyId: string
  previous: Readonly<{ id: string; until: string }> | undefined
  revoked: boolean
  version: number
}
export type ExpectedUser = {
  passwordVersion: number
  passwordDigest: string
  status: UserStatus
  emailVerified: boolean
  emailVersion: number
  createdAtSeconds: number
  version: number
}
export type ExpectedSession = {
  userId: string
  createdAtSeconds: number
  expiresAtSeconds: number
  applicationId: string | undefined
  signedOut: boolean
  /** Exact once the session made a change; until then at most that of the user at the sign-in. */
  passwordVersion: Readonly<{ exactly: number } | { atMost: number }>
  version: number
}
export type ExpectedKey = {
  purpose: KeyPurpose
  retired: boolean
  /** Not in the log: a new key rewrites the rows of the keys before it. */
  version: undefined
}
export type ExpectedOneTimeToken = {
  purpose: OneTimeTokenPurpose
  userId: string
  applicationId: string | undefined
  /** That of the user at the start. */
  emailVersionAtMost: number
  expiresAtSeconds: number
  used: boolean
  version: number
}
export type ExpectedRevokedToken = {
  applicationId: string
  /** Undefined for a token that has expired, or that no entry issues. */
  expiresAtSeconds: number | undefined
}

export type ExpectedRow =
  | ExpectedApplication
  | ExpectedUser
  | ExpectedSession
  | ExpectedKey
  | ExpectedRevokedToken
  | ExpectedOneTimeToken

/** The expected rows before the first entry. */
export const noExpectedRows = (sha256: (text: string) => string, nowSeconds: number): ExpectedRows =>
  ({
    applications: new Map(),
    users: new Map(),
    sessions: new Map(),
    keys: new Map(),
    issuedTokens: new Map(),
    revoked_tokens: new Map(),
    one_time_tokens: new Map(),
    nowSeconds,
    sha256,
  }) satisfies Record<Table, unknown> & Record<string, unknown>

/** Updates the row that the entry is about, and counts its version up. Returns the finding of `update`, or that there is no such row. */
export const updateExpected = <T extends { version: number | undefined }>(
  rows: ReadonlyMap<string, T>,
  entry: LogEntry,
  update: (row: T) => string | undefined,
): string | undefined => {
  const row = rows.get(entry.subject.id)
  if (row === undefined) return unknownSubject(entry)
  if (row.version !== undefined) row.version += 1
  return update(row)
}

/** Adds the row that an entry creates. Returns a finding if an earlier entry created it. */
export const createExpected = <T>(
  rows: Map<string, T>,
  { kind, id }: Readonly<{ kind: string; id: string }>,
  row: T,
): string | undefined => {
  const before = rows.size
  rows.set(id, row)
  return rows.size === before ? `${kind} ${id} was already created` : undefined
}

export const unknownSubject = ({ subject }: LogEntry): string =>
  `no earlier entry creates ${subject.kind} ${subject.id}`

/** Ends all sessions of the user. `logged` is the new password version that the entry names. */
export const raisePasswordVersion = (user: ExpectedUser, logged: number): string | undefined => {
  user.passwordVersion += 1
  return logged === user.passwordVersion
    ? undefined
    : `password_version is ${logged}, expected ${user.passwordVersion}`
}

/** Keeps one session alive while all others of its user end. It is not there when it has expired since. */
export const keepSession = (
  sessions: ReadonlyMap<string, ExpectedSession>,
  sessionId: string,
  { passwordVersion }: ExpectedUser,
): void => {
  const session = sessions.get(sessionId)
  if (session === undefined) return
  session.version += 1
  session.passwordVersion = { exactly: passwordVersion }
}

/** Marks a one-time token as used. It is not there when it has expired since. */
export const spendToken = (tokens: ReadonlyMap<string, ExpectedOneTimeToken>, tokenId: string): void => {
  const token = tokens.get(tokenId)
  if (token === undefined) return
  token.used = true
  token.version += 1
}
