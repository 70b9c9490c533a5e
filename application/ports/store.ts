import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import type { Actor, Event, EventType } from '../../domain/event.ts'
import type { Session, SessionFacts } from '../../domain/session.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { RevokedToken } from '../../domain/token.ts'
import type { User } from '../../domain/user.ts'

/**
 * Everything the service remembers: the event log, and the rows that follow from it.
 *
 * Every method may be called at any time, concurrently, also from several processes on one store. None throws
 * and none rejects: what can go wrong is in the `Left`. After `close` every method answers `StoreUnavailable`.
 *
 * Every text in a change, whether in an event or in a row, is well-formed Unicode without U+0000, for there are databases
 * whose texts hold nothing else. A look-up by an id or an e-mail may be asked with any string there is: one that no row can
 * have finds nothing.
 *
 * A store shares no object with its callers that they could alter: what is altered in a change after its commit has resolved, or
 * in an answer, alters nothing that is stored and nothing that others are answered. Frozen objects may be given to several.
 */
export interface Store {
  /**
   * Writes what happened and what follows from it, in one durable transaction or not at all.
   *
   * - Success: the events stand in the log at the next positions (gap-free, in the order given) and every row is
   *   written; both survive a crash of the process and of the machine from the moment the task resolves, and
   *   every later read sees them. Before that a read sees all of the change or nothing of it. Once one read has seen it, each
   *   read that begins later sees it, too.
   * - A change whose id is in the log already is a success that writes nothing, so that an unknown outcome can be
   *   resolved by committing again.
   * - A change that holds an event twice, or one that another change has logged, is `StoreUnavailable`: ids are never given
   *   twice, so whoever made it is out of order. Nothing was written.
   * - Rows are judged in their order, each by what the ones before it have left: first its version, then its e-mail. The first that
   *   does not fit decides. So one record may be written twice in a change, and a user take the e-mail that another gives up before.
   * - `Conflict`: a row's version is not one above the stored one (a row never written counts as version 0).
   *   Nothing was written.
   * - `EmailTaken`: another user has the e-mail, compared by `emailKey`. Nothing was written.
   * - `StoreUnavailable`: the store could not do it now. Nothing was written, unless `outcome` is 'unknown': then the
   *   answer itself was lost, and committing the same change again tells. A store whose answer was lost says 'unknown', or finds
   *   out first what became of the change.
   *
   * The store does not know what an event means.
   */
  commit(change: Change): TaskEither<Conflict | EmailTaken | StoreUnavailable, void>

  /**
   * The application with this id, as last committed. It should take as long for an id that nobody has: keys that fail are
   * answered alike, and the time must not tell them apart either.
   */
  findApplication(id: string): TaskEither<StoreUnavailable, Option<Application>>

  /**
   * The application with this id, and beside it the record of the revoked token with that id (`jti`), if there is one, whoever's
   * it was; both as last committed. None when there is no such application.
   */
  findTokenHolder(applicationId: string, tokenId: string): TaskEither<StoreUnavailable, Option<TokenHolder>>

  /** The user whose e-mail has the same `emailKey`, as last committed. The same goes for the time it takes. */
  findUserByEmail(email: string): TaskEither<StoreUnavailable, Option<User>>

  /**
   * The session with this id together with its user and the application it names, all as of one moment. The application is none
   * where the session names none, or there is no such application.
   */
  findSession(id: string): TaskEither<StoreUnavailable, Option<SessionFacts>>

  /**
   * The sessions of a user that are not signed out, were opened or last re-written under this password version, expire after
   * this second, and name no application or one that is there and not revoked: the one that expires last first, and of two that expire together the one with the greater id (code point by
   * code point). At most `limit`.
   *
   * It takes no longer where others have sessions, nor should it for a user who had more of them. A user that is not there has
   * none.
   */
  listSessions(query: SessionQuery): TaskEither<StoreUnavailable, ReadonlyArray<Session>>

  /**
   * The schemes of the passwords in use: every `passwordScheme` of a user but '', each once, ascending (code point by code
   * point), and no more than the first `PASSWORD_SCHEMES_AT_MOST`. It should take no longer for more users.
   */
  listPasswordSchemes(): TaskEither<StoreUnavailable, ReadonlyArray<string>>

  /** Every signing key, oldest first. There are a handful. */
  listSigningKeys(): TaskEither<StoreUnavailable, ReadonlyArray<SigningKey>>

  /** Rows of one table with an id above `after`, ascending by id (code point by code point), at most `limit`. */
  listRows<T extends Table>(query: RowQuery<T>): TaskEither<StoreUnavailable, ReadonlyArray<RowOf<T>>>

  /**
   * Entries of the log with a position above `after`, and none above `through` if that is given, ascending, at most `limit` of them.
   *
   * The store may look at every entry of the range to find those of a `type`, and no index of types is asked of it. A caller that
   * names a rare type gives `through`, so that each call takes a bounded time; `eventPages` does.
   */
  readEvents(query: EventQuery): TaskEither<StoreUnavailable, ReadonlyArray<LogEntry>>

  /**
   * The epoch of the log: 8 random hexadecimal digits, fixed when the log is made, and replaced by each renewal. An epoch never comes
   * back once it was replaced. So a position together with its epoch names one entry for ever, and entries that were read between
   * two equal answers are of that epoch.
   */
  readEpoch(): TaskEither<StoreUnavailable, string>

  /**
   * Gives the log another epoch and appends the entry that `entryOf` returns, in one durable transaction or not at all. Resolves
   * with the new epoch. `entryOf` may be called several times; the last call counts.
   *
   * A store that finds that it continues from a copy (a restored back-up, another server) renews its epoch before it writes,
   * with an entry of its own: `logRenewed` by nobody, in the same transaction as the new epoch. Reading renews nothing.
   */
  renewEpoch(entryOf: (ended: EndedEpoch) => NewEntry): TaskEither<StoreUnavailable, string>

  /**
   * Success if a change could be committed now, as far as the store can tell without writing one. `/readyz` calls it every few
   * seconds, so that it is cheap and leaves no trace. A store that refuses changes until it is mended (a standby, a read-only
   * database, a full disk) is `StoreUnavailable`, and is a success again as soon as it is mended.
   */
  checkWritable(): TaskEither<StoreUnavailable, void>

  /** Waits for the commits that were asked for, then lets go of the store. A second call does nothing. */
  close: Task<void>
}

export const PASSWORD_SCHEMES_AT_MOST = 100

/** What is to be written: only `application/recording/facts.ts` makes one. */
export type Change = Readonly<{
  /** The id of its first event. */
  id: string
  events: NonEmptyArray<NewEntry>
  /**
   * Whole rows. A row's `version` is one above the version it was read at; 1 makes a new one. They are judged in their order, each
   * by what the ones before it have left, and the first that does not fit decides.
   */
  rows: ReadonlyArray<Row>
}>

export type Row =
  | Readonly<{ table: 'applications'; row: Application }>
  | Readonly<{ table: 'users'; row: User }>
  | Readonly<{ table: 'sessions'; row: Session }>
  | Readonly<{ table: 'keys'; row: SigningKey }>
  | Readonly<{ table: 'revoked_tokens'; row: RevokedToken }>

export type Table = Row['table']
export type RowOf<T extends Table> = Extract<Row, { table: T }>['row']
/** `after` is an id, not of a row that has to be there, or '' for the beginning. It is such a text as a change may hold. */
export type RowQuery<T extends Table> = Readonly<{ table: T; after: string; limit: number }>

/** An event with all that the log says of it, but for its position. */
export type NewEntry = Event &
  Readonly<{
    /** UUIDv7. */
    id: string
    /** RFC 3339, UTC, milliseconds. */
    at: string
    actor: Actor
    /** Absent when there was no request. */
    request_id?: string
  }>

/** `position` counts 1, 2, 3 … without gaps. */
export type LogEntry = NewEntry & Readonly<{ position: number }>

/** `size` is the number of entries in the log as its epoch ends. */
export type EndedEpoch = Readonly<{ epoch: string; size: number }>

/** `after` and `through` are positions, not of entries that have to be there. A range that ends before it begins is empty. */
export type EventQuery = Readonly<{ after: number; through?: number; limit: number; type?: EventType }>

/** `expiresAfterSeconds` is a whole number. */
export type SessionQuery = Readonly<{
  userId: string
  passwordVersion: number
  expiresAfterSeconds: number
  limit: number
}>

export type TokenHolder = Readonly<{ application: Application; revocation: Option<RevokedToken> }>

export type Conflict = Readonly<{ _tag: 'Conflict' }>
export type EmailTaken = Readonly<{ _tag: 'EmailTaken' }>

/**
 * `reason` is for operators: it names what failed. It stands in the log as it is (`cause`), so that it holds nothing secret and
 * nothing of what was asked for or kept. `portcullis_store_errors_total` counts it under the word it is, if that is one of
 * `closed`, `full`, `busy`, `unreadable`, `disk`, `connection`, `refused`; under the word that fits a well-known code alone
 * (of the system, as `ENOSPC`; of SQLite, as `SQLITE_BUSY`; of PostgreSQL, as `53100`); and anything else under `other`.
 */
export type StoreUnavailable = Readonly<{ _tag: 'StoreUnavailable'; reason: string; outcome?: 'unknown' }>
