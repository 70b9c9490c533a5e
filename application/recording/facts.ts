import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { map } from 'fp-ts/lib/NonEmptyArray.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { type Application, scopeText, withKey } from '../../domain/application.ts'
import {
  type Actor,
  type ApplicationTokenRefusal,
  type Event,
  logRenewed,
  type RefusalType,
  SERVICE,
  type SignInRefusal,
} from '../../domain/event.ts'
import { highest, type RefusalTally } from '../../domain/refusal-tally.ts'
import type { Session } from '../../domain/session.ts'
import { retired, type SigningKey } from '../../domain/signing-key.ts'
import type { RevokedToken } from '../../domain/token.ts'
import {
  disabled,
  enabled,
  type HashedPassword,
  rehashed,
  removed,
  type User,
  withoutSessions,
  withPassword,
} from '../../domain/user.ts'
import type { Change, EndedEpoch, NewEntry, Row } from '../ports/store.ts'

/**
 * Something that happened: what the event says, and beside it what the log must not hold. Records are as they
 * were read, or new; what becomes of them is said below.
 */
export type Fact =
  | Readonly<{ _tag: 'ApplicationRegistered'; application: Unwritten<Application> }>
  | Readonly<{
      _tag: 'ApplicationKeyRotated'
      application: Application
      key: Readonly<{ id: string; digest: string }>
      previousUntilSeconds: number
    }>
  | Readonly<{ _tag: 'ApplicationRevoked'; application: Application }>
  | Readonly<{
      _tag: 'ApplicationTokenIssued'
      applicationId: string
      keyId: string
      tokenId: string
      expiresAtSeconds: number
    }>
  | Readonly<{ _tag: 'ApplicationTokenRevoked'; token: Unwritten<RevokedToken> }>
  | Readonly<{ _tag: 'UserRegistered'; user: Unwritten<User> }>
  | Readonly<{ _tag: 'UserSignedIn'; session: NewSession }>
  | Readonly<{ _tag: 'UserSignedOut'; session: Session }>
  /** `session` is the one that lives on. */
  | Readonly<{ _tag: 'OtherSessionsEnded'; user: User; session: Session }>
  | Readonly<{ _tag: 'PasswordChanged'; user: User; session: Session; password: HashedPassword }>
  | Readonly<{ _tag: 'UserDisabled' | 'UserEnabled' | 'UserRemoved'; user: User }>
  | Readonly<{ _tag: 'PasswordSet' | 'PasswordRehashed'; user: User; password: HashedPassword }>
  /** `superseded` are the keys before it, as they are to be from now on. */
  | Readonly<{
      _tag: 'SigningKeyCreated'
      key: Unwritten<SigningKey>
      superseded: ReadonlyArray<SigningKey>
    }>
  | Readonly<{ _tag: 'SigningKeyRetired'; key: SigningKey }>
  /** `material` is that of before, wrapped under the key-encryption key of this id. */
  | Readonly<{
      _tag: 'SigningKeyReencrypted'
      key: SigningKey
      material: string
      keyEncryptionKeyId: string
    }>
  | RefusalFact
  | (Readonly<{ _tag: 'RefusalsSummarized'; type: RefusalType }> & RefusalTally)
  | Readonly<{ _tag: 'LogRenewed'; ended: EndedEpoch }>

/** Something that was refused. It changes nothing; who it was about is absent when nobody knows. */
export type RefusalFact =
  | Readonly<{
      _tag: 'ApplicationTokenRefused'
      applicationId: string | undefined
      reason: ApplicationTokenRefusal
    }>
  | Readonly<{ _tag: 'SignInRefused'; userId: string | undefined; reason: SignInRefusal }>
  | Readonly<{ _tag: 'PasswordChangeRefused'; userId: string; codes: ReadonlyArray<number> }>

/** A record that is not in the store yet. */
export type Unwritten<T> = Omit<T, 'version'>

/** When a session was opened, and by whom, is what the log says of its beginning: the two are never apart. */
export type NewSession = Omit<Unwritten<Session>, 'createdAtSeconds' | 'applicationId'>

/** What the log says of every event, whatever it is. */
export type Circumstances = Readonly<{
  actor: Actor
  requestId: string | undefined
  atMilliseconds: number
  /** A new id for each event. */
  uuid: () => string
  sha256: (text: string) => string
}>

/** The one place where a `Change` is made: all these facts, or none of them. */
export const toChange = (facts: NonEmptyArray<Fact>, circumstances: Circumstances): Change => {
  const { actor, requestId, atMilliseconds, uuid } = circumstances
  const at = rfc3339(atMilliseconds)
  const request = requestId === undefined ? {} : { request_id: requestId }
  const rows: Array<Row> = []
  const events = map((fact: Fact): NewEntry => {
    const consequences = consequencesOf(fact, circumstances)
    rows.push(...consequences.rows)
    return { ...consequences.event, id: uuid(), at, actor, ...request }
  })(facts)
  return { id: events[0].id, events, rows }
}

type Consequences = Readonly<{ event: Event; rows: ReadonlyArray<Row> }>

const consequencesOf = (fact: Fact, { sha256, atMilliseconds, actor }: Circumstances): Consequences => {
  switch (fact._tag) {
    case 'ApplicationRegistered': {
      const { id, name, scope, keyId } = fact.application
      return {
        event: {
          type: 'ApplicationRegistered',
          version: 1,
          subject: { kind: 'application', id },
          data: { name, scope: scopeText(scope), key_id: keyId },
        },
        rows: [{ table: 'applications', row: { ...fact.application, version: 1 } }],
      }
    }
    case 'ApplicationKeyRotated': {
      const { application, key, previousUntilSeconds } = fact
      return {
        event: {
          type: 'ApplicationKeyRotated',
          version: 1,
          subject: { kind: 'application', id: application.id },
          data: {
            key_id: key.id,
            previous_key_id: application.keyId,
            previous_until: rfc3339(previousUntilSeconds * 1000),
          },
        },
        rows: [
          {
            table: 'applications',
            row: next(withKey(application, key, previousUntilSeconds, atMilliseconds / 1000)),
          },
        ],
      }
    }
    case 'ApplicationRevoked':
      return {
        event: {
          type: 'ApplicationRevoked',
          version: 1,
          subject: { kind: 'application', id: fact.application.id },
          data: {},
        },
        rows: [{ table: 'applications', row: next({ ...fact.application, revoked: true }) }],
      }
    case 'ApplicationTokenIssued':
      return {
        event: {
          type: 'ApplicationTokenIssued',
          version: 1,
          subject: { kind: 'application', id: fact.applicationId },
          data: {
            token_id: fact.tokenId,
            key_id: fact.keyId,
            expires_at: rfc3339(fact.expiresAtSeconds * 1000),
          },
        },
        rows: [],
      }
    case 'ApplicationTokenRevoked':
      return {
        event: {
          type: 'ApplicationTokenRevoked',
          version: 1,
          subject: { kind: 'application', id: fact.token.applicationId },
          data: { token_id: fact.token.id },
        },
        rows: [{ table: 'revoked_tokens', row: { ...fact.token, version: 1 } }],
      }
    case 'UserRegistered':
      return {
        event: {
          type: 'UserRegistered',
          version: 1,
          subject: { kind: 'user', id: fact.user.id },
          data: { password_digest: sha256(fact.user.passwordRecord) },
        },
        rows: [{ table: 'users', row: { ...fact.user, version: 1 } }],
      }
    case 'UserSignedIn':
      return {
        event: {
          type: 'UserSignedIn',
          version: 1,
          subject: { kind: 'user', id: fact.session.userId },
          data: { session_id: fact.session.id, expires_at: rfc3339(fact.session.expiresAtSeconds * 1000) },
        },
        rows: [
          {
            table: 'sessions',
            row: {
              ...fact.session,
              createdAtSeconds: some(Math.floor(atMilliseconds / 1000)),
              applicationId: actor.kind === 'application' ? some(actor.id) : none,
              version: 1,
            },
          },
        ],
      }
    case 'UserSignedOut':
      return {
        event: {
          type: 'UserSignedOut',
          version: 1,
          subject: { kind: 'user', id: fact.session.userId },
          data: { session_id: fact.session.id },
        },
        rows: [{ table: 'sessions', row: next({ ...fact.session, signedOut: true }) }],
      }
    case 'OtherSessionsEnded': {
      const user = withoutSessions(fact.user)
      const { passwordVersion } = user
      return {
        event: {
          type: 'OtherSessionsEnded',
          version: 1,
          subject: { kind: 'user', id: fact.user.id },
          data: { password_version: passwordVersion, session_id: fact.session.id },
        },
        rows: [
          { table: 'users', row: next(user) },
          { table: 'sessions', row: next({ ...fact.session, passwordVersion }) },
        ],
      }
    }
    case 'PasswordChanged': {
      // The session that made the change follows the user to the new version; every other one stays behind, dead.
      const user = withPassword(fact.user, fact.password)
      const { passwordVersion } = user
      return {
        event: {
          type: 'PasswordChanged',
          version: 1,
          subject: { kind: 'user', id: fact.user.id },
          data: {
            password_version: passwordVersion,
            password_digest: sha256(fact.password.record),
            session_id: fact.session.id,
          },
        },
        rows: [
          { table: 'users', row: next(user) },
          { table: 'sessions', row: next({ ...fact.session, passwordVersion }) },
        ],
      }
    }
    case 'UserDisabled':
    case 'UserEnabled':
    case 'UserRemoved':
      return {
        event: { type: fact._tag, version: 1, subject: { kind: 'user', id: fact.user.id }, data: {} },
        rows: [{ table: 'users', row: next(STATUS_CHANGES[fact._tag](fact.user)) }],
      }
    case 'PasswordSet': {
      const user = withPassword(fact.user, fact.password)
      return {
        event: {
          type: 'PasswordSet',
          version: 1,
          subject: { kind: 'user', id: user.id },
          data: { password_version: user.passwordVersion, password_digest: sha256(fact.password.record) },
        },
        rows: [{ table: 'users', row: next(user) }],
      }
    }
    case 'PasswordRehashed':
      // The same password: no session ends.
      return {
        event: {
          type: 'PasswordRehashed',
          version: 1,
          subject: { kind: 'user', id: fact.user.id },
          data: { password_digest: sha256(fact.password.record) },
        },
        rows: [{ table: 'users', row: next(rehashed(fact.user, fact.password)) }],
      }
    case 'SigningKeyCreated':
      return {
        event: {
          type: 'SigningKeyCreated',
          version: 1,
          subject: { kind: 'key', id: fact.key.kid },
          data: { purpose: fact.key.purpose },
        },
        rows: [
          { table: 'keys', row: { ...fact.key, version: 1 } },
          ...fact.superseded.map((key): Row => ({ table: 'keys', row: next(key) })),
        ],
      }
    case 'SigningKeyRetired':
      return {
        event: {
          type: 'SigningKeyRetired',
          version: 1,
          subject: { kind: 'key', id: fact.key.kid },
          data: {},
        },
        rows: [{ table: 'keys', row: next(retired(fact.key)) }],
      }
    case 'SigningKeyReencrypted':
      return {
        event: {
          type: 'SigningKeyReencrypted',
          version: 1,
          subject: { kind: 'key', id: fact.key.kid },
          data: { key_encryption_key_id: fact.keyEncryptionKeyId },
        },
        rows: [{ table: 'keys', row: next({ ...fact.key, material: fact.material }) }],
      }
    case 'ApplicationTokenRefused':
      return {
        event: {
          type: 'ApplicationTokenRefused',
          version: 1,
          subject:
            fact.applicationId === undefined ? SERVICE : { kind: 'application', id: fact.applicationId },
          data: { reason: fact.reason },
        },
        rows: [],
      }
    case 'SignInRefused':
      return {
        event: {
          type: 'SignInRefused',
          version: 1,
          subject: fact.userId === undefined ? SERVICE : { kind: 'user', id: fact.userId },
          data: { reason: fact.reason },
        },
        rows: [],
      }
    case 'PasswordChangeRefused':
      return {
        event: {
          type: 'PasswordChangeRefused',
          version: 1,
          subject: { kind: 'user', id: fact.userId },
          data: { codes: fact.codes },
        },
        rows: [],
      }
    case 'RefusalsSummarized':
      return {
        event: {
          type: 'RefusalsSummarized',
          version: 2,
          subject: SERVICE,
          data: {
            type: fact.type,
            count: fact.count,
            from: rfc3339(fact.fromMilliseconds),
            to: rfc3339(fact.toMilliseconds),
            reasons: highest(fact.reasons).map(([reason, count]) => ({ reason, count })),
            subjects: highest(fact.subjects, SUBJECTS_SHOWN).map(([id, count]) => ({ id, count })),
          },
        },
        rows: [],
      }
    case 'LogRenewed':
      return { event: logRenewed(fact.ended), rows: [] }
  }
}

/** Of the subjects of refusals that were summarized. */
const SUBJECTS_SHOWN = 10

const STATUS_CHANGES = { UserDisabled: disabled, UserEnabled: enabled, UserRemoved: removed } as const

const next = <T extends { version: number }>(record: T): T => ({
  ...record,
  version: record.version + 1,
})

const rfc3339 = (milliseconds: number): string => new Date(milliseconds).toISOString()
