import { isNone, type Option, toUndefined } from 'fp-ts/lib/Option.js'
import { type Application, scopeText } from '../../domain/application.ts'
import type { Session } from '../../domain/session.ts'
import type { KeyPurpose, SigningKey } from '../../domain/signing-key.ts'
import type { RevokedToken } from '../../domain/token.ts'
import type { User, UserStatus } from '../../domain/user.ts'
import type { LogEntry, Row } from '../ports/store.ts'

/**
 * What the rows must say, worked out from the log alone: the counterpart of `facts.ts`.
 *
 * `apply` takes the entries in order; after that, `differences` tells what a row says otherwise, and `missing` which rows
 * were never shown to it. Sessions that have expired are let be. Sentences hold no secret.
 */
export type Ledger = Readonly<{
  /** Takes the next entry, or says why it cannot be the next. */
  apply(entry: LogEntry): ReadonlyArray<string>
  differences(row: Row): ReadonlyArray<string>
  missing(): ReadonlyArray<string>
  /** Of the last entry; 0 before the first. */
  position(): number
}>

type ExpectedUser = { passwordVersion: number; passwordDigest: string; status: UserStatus; version: number }
type ExpectedSession = {
  userId: string
  createdAtSeconds: number
  expiresAtSeconds: number
  applicationId: string | undefined
  signedOut: boolean
  /** Exact once the session made a change; until then it cannot be above the user's at the sign-in. */
  passwordVersion: Readonly<{ exactly: number } | { atMost: number }>
  version: number
}
type ExpectedApplication = {
  name: string
  scope: string
  keyId: string
  previous: Readonly<{ id: string; until: string }> | undefined
  revoked: boolean
  version: number
}
type ExpectedKey = { purpose: KeyPurpose; retired: boolean }
type ExpectedRevokedToken = { applicationId: string }

export const ledger = (sha256: (text: string) => string, nowSeconds: number): Ledger => {
  const users = new Map<string, ExpectedUser>()
  const sessions = new Map<string, ExpectedSession>()
  const applications = new Map<string, ExpectedApplication>()
  const keys = new Map<string, ExpectedKey>()
  const revokedTokens = new Map<string, ExpectedRevokedToken>()
  const records = { users, sessions, applications, keys, revoked_tokens: revokedTokens } as const
  const shown = new Set<object>()
  let position = 0

  const change = <T extends { version?: number }>(
    known: ReadonlyMap<string, T>,
    id: string,
    entry: LogEntry,
    update: (record: T) => ReadonlyArray<string> | undefined,
  ): ReadonlyArray<string> => {
    const record = known.get(id)
    if (record === undefined) return [`${at(entry)}: nothing before it made ${entry.subject.kind} ${id}`]
    if (record.version !== undefined) record.version += 1
    return update(record) ?? []
  }

  const newVersion = (
    user: ExpectedUser,
    entry: LogEntry,
    data: Readonly<{ password_version: number }>,
  ): ReadonlyArray<string> => {
    user.passwordVersion += 1
    return data.password_version === user.passwordVersion
      ? []
      : [`${at(entry)}: password_version is ${data.password_version}, and ${user.passwordVersion} comes next`]
  }

  const newPassword = (
    user: ExpectedUser,
    entry: LogEntry,
    data: Readonly<{ password_version: number; password_digest: string }>,
  ): ReadonlyArray<string> => {
    user.passwordDigest = data.password_digest
    return newVersion(user, entry, data)
  }

  /** The session that lives on when all others of its user end; none when it has expired since. */
  const takeAlong = (sessionId: string, { passwordVersion }: ExpectedUser): void => {
    const session = sessions.get(sessionId)
    if (session === undefined) return
    session.version += 1
    session.passwordVersion = { exactly: passwordVersion }
  }

  const applyNext = (entry: LogEntry): ReadonlyArray<string> => {
    const { id } = entry.subject
    switch (entry.type) {
      case 'ApplicationRegistered': {
        const { name, scope, key_id: keyId } = entry.data
        applications.set(id, { name, scope, keyId, previous: undefined, revoked: false, version: 1 })
        return []
      }
      case 'ApplicationKeyRotated':
        return change(applications, id, entry, (application) => {
          const { key_id, previous_key_id, previous_until } = entry.data
          const isKnown = application.keyId === previous_key_id
          application.previous =
            Date.parse(entry.at) < Date.parse(previous_until)
              ? { id: previous_key_id, until: previous_until }
              : undefined
          application.keyId = key_id
          return isKnown ? [] : [`${at(entry)}: previous_key_id is not the key before`]
        })
      case 'ApplicationRevoked':
        return change(applications, id, entry, (application) => {
          application.revoked = true
        })
      case 'UserRegistered': {
        const { password_digest: passwordDigest } = entry.data
        users.set(id, { passwordVersion: 1, passwordDigest, status: 'enabled', version: 1 })
        return []
      }
      case 'UserEnabled':
        return change(users, id, entry, (user) => {
          user.status = 'enabled'
        })
      case 'UserDisabled':
        return change(users, id, entry, (user) => {
          user.status = 'disabled'
          user.passwordVersion += 1
        })
      case 'UserRemoved':
        return change(users, id, entry, (user) => {
          user.status = 'removed'
          user.passwordVersion += 1
          user.passwordDigest = sha256('')
        })
      case 'PasswordSet':
        return change(users, id, entry, (user) => newPassword(user, entry, entry.data))
      case 'PasswordRehashed':
        return change(users, id, entry, (user) => {
          user.passwordDigest = entry.data.password_digest
        })
      case 'PasswordChanged':
        return change(users, id, entry, (user) => {
          const wrong = newPassword(user, entry, entry.data)
          takeAlong(entry.data.session_id, user)
          return wrong
        })
      case 'OtherSessionsEnded':
        return change(users, id, entry, (user) => {
          const wrong = newVersion(user, entry, entry.data)
          takeAlong(entry.data.session_id, user)
          return wrong
        })
      case 'UserSignedIn': {
        const expiresAtSeconds = Date.parse(entry.data.expires_at) / 1000
        const user = users.get(id)
        if (user === undefined) return [`${at(entry)}: nothing before it made user ${id}`]
        if (expiresAtSeconds <= nowSeconds) return []
        sessions.set(entry.data.session_id, {
          userId: id,
          createdAtSeconds: Math.floor(Date.parse(entry.at) / 1000),
          expiresAtSeconds,
          applicationId: entry.actor.kind === 'application' ? entry.actor.id : undefined,
          signedOut: false,
          passwordVersion: { atMost: user.passwordVersion },
          version: 1,
        })
        return []
      }
      case 'UserSignedOut': {
        const session = sessions.get(entry.data.session_id)
        if (session === undefined) return []
        session.signedOut = true
        session.version += 1
        return []
      }
      case 'SigningKeyCreated':
        keys.set(id, { purpose: entry.data.purpose, retired: false })
        return []
      case 'SigningKeyRetired':
        return change(keys, id, entry, (key: ExpectedKey & { version?: number }) => {
          key.retired = true
        })
      case 'SigningKeyReencrypted':
        return change(keys, id, entry, ({ retired }: ExpectedKey & { version?: number }) =>
          retired ? [`${at(entry)}: the secret of key ${id} was erased before it`] : [],
        )
      case 'ApplicationTokenRevoked': {
        const { token_id: tokenId } = entry.data
        const isKnown = revokedTokens.has(tokenId)
        revokedTokens.set(tokenId, { applicationId: id })
        return isKnown ? [`${at(entry)}: token ${tokenId} was revoked before it`] : []
      }
      case 'LogRenewed':
        return entry.data.size === entry.position - 1
          ? []
          : [`${at(entry)}: size is ${entry.data.size}, and ${entry.position - 1} entries are before it`]
      case 'ApplicationTokenIssued':
      case 'ApplicationTokenRefused':
      case 'SignInRefused':
      case 'PasswordChangeRefused':
      case 'RefusalsSummarized':
        return []
      default:
        return unknownType(entry)
    }
  }

  const differencesIn = (row: Row): Differences => {
    switch (row.table) {
      case 'users':
        return inUser(users.get(row.row.id), row.row, sha256)
      case 'sessions':
        return sessions.has(row.row.id) || row.row.expiresAtSeconds > nowSeconds
          ? inSession(sessions.get(row.row.id), row.row)
          : {} // it has expired in the log as well
      case 'applications':
        return inApplication(applications.get(row.row.id), row.row)
      case 'keys':
        return inKey(keys.get(row.row.kid), row.row)
      case 'revoked_tokens':
        return inRevokedToken(revokedTokens.get(row.row.id), row.row)
    }
  }

  const expectedOf = ({ table, row }: Row): object | undefined =>
    records[table].get(table === 'keys' ? row.kid : row.id)

  return {
    apply: (entry) => {
      const gap =
        entry.position === position + 1 ? [] : [`the log has a gap before position ${entry.position}`]
      position = entry.position
      return [...gap, ...applyNext(entry)]
    },
    differences: (row) => {
      const expected = expectedOf(row)
      if (expected !== undefined) shown.add(expected)
      const { version, id } = row.row
      return Object.entries(differencesIn(row))
        .filter(([, agrees]) => !agrees)
        .map(([what]) => `${row.table} ${id} (version ${version}): ${what} is not what the log says`)
    },
    missing: () =>
      Object.entries<ReadonlyMap<string, object>>(records).flatMap(([table, expected]) =>
        [...expected]
          .filter(([, record]) => !shown.has(record))
          .map(([id]) => `${table} ${id}: the log says that it is there, and it is not`),
      ),
    position: () => position,
  }
}

const at = ({ position, type }: LogEntry): string => `the log at position ${position} (${type})`

/** Compiles as long as every type of event has been told apart; a log that somebody else keeps may hold others. */
const unknownType = (entry: never): ReadonlyArray<string> => [`${at(entry)}: no such type of event is known`]

/** What was compared, and whether it agrees. */
type Differences = Readonly<Record<string, boolean>>

const UNKNOWN: Differences = { 'the row': false }

const inUser = (
  expected: ExpectedUser | undefined,
  user: User,
  sha256: (text: string) => string,
): Differences =>
  expected === undefined
    ? UNKNOWN
    : {
        password_version: user.passwordVersion === expected.passwordVersion,
        password_digest: sha256(user.passwordRecord) === expected.passwordDigest,
        email: expected.status !== 'removed' || user.email === user.id,
        status: user.status === expected.status,
        version: user.version === expected.version,
      }

const inSession = (expected: ExpectedSession | undefined, session: Session): Differences =>
  expected === undefined
    ? UNKNOWN
    : {
        user_id: session.userId === expected.userId,
        created_at: isUnknownOr(expected.createdAtSeconds, session.createdAtSeconds),
        application_id: isUnknownOr(expected.applicationId, session.applicationId),
        expires_at: session.expiresAtSeconds === expected.expiresAtSeconds,
        signed_out: session.signedOut === expected.signedOut,
        password_version:
          'exactly' in expected.passwordVersion
            ? session.passwordVersion === expected.passwordVersion.exactly
            : session.passwordVersion <= expected.passwordVersion.atMost,
        version: session.version === expected.version,
      }

/** An instance of the version before, which works on beside this one while it is being replaced, does not write it. */
const isUnknownOr = <A>(expected: A | undefined, stored: Option<A>): boolean =>
  isNone(stored) || stored.value === expected

const inApplication = (expected: ExpectedApplication | undefined, application: Application): Differences => {
  if (expected === undefined) return UNKNOWN
  const previous = toUndefined(application.previousKey)
  return {
    name: application.name === expected.name,
    scope: scopeText(application.scope) === expected.scope,
    key_id: application.keyId === expected.keyId,
    previous_key_id: previous?.id === expected.previous?.id,
    previous_until:
      previous === undefined || previous.untilSeconds * 1000 === Date.parse(expected.previous?.until ?? ''),
    revoked: application.revoked === expected.revoked,
    version: application.version === expected.version,
  }
}

const inKey = (expected: ExpectedKey | undefined, key: SigningKey): Differences =>
  expected === undefined
    ? UNKNOWN
    : {
        purpose: key.purpose === expected.purpose,
        retired: key.retired === expected.retired,
        secret: (key.material === '') === expected.retired,
      }

/** When the token would have expired the log says where it was issued. Nothing depends on it. */
const inRevokedToken = (expected: ExpectedRevokedToken | undefined, token: RevokedToken): Differences =>
  expected === undefined
    ? UNKNOWN
    : { application_id: token.applicationId === expected.applicationId, version: token.version === 1 }
