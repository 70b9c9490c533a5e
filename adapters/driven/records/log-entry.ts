import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { LogEntry, NewEntry } from '../../../application/ports/store.ts'
import type {
  Actor,
  ApplicationTokenRefusal,
  Event,
  PasswordChangeRefusal,
  RefusalReason,
  RefusalType,
  SignInRefusal,
} from '../../../domain/event.ts'
import { Integer, Purpose } from './columns.ts'

/**
 * How an entry of the event log stands in a table: flat, and what differs from type to type as one JSON text.
 * Reading is strict: an entry that is none of the known events to the letter is an error.
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
  actor_id: 'id' in entry.actor ? entry.actor.id : null,
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

const about = <Type extends string, Subject extends t.Mixed, Data extends t.Mixed>(
  type: Type,
  subject: Subject,
  data: Data,
) => t.strict({ type: t.literal(type), version: t.literal(1), subject, data })

const event = <Type extends string, Kind extends string, Data extends t.Mixed>(
  type: Type,
  kind: Kind,
  data: Data,
) => about(type, t.strict({ kind: t.literal(kind), id: t.string }), data)

const TokenRefusal = t.keyof({
  missing_field: null,
  malformed_key: null,
  unknown_application: null,
  wrong_private_key: null,
  previous_key_expired: null,
  application_revoked: null,
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

const AnyReason: t.Type<RefusalReason, unknown, unknown> = t.union([
  TokenRefusal,
  SignInRefusalReason,
  ChangeRefusal,
])

const RefusedType = t.keyof({
  ApplicationTokenRefused: null,
  SignInRefused: null,
  PasswordChangeRefused: null,
} satisfies Record<RefusalType, null>)

const SUMMARY = { type: RefusedType, count: Integer, from: t.string, to: t.string }

/** What is about somebody when it is known about whom, and else about the service. */
const refusal = <Type extends string, Kind extends string, Data extends t.Mixed>(
  type: Type,
  kind: Kind,
  data: Data,
) =>
  about(
    type,
    t.strict({
      kind: t.keyof({ [kind]: null, service: null } as Record<Kind | 'service', null>),
      id: t.string,
    }),
    data,
  )

const Nothing = t.strict({})

const AnyEvent: t.Type<Event, unknown, unknown> = t.union([
  event(
    'ApplicationRegistered',
    'application',
    t.strict({ name: t.string, scope: t.string, key_id: t.string }),
  ),
  event(
    'ApplicationTokenIssued',
    'application',
    t.strict({ token_id: t.string, key_id: t.string, expires_at: t.string }),
  ),
  event('ApplicationTokenRevoked', 'application', t.strict({ token_id: t.string })),
  event('UserRegistered', 'user', t.strict({ password_digest: t.string })),
  event('UserSignedIn', 'user', t.strict({ session_id: t.string, expires_at: t.string })),
  event('UserSignedOut', 'user', t.strict({ session_id: t.string })),
  event('OtherSessionsEnded', 'user', t.strict({ password_version: Integer, session_id: t.string })),
  event(
    'PasswordChanged',
    'user',
    t.strict({ password_version: Integer, password_digest: t.string, session_id: t.string }),
  ),
  event(
    'ApplicationKeyRotated',
    'application',
    t.strict({ key_id: t.string, previous_key_id: t.string, previous_until: t.string }),
  ),
  event('ApplicationRevoked', 'application', Nothing),
  event('UserDisabled', 'user', Nothing),
  event('UserEnabled', 'user', Nothing),
  event('UserRemoved', 'user', Nothing),
  event('PasswordSet', 'user', t.strict({ password_version: Integer, password_digest: t.string })),
  event('PasswordRehashed', 'user', t.strict({ password_digest: t.string })),
  event('SigningKeyCreated', 'key', t.strict({ purpose: Purpose })),
  event('SigningKeyRetired', 'key', Nothing),
  event('SigningKeyReencrypted', 'key', t.strict({ key_encryption_key_id: t.string })),
  refusal('ApplicationTokenRefused', 'application', t.strict({ reason: TokenRefusal })),
  refusal('SignInRefused', 'user', t.strict({ reason: SignInRefusalReason })),
  event('PasswordChangeRefused', 'user', t.strict({ codes: t.readonlyArray(Integer) })),
  event('RefusalsSummarized', 'service', t.strict(SUMMARY)),
  t.strict({
    type: t.literal('RefusalsSummarized'),
    version: t.literal(2),
    subject: t.strict({ kind: t.literal('service'), id: t.string }),
    data: t.strict({
      ...SUMMARY,
      reasons: t.readonlyArray(t.strict({ reason: AnyReason, count: Integer })),
      subjects: t.readonlyArray(t.strict({ id: t.string, count: Integer })),
    }),
  }),
  event('LogRenewed', 'service', t.strict({ previous_origin: t.string, size: Integer })),
])

const AnyActor: t.Type<Actor, unknown, unknown> = t.union([
  t.strict({ kind: t.union([t.literal('application'), t.literal('user')]), id: t.string }),
  t.strict({ kind: t.union([t.literal('operator'), t.literal('nobody')]) }),
])

const Entry: t.Type<LogEntry, unknown, unknown> = t.intersection([
  AnyEvent,
  t.strict({ position: Integer, id: t.string, at: t.string, actor: AnyActor }),
  t.exact(t.partial({ request_id: t.string })),
])
