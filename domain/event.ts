import type { KeyRefusal } from './application.ts'
import type { AssuranceLevel } from './assurance.ts'
import type { FactorKind } from './factor.ts'
import type { KeyPurpose } from './signing-key.ts'

/**
 * The events of the log. Names and fields are a public interface (`docs/events.md`). No event contains a password, hash,
 * key, token, e-mail or IP address. Times are RFC 3339.
 */
export type Event =
  | Happened<'ApplicationRegistered', 'application', ApplicationValues & { key_id: string }>
  | Happened<'ApplicationChanged', 'application', ApplicationValues>
  | Happened<'PasskeyOriginsSet', 'application', { origins: ReadonlyArray<string> }>
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
  | Happened<'UserRegistered', 'user', { password_digest: string; email_verified: boolean }>
  | Happened<
      'UserImported',
      'user',
      { password_digest: string; scheme: string; email_verified: boolean; created_at: string }
    >
  | Happened<'UserDisabled' | 'UserEnabled' | 'UserRemoved', 'user', Nothing>
  | Happened<'UsersExported', 'service', { count: number }>
  | Happened<
      'UserSignedIn',
      'user',
      {
        session_id: string
        expires_at: string
        ends_at: string
        amr: ReadonlyArray<string>
        /** The one-time token of the first step, if a second factor was due. */
        token_id?: string
      }
    >
  | Happened<'SessionRenewed', 'user', { session_id: string; expires_at: string }>
  | Happened<'SessionSteppedUp', 'user', { session_id: string; amr: ReadonlyArray<string> }>
  | Happened<
      'UserSignedOut',
      'user',
      {
        session_id: string
        /** The session that a sign-in opened while the user had too many. Absent if someone ended the session. */
        displaced_by?: string
      }
    >
  | Happened<'OtherSessionsEnded', 'user', { sessions_version: number; session_id: string }>
  | Happened<'SessionsEnded', 'user', { sessions_version: number }>
  | Happened<
      'RecoveryStarted' | 'EmailConfirmationStarted' | 'SecondFactorRequested',
      'user',
      { token_id: string; expires_at: string }
    >
  | Happened<'FactorEnrolled', 'user', FactorChange & { mark: number } & PasskeyCounter>
  | Happened<'FactorImported', 'user', { factor_id: string; kind: FactorKind } & PasskeyCounter>
  | Happened<'FactorRemoved', 'user', FactorChange>
  | Happened<'FactorRenamed', 'user', { factor_id: string }>
  | Happened<'FactorReencrypted', 'user', { factor_id: string; key_encryption_key_id: string }>
  | Happened<
      'FactorUsed',
      'user',
      {
        factor_id: string
        kind: FactorKind
        mark: number
        /** Only of recovery codes. */
        codes_left?: number
        /** Only of a passkey. */
        counter_went_back?: boolean
        /** Only of a passkey, and only if it has changed. */
        backup_eligible?: boolean
      } & PasskeyCounter
    >
  | Happened<
      'RecoveryCodesGenerated',
      'user',
      { factor_id: string; count: number; sessions_version: number; session_id?: string }
    >
  | Happened<'FactorsReset', 'user', { factor_ids: ReadonlyArray<string>; password_version: number }>
  | Happened<'EmailConfirmed', 'user', { token_id: string; changed: boolean }>
  | Happened<
      'PasswordChanged',
      'user',
      { password_version: number; password_digest: string; session_id: string }
    >
  | Happened<'PasswordSet', 'user', { password_version: number; password_digest: string }>
  | Happened<
      'PasswordRecovered',
      'user',
      { password_version: number; password_digest: string; token_id: string }
    >
  | Happened<'PasswordRehashed', 'user', { password_digest: string }>
  | Happened<'SigningKeyCreated', 'key', { purpose: KeyPurpose }>
  | Happened<'SigningKeyRetired', 'key', Nothing>
  | Happened<'SigningKeyReencrypted', 'key', { key_encryption_key_id: string }>
  | RefusalEvent
  | Happened<
      'RefusalsSummarized',
      'service',
      Summary & {
        /** Highest count first. */
        reasons: ReadonlyArray<Readonly<{ reason: RefusalReason; count: number }>>
        /** The applications or users with the most refusals, at most ten, highest count first. */
        subjects: ReadonlyArray<Readonly<{ id: string; count: number }>>
      }
    >
  | Happened<'LogRenewed', 'service', { previous_origin: string; size: number }>
  | Happened<
      'LogPruned',
      'service',
      {
        before: string
        /** The last position of which the entry may be missing. */
        through: number
        /** How many entries up to there are pruned, now or earlier. */
        entries: number
        /** A signed note of the positions that this entry adds (`domain/pruning-proof.ts`). */
        proof: string
      }
    >

/** What an operator decides about an application. A lifetime is null while it is that of the service. */
type ApplicationValues = Readonly<{
  name: string
  scope: string
  user_token_ttl: number | null
  session_ttl: number | null
  required_assurance: AssuranceLevel
}>

/** Which factor a change is about. `session_id` is the session that made the change and stays alive. */
type FactorChange = Readonly<{
  factor_id: string
  kind: FactorKind
  sessions_version: number
  session_id?: string
}>

/** The signature counter, only of a passkey. */
type PasskeyCounter = Readonly<{ counter?: number }>

/** The event of this type. */
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>

/** Refused requests. The subject is the application or user in question, or the service when it is unknown. */
export type RefusalEvent =
  | Happened<'ApplicationTokenRefused', 'application' | 'service', { reason: ApplicationTokenRefusal }>
  | Happened<'SignInRefused', 'user' | 'service', { reason: SignInRefusal }>
  | Happened<'SecondFactorRefused', 'user' | 'service', { reason: SecondFactorRefusal }>
  | Happened<'PasswordChangeRefused', 'user', { codes: ReadonlyArray<number> }>
  | Happened<'RecoveryRefused', 'user' | 'service', { codes: ReadonlyArray<number> }>
  | Happened<'RegistrationRefused', 'application', { codes: ReadonlyArray<number> }>
  | Happened<'EmailConfirmationRefused', 'user' | 'service', { codes: ReadonlyArray<number> }>

type Summary = Readonly<{ type: RefusalType; count: number; from: string; to: string }>

export type RefusalType = RefusalEvent['type']
export type ApplicationTokenRefusal = 'missing_field' | 'malformed_key' | KeyRefusal | 'too_many_tokens'
export type SignInRefusal =
  | 'missing_field'
  | 'invalid_label'
  | 'unknown_email'
  | 'wrong_password'
  | 'user_disabled'
  | 'no_second_factor'
  | 'too_many_failures'

/** Some of them only passkeys can have. */
export type SecondFactorRefusal =
  | 'missing_field'
  | 'token_ended'
  | 'wrong_code'
  | 'used_code'
  | 'wrong_recovery_code'
  | 'invalid_credential'
  | 'wrong_challenge'
  | 'used_challenge'
  | 'wrong_origin'
  | 'user_not_verified'
  | 'unknown_credential'
  | 'user_mismatch'
  | 'counter_went_back'
  | 'too_many_failures'

export type PasswordChangeRefusal = 'invalid_fields' | 'wrong_password' | 'too_many_failures'
export type RecoveryRefusal = 'invalid_fields' | 'invalid_token' | 'too_many_failures'
export type NewEmailRefusal = 'invalid_fields' | 'email_taken' | 'too_many_failures'
export type RefusalReason =
  | ApplicationTokenRefusal
  | SignInRefusal
  | SecondFactorRefusal
  | PasswordChangeRefusal
  | RecoveryRefusal
  | NewEmailRefusal

/** The subject of events that concern no single application, user or key. */
export const SERVICE = { kind: 'service', id: 'portcullis' } as const

/** The log has a new epoch. `epoch` is the former one, and `size` the number of entries before this one. */
export const logRenewed = ({ epoch, size }: Readonly<{ epoch: string; size: number }>) =>
  ({
    type: 'LogRenewed',
    version: 1,
    subject: SERVICE,
    data: { previous_origin: epoch, size },
  }) as const satisfies Event

type Happened<Type extends string, Kind extends string, Data> = Type extends string
  ? Readonly<{
      type: Type
      /** The version of this type's fields. */
      version: 1
      subject: Readonly<{ kind: Kind; id: string }>
      data: Readonly<Data>
    }>
  : never

/** No data. Unlike `{}` it lets the compiler reject a field. */
type Nothing = Record<string, never>

export type EventType = Event['type']

/** Who caused an event. The id of an operator is a name that the operator chose, or absent. */
export type Actor = Readonly<
  { kind: 'application' | 'user'; id: string } | { kind: 'operator'; id?: string } | { kind: 'nobody' }
>
