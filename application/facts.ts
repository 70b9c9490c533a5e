import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { map } from 'fp-ts/lib/NonEmptyArray.js'
import { type Application, scopeText } from '../domain/application.ts'
import type { Actor, Event } from '../domain/event.ts'
import type { Session } from '../domain/session.ts'
import type { SigningKey } from '../domain/signing-key.ts'
import type { User } from '../domain/user.ts'
import type { Change, NewEntry, Row } from './ports/store.ts'

/**
 * Something that happened: what the event says, and beside it what the log must not hold. Records are as they
 * were read, or new; what becomes of them is said below.
 */
export type Fact =
  | Readonly<{ _tag: 'ApplicationRegistered'; application: Unwritten<Application> }>
  | Readonly<{
      _tag: 'ApplicationTokenIssued'
      applicationId: string
      keyId: string
      tokenId: string
      expiresAtSeconds: number
    }>
  | Readonly<{ _tag: 'UserRegistered'; user: Unwritten<User> }>
  | Readonly<{ _tag: 'UserSignedIn'; session: Unwritten<Session> }>
  | Readonly<{ _tag: 'UserSignedOut'; session: Session }>
  | Readonly<{ _tag: 'PasswordChanged'; user: User; session: Session; passwordRecord: string }>
  | Readonly<{ _tag: 'SigningKeyCreated'; key: Unwritten<SigningKey> }>

/** A record that is not in the store yet. */
export type Unwritten<T> = Omit<T, 'version'>

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
  const { actor, requestId, atMilliseconds, uuid, sha256 } = circumstances
  const at = rfc3339(atMilliseconds)
  const request = requestId === undefined ? {} : { request_id: requestId }
  const rows: Array<Row> = []
  const events = map((fact: Fact): NewEntry => {
    const consequences = consequencesOf(fact, sha256)
    rows.push(...consequences.rows)
    return { ...consequences.event, id: uuid(), at, actor, ...request }
  })(facts)
  return { id: events[0].id, events, rows }
}

type Consequences = Readonly<{ event: Event; rows: ReadonlyArray<Row> }>

const consequencesOf = (fact: Fact, sha256: (text: string) => string): Consequences => {
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
        rows: [{ table: 'sessions', row: { ...fact.session, version: 1 } }],
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
    case 'PasswordChanged': {
      // The session that made the change follows the user to the new version; every other one stays behind, dead.
      const passwordVersion = fact.user.passwordVersion + 1
      return {
        event: {
          type: 'PasswordChanged',
          version: 1,
          subject: { kind: 'user', id: fact.user.id },
          data: {
            password_version: passwordVersion,
            password_digest: sha256(fact.passwordRecord),
            session_id: fact.session.id,
          },
        },
        rows: [
          {
            table: 'users',
            row: next({ ...fact.user, passwordRecord: fact.passwordRecord, passwordVersion }),
          },
          { table: 'sessions', row: next({ ...fact.session, passwordVersion }) },
        ],
      }
    }
    case 'SigningKeyCreated':
      return {
        event: {
          type: 'SigningKeyCreated',
          version: 1,
          subject: { kind: 'key', id: fact.key.kid },
          data: { purpose: fact.key.purpose },
        },
        rows: [{ table: 'keys', row: { ...fact.key, version: 1 } }],
      }
  }
}

const next = <T extends { version: number }>(record: T): T => ({
  ...record,
  version: record.version + 1,
})

const rfc3339 = (milliseconds: number): string => new Date(milliseconds).toISOString()
