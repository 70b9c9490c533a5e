import { isNone, type Option, toUndefined } from 'fp-ts/lib/Option.js'
import { type Application, scopeText } from '../../domain/application.ts'
import type { OneTimeToken } from '../../domain/one-time-token.ts'
import type { Session } from '../../domain/session.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { RevokedToken } from '../../domain/token.ts'
import type { User } from '../../domain/user.ts'
import type { Row } from '../ports/store.ts'
import type {
  ExpectedApplication,
  ExpectedKey,
  ExpectedOneTimeToken,
  ExpectedRevokedToken,
  ExpectedRows,
  ExpectedSession,
} from './expected-rows.ts'

/** The names of the columns in which a row differs from the expected one; `the row` when none is expected. */
export const differingColumns = (row: Row, expected: ExpectedRows): ReadonlyArray<string> => {
  const agreement = compare(row, expected)
  return Object.keys(agreement).filter((column) => !agreement[column])
}

/** Per column: whether the row agrees. */
type Agreement = Readonly<Record<string, boolean>>

const UNEXPECTED: Agreement = { 'the row': false }

const compare = ({ table, row }: Row, expected: ExpectedRows): Agreement => {
  switch (table) {
    case 'applications':
      return compareApplication(row, expected.applications.get(row.id))
    case 'users':
      return compareUser(row, expected)
    case 'sessions': {
      const session = expected.sessions.get(row.id)
      const hasExpired = session === undefined && row.expiresAtSeconds <= expected.nowSeconds
      return hasExpired ? {} : compareSession(row, session)
    }
    case 'keys':
      return compareKey(row, expected.keys.get(row.kid))
    case 'revoked_tokens':
      return compareRevokedToken(row, expected.revoked_tokens.get(row.id))
    case 'one_time_tokens': {
      const token = expected.one_time_tokens.get(row.id)
      const hasExpired = token === undefined && row.expiresAtSeconds <= expected.nowSeconds
      return hasExpired ? {} : compareOneTimeToken(row, token)
    }
  }
}

const compareApplication = (
  application: Application,
  expected: ExpectedApplication | undefined,
): Agreement => {
  if (expected === undefined) return UNEXPECTED
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

const compareUser = (user: User, { users, sha256 }: ExpectedRows): Agreement => {
  const expected = users.get(user.id)
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
}

const compareSession = (session: Session, expected: ExpectedSession | undefined): Agreement => {
  if (expected === undefined) return UNEXPECTED
  return {
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
}

/** An instance of the former release, which runs beside this one during an update, does not write the column. */
const isUnknownOr = <A>(expected: A | undefined, stored: Option<A>): boolean =>
  isNone(stored) || stored.value === expected

const compareKey = (key: SigningKey, expected: ExpectedKey | undefined): Agreement => {
  if (expected === undefined) return UNEXPECTED
  return {
    purpose: key.purpose === expected.purpose,
    retired: key.retired === expected.retired,
    secret: (key.material === '') === expected.retired,
  }
}

const compareOneTimeToken = (token: OneTimeToken, expected: ExpectedOneTimeToken | undefined): Agreement => {
  if (expected === undefined) return UNEXPECTED
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
}

/** An earlier expiry would let housekeeping delete the revocation of a token that is still accepted. */
const compareRevokedToken = (token: RevokedToken, expected: ExpectedRevokedToken | undefined): Agreement => {
  if (expected === undefined) return UNEXPECTED
  return {
    application_id: token.applicationId === expected.applicationId,
    expires_at:
      expected.expiresAtSeconds === undefined || token.expiresAtSeconds === expected.expiresAtSeconds,
    version: token.version === 1,
  }
}
