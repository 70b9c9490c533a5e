import { APPLICATION_EVENTS } from './application-events.ts'
import { type DataOf, type EventRow, event } from './event-row.ts'
import { FACTORS } from './factor.ts'
import { MAIL_EVENTS } from './mail-events.ts'
import { REFUSALS } from './refusal-events.ts'

const SESSION = { session_id: 'text', expires_at: 'time' } as const
const ONE_TIME_TOKEN = { token_id: 'text', expires_at: 'time' } as const
const FACTOR = { factor_id: 'text', kind: 'kind of factor' } as const
const FACTOR_CHANGE = { sessions_version: 'integer', 'session_id?': 'text' } as const

/**
 * The events of the log, a line each. Names and fields are a public interface (`docs/events.md`). No event contains a password,
 * hash, key, token, e-mail or IP address.
 */
export const EVENTS = {
  ...APPLICATION_EVENTS,

  // of users
  UserRegistered: event('user', { password_digest: 'text', email_verified: 'flag' }, 'lasting', 'registered'),
  UserImported: event(
    'user',
    { password_digest: 'text', scheme: 'text', email_verified: 'flag', created_at: 'time' },
    'lasting',
    'imported',
  ),
  UserDisabled: event('user', {}, 'lasting', 'disabled'),
  UserEnabled: event('user', {}, 'lasting', 'enabled'),
  UserRolesChanged: event(
    'user',
    { roles: 'texts' },
    'lasting',
    ({ roles }) => `roles: ${roles.join(', ') || 'none'}`,
  ),
  // Before the sign-in of the owner. The password is gone.
  AccountClaimed: event(
    'user',
    { password_version: 'integer' },
    'lasting',
    'password removed, and claimed by the owner of the e-mail',
  ),
  UserRemoved: event('user', {}, 'lasting', 'removed'),
  // The names of the attributes, sorted. No value is in the log, and no name inside `metadata`.
  UserAttributesChanged: event(
    'user',
    { fields: 'texts' },
    'lasting',
    ({ fields }) => `attributes changed: ${fields.join(', ')}`,
  ),
  UsersExported: event(
    'service',
    { count: 'integer' },
    'lasting',
    ({ count }) => `all ${count} users exported`,
  ),

  // of sessions. `token_id` is the one-time token of the first step, if a second factor was due. `remembered` is true or absent. `browser_id`
  // is the browser whose session of the pages this is, or through which it was opened. `amr` of a first step is absent after the password.
  UserSignedIn: event(
    'user',
    {
      ...SESSION,
      ends_at: 'time',
      amr: 'texts',
      'remembered?': 'flag',
      'browser_id?': 'text',
      'token_id?': 'text',
    },
    'opens session',
    ({ amr, remembered }) =>
      `${amr[0] === 'vouched' ? 'vouched for and signed in' : 'signed in'}${remembered ? ' and remembered' : ''}`,
  ),
  SecondFactorRequested: event(
    'user',
    { ...ONE_TIME_TOKEN, 'amr?': 'texts' },
    'until expiry',
    ({ amr }) => `${amr === undefined ? 'password accepted' : 'vouched for'}, second factor requested`,
  ),
  SessionRenewed: event('user', SESSION, 'session', 'session renewed'),
  SessionSteppedUp: event('user', { session_id: 'text', amr: 'texts' }, 'session', 'authenticated again'),
  // `displaced_by` is the session of a later sign-in: in the same browser, or while the user had too many. Absent if someone ended the session.
  UserSignedOut: event(
    'user',
    { session_id: 'text', 'displaced_by?': 'text' },
    'session',
    ({ displaced_by }) => (displaced_by === undefined ? 'signed out' : 'session ended by a later sign-in'),
  ),
  OtherSessionsEnded: event(
    'user',
    { sessions_version: 'integer', session_id: 'text' },
    'lasting',
    'all other sessions ended',
  ),
  SessionsEnded: event('user', { sessions_version: 'integer' }, 'lasting', 'all sessions ended'),

  // of one-time tokens
  RecoveryStarted: event('user', ONE_TIME_TOKEN, 'lasting', 'password recovery started'),
  EmailConfirmationStarted: event('user', ONE_TIME_TOKEN, 'lasting', 'e-mail confirmation started'),
  EmailConfirmed: event('user', { token_id: 'text', changed: 'flag' }, 'lasting', ({ changed }) =>
    changed ? 'new e-mail confirmed' : 'e-mail confirmed',
  ),

  // of second factors. `session_id` is the session that made the change and stays alive; only passkeys have a `counter`.
  FactorEnrolled: event(
    'user',
    { ...FACTOR, mark: 'integer', 'counter?': 'integer', ...FACTOR_CHANGE },
    'lasting',
    ({ kind }) => `${FACTORS[kind]} added`,
  ),
  FactorImported: event(
    'user',
    { ...FACTOR, 'counter?': 'integer' },
    'lasting',
    ({ kind }) => `${FACTORS[kind]} imported`,
  ),
  FactorRemoved: event(
    'user',
    { ...FACTOR, ...FACTOR_CHANGE },
    'lasting',
    ({ kind }) => `${FACTORS[kind]} removed`,
  ),
  FactorReencrypted: event(
    'user',
    { factor_id: 'text', key_encryption_key_id: 'text' },
    'lasting',
    'authenticator app encrypted again',
  ),
  FactorRenamed: event('user', { factor_id: 'text' }, 'lasting', 'second factor renamed'),
  // `codes_left` only of recovery codes. `backup_eligible` only of a passkey, and only if it has changed.
  FactorUsed: event(
    'user',
    {
      ...FACTOR,
      mark: 'integer',
      'codes_left?': 'integer',
      'counter?': 'integer',
      'counter_went_back?': 'flag',
      'backup_eligible?': 'flag',
    },
    'lasting',
    ({ kind, counter_went_back: wentBack, backup_eligible: mayBeSynced }) =>
      [
        `${FACTORS[kind]} used`,
        ...(wentBack ? [' (its counter went back)'] : []),
        ...(mayBeSynced === undefined
          ? []
          : [` (it ${mayBeSynced ? 'may now' : 'can no longer'} be synced)`]),
      ].join(''),
  ),
  FactorsReset: event(
    'user',
    { factor_ids: 'texts', password_version: 'integer' },
    'lasting',
    'all second factors removed',
  ),
  RecoveryCodesGenerated: event(
    'user',
    { factor_id: 'text', count: 'integer', ...FACTOR_CHANGE },
    'lasting',
    'new recovery codes generated',
  ),

  // of passwords
  PasswordChanged: event(
    'user',
    { password_version: 'integer', password_digest: 'text', session_id: 'text' },
    'lasting',
    'password changed',
  ),
  PasswordSet: event(
    'user',
    { password_version: 'integer', password_digest: 'text' },
    'lasting',
    'password set',
  ),
  PasswordRecovered: event(
    'user',
    { password_version: 'integer', password_digest: 'text', token_id: 'text' },
    'lasting',
    'password recovered',
  ),
  PasswordRehashed: event('user', { password_digest: 'text' }, 'lasting', 'password hashed again'),

  // of signing keys
  SigningKeyCreated: event(
    'key',
    { purpose: 'purpose of key' },
    'lasting',
    ({ purpose }) => `signing key created: ${purpose}`,
  ),
  SigningKeyRetired: event('key', {}, 'lasting', 'signing key retired'),
  SigningKeyReencrypted: event(
    'key',
    { key_encryption_key_id: 'text' },
    'lasting',
    'signing key encrypted again',
  ),

  ...MAIL_EVENTS,
  ...REFUSALS,
  // The reasons, and at most ten applications or users, each with the highest count first.
  RefusalsSummarized: event(
    'service',
    {
      type: 'type of refusal',
      count: 'integer',
      from: 'time',
      to: 'time',
      reasons: 'count of reasons',
      subjects: 'count of subjects',
    },
    'none',
    ({ type, count }) => `${REFUSALS[type].words} ${count} more times`,
  ),

  // of the log. `through` is the last position of which the entry may be missing, `entries` how many up to there are pruned, now or earlier.
  // `proof` is a signed note of the positions that this entry adds (pruning-proof.ts).
  LogRenewed: event('service', { previous_origin: 'text', size: 'integer' }, 'lasting', 'log renewed'),
  LogPruned: event(
    'service',
    { before: 'time', through: 'integer', entries: 'integer', proof: 'text' },
    'lasting',
    ({ entries }) => `log pruned: ${entries} entries`,
  ),
}

export type EventType = keyof typeof EVENTS

type Shapes = {
  [Type in EventType]: (typeof EVENTS)[Type] extends EventRow<infer Kind, infer Of>
    ? Readonly<{
        type: Type
        /** The version of this type's fields. */
        version: 1
        subject: Readonly<{ kind: Kind; id: string }>
        data: DataOf<Of>
      }>
    : never
}

export type Event = Shapes[EventType]

/** The event of this type. */
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>

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

/** Who caused an event. The id of an operator is a name that the operator chose, or absent. */
export type Actor = Readonly<
  { kind: 'application' | 'user'; id: string } | { kind: 'operator'; id?: string } | { kind: 'nobody' }
>
