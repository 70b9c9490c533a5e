import type { KeyPurpose } from './signing-key.ts'

/**
 * What can happen. Names and fields are a public interface: the log shows them as they stand here, and none
 * holds a password, hash, key, token, e-mail or address. Times are RFC 3339.
 */
export type Event =
  | Happened<'ApplicationRegistered', 'application', { name: string; scope: string; key_id: string }>
  | Happened<
      'ApplicationTokenIssued',
      'application',
      { token_id: string; key_id: string; expires_at: string }
    >
  | Happened<'UserRegistered', 'user', { password_digest: string }>
  | Happened<'UserSignedIn', 'user', { session_id: string; expires_at: string }>
  | Happened<'UserSignedOut', 'user', { session_id: string }>
  | Happened<
      'PasswordChanged',
      'user',
      { password_version: number; password_digest: string; session_id: string }
    >
  | Happened<'SigningKeyCreated', 'key', { purpose: KeyPurpose }>

type Happened<Type extends string, Kind extends string, Data> = Readonly<{
  type: Type
  /** Of this type's shape. */
  version: 1
  subject: Readonly<{ kind: Kind; id: string }>
  data: Readonly<Data>
}>

export type EventType = Event['type']

const TYPES: Readonly<Record<EventType, true>> = {
  ApplicationRegistered: true,
  ApplicationTokenIssued: true,
  UserRegistered: true,
  UserSignedIn: true,
  UserSignedOut: true,
  PasswordChanged: true,
  SigningKeyCreated: true,
}

/** Whether a text names an event. */
export const isEventType = (text: string): text is EventType => Object.hasOwn(TYPES, text)

/** Every type of event there is. */
export const EVENT_TYPES: ReadonlyArray<EventType> = Object.keys(TYPES).filter(isEventType)

/** Who made it happen. */
export type Actor = Readonly<{ kind: 'application' | 'user'; id: string } | { kind: 'operator' | 'nobody' }>
