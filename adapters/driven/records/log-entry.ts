import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { LogEntry, NewEntry } from '../../../application/ports/store.ts'
import { REFUSAL_EVENTS } from '../../../application/recording/events/refusal-events.ts'
import type {
  Actor,
  ApplicationTokenRefusal,
  Event,
  EventType,
  PasswordChangeRefusal,
  RecoveryRefusal,
  RefusalReason,
  SignInRefusal,
} from '../../../domain/event.ts'
import { Integer, Purpose } from './columns.ts'

/**
 * An entry of the event log as a row: the fields of every event are columns, and `data` is one JSON text.
 * Reading is strict: an entry that matches no known event is an error.
 */
export type LogColumns = Readonly<{
  position: number
  id: string
  type: string
  version: number
  at: string
  subject_kind: string
  subject_id: string
  actor_kind: string
  actor_id: string | null
  request_id: string | null
  data: string
}>

export const encodeEntry = (entry: NewEntry, position: number): LogColumns => ({
  position,
  id: entry.id,
  type: entry.type,
  version: entry.version,
  at: entry.at,
  subject_kind: entry.subject.kind,
  subject_id: entry.subject.id,
  actor_kind: entry.actor.kind,
  actor_id: ('id' in entry.actor ? entry.actor.id : undefined) ?? null,
  request_id: entry.request_id ?? null,
  data: JSON.stringify(entry.data),
})

export const decodeEntry = (columns: unknown): E.Either<t.Errors, LogEntry> =>
  pipe(
    Columns.decode(columns),
    E.chain(({ subject_kind, subject_id, actor_kind, actor_id, request_id, ...same }) =>
      Entry.decode({
        ...same,
        subject: { kind: subject_kind, id: subject_id },
        actor: { kind: actor_kind, ...(actor_id === null ? {} : { id: actor_id }) },
        ...(request_id === null ? {} : { request_id }),
      }),
    ),
  )

const Json = new t.Type<unknown, string, unknown>(
  'Json',
  t.unknown.is,
  (u, context) =>
    pipe(
      E.tryCatch(
        () => JSON.parse(String(u)),
        () => [{ value: u, context, message: 'not JSON' }],
      ),
    ),
  JSON.stringify,
)

const Columns = t.strict({
  position: Integer,
  id: t.string,
  type: t.string,
  version: Integer,
  at: t.string,
  subject_kind: t.string,
  subject_id: t.string,
  actor_kind: t.string,
  actor_id: t.union([t.string, t.null]),
  request_id: t.union([t.string, t.null]),
  data: Json,
})

/** An event of one kind of subject, without its type. */
const about = <Kind extends string, Data extends t.Props, Version extends number = 1>(
  kind: Kind,
  data: Data,
  version: Version = 1 as Version,
) => body({ kind: t.literal(kind), data, version })

/** A refusal: its subject is the service when the application or user is unknown. */
const refusal = <Kind extends string, Data extends t.Props>(kind: Kind, data: Data) =>
  body({ kind: t.union([t.literal(kind), t.literal('service')]), data, version: 1 })

const body = <Kind extends t.Mixed, Data extends t.Props, Version extends number>({
  kind,
  data,
  version,
}: Readonly<{ kind: Kind; data: Data; version: Version }>) =>
  t.strict({ version: t.literal(version), subject: t.strict({ kind, id: t.string }), data: t.strict(data) })

const TokenRefusal = t.keyof({
  missing_field: null,
  malformed_key: null,
  unknown_application: null,
  wrong_private_key: null,
  previous_key_expired: null,
  application_revoked: null,
  too_many_tokens: null,
} satisfies Record<ApplicationTokenRefusal, null>)

const SignInRefusalReason = t.keyof({
  missing_field: null,
  unknown_email: null,
  wrong_password: null,
  user_disabled: null,
  too_many_failures: null,
} satisfies Record<SignInRefusal, null>)

const ChangeRefusal = t.keyof({
  invalid_fields: null,
  wrong_password: null,
  too_many_failures: null,
} satisfies Record<PasswordChangeRefusal, null>)

const RecoveryRefusalReason = t.keyof({
  invalid_fields: null,
  invalid_token: null,
  too_many_failures: null,
} satisfies Record<RecoveryRefusal, null>)

const AnyReason: t.Type<RefusalReason, unknown, unknown> = t.union([
  TokenRefusal,
  SignInRefusalReason,
  ChangeRefusal,
  RecoveryRefusalReason,
])

const SUMMARY = { type: t.keyof(REFUSAL_EVENTS), count: Integer, from: t.string, to: t.string }

const ONE_TIME_TOKEN = { token_id: t.string, expires_at: t.string }

/** One line per type of event. Former versions stay, in a union, so that old entries remain readable. */
const EVENTS: { readonly [Type in EventType]: t.Type<BodyOf<Type>, unknown, unknown> } = {
  ApplicationRegistered: about('application', { name: t.string, scope: t.string, key_id: t.string }),
  ApplicationKeyRotated: about('application', {
    key_id: t.string,
    previous_key_id: t.string,
    previous_until: t.string,
  }),
  ApplicationRevoked: about('application', {}),
  ApplicationTokenIssued: about('application', {
    token_id: t.string,
    key_id: t.string,
    expires_at: t.string,
  }),
  ApplicationTokenRevoked: about('application', { token_id: t.string }),
  UserRegistered: t.union([
    about('user', { password_digest: t.string }),
    about('user', { password_digest: t.string, email_verified: t.boolean }, 2),
  ]),
  UserImported: about('user', {
    password_digest: t.string,
    scheme: t.string,
    email_verified: t.boolean,
    created_at: t.string,
  }),
  UserDisabled: about('user', {}),
  UserEnabled: about('user', {}),
  UserRemoved: about('user', {}),
  UserSignedIn: about('user', { session_id: t.string, expires_at: t.string }),
  UserSignedOut: about('user', { session_id: t.string }),
  OtherSessionsEnded: about('user', { password_version: Integer, session_id: t.string }),
  SessionsEnded: about('user', { password_version: Integer }),
  RecoveryStarted: about('user', ONE_TIME_TOKEN),
  EmailConfirmationStarted: about('user', ONE_TIME_TOKEN),
  EmailConfirmed: about('user', { token_id: t.string, changed: t.boolean }),
  PasswordRecovered: about('user', {
    password_version: Integer,
    password_digest: t.string,
    token_id: t.string,
  }),
  PasswordChanged: about('user', {
    password_version: Integer,
    password_digest: t.string,
    session_id: t.string,
  }),
  PasswordSet: about('user', { password_version: Integer, password_digest: t.string }),
  PasswordRehashed: about('user', { password_digest: t.string }),
  SigningKeyCreated: about('key', { purpose: Purpose }),
  SigningKeyRetired: about('key', {}),
  SigningKeyReencrypted: about('key', { key_encryption_key_id: t.string }),
  ApplicationTokenRefused: refusal('application', { reason: TokenRefusal }),
  SignInRefused: refusal('user', { reason: SignInRefusalReason }),
  PasswordChangeRefused: about('user', { codes: t.readonlyArray(Integer) }),
  RecoveryRefused: refusal('user', { codes: t.readonlyArray(Integer) }),
  RefusalsSummarized: t.union([
    about('service', SUMMARY),
    about(
      'service',
      {
        ...SUMMARY,
        reasons: t.readonlyArray(t.strict({ reason: AnyReason, count: Integer })),
        subjects: t.readonlyArray(t.strict({ id: t.string, count: Integer })),
      },
      2,
    ),
  ]),
  LogRenewed: about('service', { previous_origin: t.string, size: Integer }),
}

/** The fields of an event besides its type, in each of its versions. */
type BodyOf<Type extends EventType> = WithoutType<Extract<Event, { type: Type }>>
type WithoutType<OneEvent> = OneEvent extends Event ? Omit<OneEvent, 'type'> : never

/** Reads an event with the codec of its type. */
const AnyEvent = new t.Type<Event, unknown, unknown>(
  'Event',
  (u): u is Event => Typed.is(u) && EVENTS[u.type].is(u),
  (u, context) =>
    pipe(
      Typed.validate(u, context),
      E.chain(({ type }) => {
        const decoded: E.Either<t.Errors, object> = EVENTS[type].validate(u, context)
        return pipe(
          decoded,
          E.map((fields) => ({ type, ...fields }) as Event), // the codec is the one of this type
        )
      }),
    ),
  t.identity,
)

const Typed = t.type({ type: t.keyof(EVENTS) })

const AnyActor: t.Type<Actor, unknown, unknown> = t.union([
  t.strict({ kind: t.union([t.literal('application'), t.literal('user')]), id: t.string }),
  t.intersection([t.strict({ kind: t.literal('operator') }), t.exact(t.partial({ id: t.string }))]),
  t.strict({ kind: t.literal('nobody') }),
])

const Entry: t.Type<LogEntry, unknown, unknown> = t.intersection([
  AnyEvent,
  t.strict({ position: Integer, id: t.string, at: t.string, actor: AnyActor }),
  t.exact(t.partial({ request_id: t.string })),
])
