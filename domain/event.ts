import type { KeyRefusal } from './application.ts'
import type { KeyPurpose } from './signing-key.ts'

/**
 * What can happen. Names and fields are a public interface: the log shows them as they stand here, and none
 * holds a password, hash, key, token, e-mail or address. Times are RFC 3339.
 */
export type Event =
  | Happened<'ApplicationRegistered', 'application', { name: string; scope: string; key_id: string }>
  | Happened<
      'ApplicationKeyRotated',
      'application',
      { key_id: string; previous_key_id: string; previous_until: string }
    >
  | Happened<'ApplicationRevoked', 'application', Nothing>
  | Happened<
      'ApplicationTokenIssued',
      'application',
      { token_id: string; key_id: string; expires_at: string }
    >
  | Happened<'ApplicationTokenRevoked', 'application', { token_id: string }>
  | Happened<'UserRegistered', 'user', { password_digest: string }>
  | Happened<'UserDisabled' | 'UserEnabled' | 'UserRemoved', 'user', Nothing>
  | Happened<'UserSignedIn', 'user', { session_id: string; expires_at: string }>
  | Happened<'UserSignedOut', 'user', { session_id: string }>
  | Happened<'OtherSessionsEnded', 'user', { password_version: number; session_id: string }>
  | Happened<
      'PasswordChanged',
      'user',
      { password_version: number; password_digest: string; session_id: string }
    >
  | Happened<'PasswordSet', 'user', { password_version: number; password_digest: string }>
  | Happened<'PasswordRehashed', 'user', { password_digest: string }>
  | Happened<'SigningKeyCreated', 'key', { purpose: KeyPurpose }>
  | Happened<'SigningKeyRetired', 'key', Nothing>
  | Happened<'SigningKeyReencrypted', 'key', { key_encryption_key_id: string }>
  | RefusalEvent
  /** Version 1 is no longer written, and still read. */
  | Happened<'RefusalsSummarized', 'service', Summary, 1>
  | Happened<
      'RefusalsSummarized',
      'service',
      Summary & {
        /** Most frequent first. */
        reasons: ReadonlyArray<Readonly<{ reason: RefusalReason; count: number }>>
        /** The applications or users with most refusals, most first; ten at most. */
        subjects: ReadonlyArray<Readonly<{ id: string; count: number }>>
      },
      2
    >
  | Happened<'LogRenewed', 'service', { previous_origin: string; size: number }>

/** What was refused. The subject is who it was about when that is known, else the service. */
export type RefusalEvent =
  | Happened<'ApplicationTokenRefused', 'application' | 'service', { reason: ApplicationTokenRefusal }>
  | Happened<'SignInRefused', 'user' | 'service', { reason: SignInRefusal }>
  | Happened<'PasswordChangeRefused', 'user', { codes: ReadonlyArray<number> }>

type Summary = Readonly<{ type: RefusalType; count: number; from: string; to: string }>

export type RefusalType = RefusalEvent['type']
export type ApplicationTokenRefusal = 'missing_field' | 'malformed_key' | KeyRefusal
export type SignInRefusal =
  | 'missing_field'
  | 'unknown_email'
  | 'wrong_password'
  | 'user_disabled'
  | 'too_many_failures'

export type PasswordChangeRefusal = 'invalid_fields' | 'wrong_password' | 'too_many_failures'
export type RefusalReason = ApplicationTokenRefusal | SignInRefusal | PasswordChangeRefusal

/** The subject of what is about nobody in particular. */
export const SERVICE = { kind: 'service', id: 'portcullis' } as const

/** The log got another epoch. `epoch` is the one before, and `size` the number of entries before this one. */
export const logRenewed = ({ epoch, size }: Readonly<{ epoch: string; size: number }>) =>
  ({
    type: 'LogRenewed',
    version: 1,
    subject: SERVICE,
    data: { previous_origin: epoch, size },
  }) as const satisfies Event

type Happened<
  Type extends string,
  Kind extends string,
  Data,
  Version extends number = 1,
> = Type extends string
  ? Readonly<{
      type: Type
      /** Of this type's shape. */
      version: Version
      subject: Readonly<{ kind: Kind; id: string }>
      data: Readonly<Data>
    }>
  : never

type Nothing = Record<never, never>

export type EventType = Event['type']

const TYPES: Readonly<Record<EventType, true>> = {
  ApplicationRegistered: true,
  ApplicationKeyRotated: true,
  ApplicationRevoked: true,
  ApplicationTokenIssued: true,
  ApplicationTokenRevoked: true,
  UserRegistered: true,
  UserDisabled: true,
  UserEnabled: true,
  UserRemoved: true,
  UserSignedIn: true,
  UserSignedOut: true,
  OtherSessionsEnded: true,
  PasswordChanged: true,
  PasswordSet: true,
  PasswordRehashed: true,
  SigningKeyCreated: true,
  SigningKeyRetired: true,
  SigningKeyReencrypted: true,
  ApplicationTokenRefused: true,
  SignInRefused: true,
  PasswordChangeRefused: true,
  RefusalsSummarized: true,
  LogRenewed: true,
}

/** Whether a text names an event. */
export const isEventType = (text: string): text is EventType => Object.hasOwn(TYPES, text)

/** Every type of event there is. */
export const EVENT_TYPES: ReadonlyArray<EventType> = Object.keys(TYPES).filter(isEventType)

/** Who made it happen. */
export type Actor = Readonly<{ kind: 'application' | 'user'; id: string } | { kind: 'operator' | 'nobody' }>
