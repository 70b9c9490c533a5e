import type { FactorKind } from '../../domain/factor.ts'
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
    /** The ids of the factors that each user has had. */
    factorIds: Map<string, Set<string>>
  }>

/** The expected rows before the first entry. */
export const noExpectedRows = (world: LedgerWorld): ExpectedRows => ({
  ...(perTable(() => new Map()) as ExpectedTables),
  ...world,
  issuedTokens: new Map(),
  factorIds: new Map(),
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

/** Ends all sessions and one-time tokens of the user. `logged` is the new password version that the entry names. */
export const raisePasswordVersion = (user: Expected['users'], logged: number): string | undefined => {
  user.passwordVersion += 1
  return logged === user.passwordVersion
    ? undefined
    : `password_version is ${logged}, expected ${user.passwordVersion}`
}

/** Ends all sessions of the user. `logged` is the new version that the entry names. */
export const raiseSessionsVersion = (user: Expected['users'], logged: number): string | undefined => {
  user.sessionsVersion += 1
  return logged === user.sessionsVersion
    ? undefined
    : `sessions_version is ${logged}, expected ${user.sessionsVersion}`
}

/** Writes a session that is alive, and so has the versions of its user. */
export const continueExpected = (
  session: Expected['sessions'],
  { passwordVersion, sessionsVersion }: Expected['users'],
): void => {
  Object.assign(session, { passwordVersion, sessionsVersion, hasExactVersions: true })
  session.version += 1
}

/** Ends all sessions of the user, and all that `allEndedVersion` ends. */
export const endAllExpected = (user: Expected['users'], logged: number): string | undefined => {
  const finding = raiseSessionsVersion(user, logged)
  user.allEndedVersion = user.sessionsVersion
  return finding
}

/** Keeps one session alive while all others of its user end. It is not there when it has expired since. */
export const keepSession = (
  sessions: ReadonlyMap<string, Expected['sessions']>,
  sessionId: string,
  user: Expected['users'],
): void => {
  const session = sessions.get(sessionId)
  if (session !== undefined) continueExpected(session, user)
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

type EnrolEntry = Readonly<{ subject: { id: string }; at: string; data: Readonly<{ factor_id: string }> }>

/** Adds a factor, or writes one again: new recovery codes replace the former ones, and a removed factor may return. */
export const enrolExpected = (
  { factors, factorIds }: ExpectedRows,
  { subject, at, data: { factor_id: id } }: EnrolEntry,
  factor: Readonly<{ kind: FactorKind; mark: number; counter: number }>,
): string | undefined => {
  const before = factors.get(id)
  const userId = subject.id
  factors.set(id, {
    kind: factor.kind,
    mark: factor.mark,
    counter: factor.counter,
    userId,
    createdAtSeconds: Math.floor(Date.parse(at) / 1000),
    usedAtSeconds: undefined,
    removed: false,
    isStored: false,
    version: (before?.version ?? 0) + 1,
  })
  factorIds.set(userId, (factorIds.get(userId) ?? new Set()).add(id))
  const mayReturn = before === undefined || before.removed || factor.kind === 'recovery_codes'
  return mayReturn ? undefined : `factor ${id} was already enrolled`
}

/** The factors of a user that are not removed, with their ids. */
export const factorsOf = (
  { factors, factorIds }: ExpectedRows,
  userId: string,
): ReadonlyArray<readonly [id: string, factor: Expected['factors']]> =>
  [...(factorIds.get(userId) ?? [])].flatMap((id) => {
    const factor = factors.get(id)
    return factor === undefined || factor.userId !== userId || factor.removed ? [] : [[id, factor] as const]
  })

/** Marks factors of a user as removed. Returns a finding about the first that the user does not have. */
export const removeExpected = (
  { factors }: ExpectedRows,
  userId: string,
  ids: ReadonlyArray<string>,
): string | undefined => {
  const unknown = ids.filter((id) => {
    const factor = factors.get(id)
    if (factor === undefined || factor.userId !== userId || factor.removed) return true
    factor.removed = true
    factor.version += 1
    return false
  })
  return unknown[0] === undefined ? undefined : unknownFactor(unknown[0])
}

export const unknownFactor = (id: string): string => `no earlier entry enrols factor ${id} of this user`
