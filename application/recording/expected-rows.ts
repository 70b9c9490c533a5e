import { type LogEntry, perTable, type Table } from '../ports/store.ts'
import type { Expected, LedgerWorld } from './tables.ts'

/**
 * The rows that follow from the log, as far as the log tells them, by the name that the log calls them. A session or one-time token that
 * has expired is left out: its row may be gone.
 */
export type ExpectedTables = { readonly [T in Table]: Map<string, Expected[T]> }

export type ExpectedRows = ExpectedTables &
  LedgerWorld &
  Readonly<{
    /** The expiry of each issued application token that has not expired, by its id. */
    issuedTokens: Map<string, number>
  }>

/** The expected rows before the first entry. */
export const noExpectedRows = (world: LedgerWorld): ExpectedRows => ({
  ...(perTable(() => new Map()) as ExpectedTables),
  ...world,
  issuedTokens: new Map(),
})

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
export const raisePasswordVersion = (user: Expected['users'], logged: number): string | undefined => {
  user.passwordVersion += 1
  return logged === user.passwordVersion
    ? undefined
    : `password_version is ${logged}, expected ${user.passwordVersion}`
}

/** Keeps one session alive while all others of its user end. It is not there when it has expired since. */
export const keepSession = (
  sessions: ReadonlyMap<string, Expected['sessions']>,
  sessionId: string,
  { passwordVersion }: Expected['users'],
): void => {
  const session = sessions.get(sessionId)
  if (session === undefined) return
  session.version += 1
  session.passwordVersion = { exactly: passwordVersion }
}

/** Marks a one-time token as used. It is not there when it has expired since. */
export const spendToken = (
  tokens: ReadonlyMap<string, Expected['one_time_tokens']>,
  tokenId: string,
): void => {
  const token = tokens.get(tokenId)
  if (token === undefined) return
  token.used = true
  token.version += 1
}
