import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { ReadonlyNonEmptyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import type { Factor, FactorFacts } from '../../domain/factor.ts'
import type { Mail } from '../../domain/mail.ts'
import type { OneTimeToken, OneTimeTokenFacts } from '../../domain/one-time-token.ts'
import type { Session, SessionFacts } from '../../domain/session.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { RevokedToken } from '../../domain/token.ts'
import type { User } from '../../domain/user.ts'
import type { Conflict, EmailTaken, StoreUnavailable } from './failures.ts'
import type { EndedEpoch, EventQuery, LogEntry, NewEntry } from './log-entry.ts'
import type { SettledMail } from './outbox.ts'
import type { SchemeQuery, SessionQuery, UserKeys, UserQuery } from './user-query.ts'

export type { Conflict, EmailTaken, StoreUnavailable } from './failures.ts'
export type { EndedEpoch, EventQuery, LogEntry, NewEntry } from './log-entry.ts'
export type { SchemeQuery, SessionQuery, UserKeys, UserQuery } from './user-query.ts'

/**
 * Everything that the service stores: the event log, and the rows that follow from it.
 *
 * Every method may be called at any time, concurrently, also from several processes on one store. No method throws or rejects:
 * failures are in the `Left`. After `close` every method answers `StoreUnavailable`.
 *
 * Every text in the events and rows of a change is well-formed Unicode without U+0000, because some databases accept no other text.
 * A look-up by an id or an e-mail accepts any string. It finds nothing for a string that no row can have.
 *
 * A store shares no mutable object with its callers. Changing an answer, or a change after its commit has resolved, must not alter
 * stored data or later answers. A store may return the same frozen object several times.
 */
export interface Store {
  /**
   * Writes events and rows in one durable transaction, or nothing.
   *
   * - Success: the log has the events at the next positions, without gaps and in the given order, and every row is written.
   *   When the task resolves, both survive a crash of the process and of the machine, and every later read sees them. Before
   *   that, a read sees all of the change or nothing. After one read has seen it, each read that starts later sees it too.
   * - A change whose id is already in the log is a success that writes nothing. So a caller can resolve an unknown outcome with
   *   another commit.
   * - A change that contains an event twice, or an event that another change has logged, is `StoreUnavailable`: ids are unique, so
   *   the caller is faulty. Nothing is written.
   * - The store checks the compared rows first, against the state before the change. No other change writes them between this check
   *   and the commit. `Conflict`: a compared row has another version, or is missing. Nothing is written.
   * - Then it checks the rows in their order, each against the state after the rows before it: first the version, then the
   *   e-mail. The first failing row decides. So a change may write a record twice, and a user may take the e-mail that an earlier
   *   row releases.
   * - `Conflict`: a row's version is not the stored version plus one. A new row counts as stored version 0. Nothing is written.
   * - `EmailTaken`: another user has the e-mail, compared by `emailKey`. Nothing is written.
   * - A storage with the port `Outbox` writes `mails`, `settled` and `withdrawn` in the same transaction. One without it
   *   keeps no mails, so it ignores `withdrawn`, and no change has the others.
   * - `StoreUnavailable`: the store cannot write now. Nothing is written, unless `outcome` is 'unknown'. Then the answer was lost,
   *   and another commit of the same change resolves it. A store that loses the answer says 'unknown', or finds out first whether
   *   it wrote the change.
   *
   * The store does not interpret events.
   */
  commit(change: Change): TaskEither<Conflict | EmailTaken | StoreUnavailable, void>

  /**
   * Returns the application with this id, as last committed. An unknown id should take the same time, because the response to wrong
   * keys must not show whether the application exists.
   */
  findApplication(id: string): TaskEither<StoreUnavailable, Option<Application>>

  /**
   * Returns the application with this id, and the record of the revoked token with that id (`jti`), if there is one. The token may
   * belong to another application. Both are as last committed. It is none if the application does not exist.
   */
  findTokenHolder(applicationId: string, tokenId: string): TaskEither<StoreUnavailable, Option<TokenHolder>>

  /** Returns the user whose e-mail has the same `emailKey`, as last committed. An unknown e-mail should take the same time. */
  findUserByEmail(email: string): TaskEither<StoreUnavailable, Option<User>>

  /** Returns the user with this id, as last committed. */
  findUser(id: string): TaskEither<StoreUnavailable, Option<User>>

  /**
   * Returns which of many users exist, as last committed: of these e-mails, given by their `emailKey`, those that users have, and of
   * these ids, those of users in any status. Both stay in the given order. An import asks for a thousand at once, so a store
   * answers them together, not one by one.
   */
  findKnownUsers(keys: UserKeys): TaskEither<StoreUnavailable, UserKeys>

  /**
   * Returns the one-time token with this digest, its user and its application, all as of one moment. It is none if one of the
   * three does not exist.
   */
  findOneTimeToken(digest: string): TaskEither<StoreUnavailable, Option<OneTimeTokenFacts>>

  /**
   * Returns the session with this id, its user and its application, all as of one moment. The application is none if it
   * does not exist. A session that has ended (`withoutEndedLabel`) has no label here.
   */
  findSession(id: string): TaskEither<StoreUnavailable, Option<SessionFacts>>

  /**
   * Returns at most `limit` sessions of a user that are not signed out, have these versions of the user and expire after this second.
   * Their application exists and is not revoked. They are sorted by expiry, latest first, then by id, greatest
   * first (code point by code point). The first `skip` of them are left out.
   *
   * Sessions of other users must not make it slower, and earlier sessions of the same user should not. An unknown user has no
   * sessions.
   */
  listSessions(query: SessionQuery): TaskEither<StoreUnavailable, ReadonlyArray<Session>>

  /**
   * Returns the factors of a user that are not removed, ascending by id (code point by code point). Factors of other users must not
   * make it slower, and removed ones should not. An unknown user has no factors.
   */
  listFactors(userId: string): TaskEither<StoreUnavailable, ReadonlyArray<Factor>>

  /**
   * Returns the factor with this id, removed or not, and its user, both as of one moment. It is none if one of them does not exist.
   */
  findFactor(id: string): TaskEither<StoreUnavailable, Option<FactorFacts>>

  /**
   * Returns at most `limit` users behind `after` that meet the conditions, ascending by id, or with a prefix by that key (code point by
   * code point). Removed users are never returned, and many of them should not make it slower. Users without the prefix must not.
   */
  listUsers(query: UserQuery): TaskEither<StoreUnavailable, ReadonlyArray<User>>

  /**
   * Returns at most `limit` of the password schemes in use above `after`: every `passwordScheme` of a user except '', each once,
   * ascending (code point by code point). Neither more users nor earlier schemes should make it slower.
   */
  listPasswordSchemes(query: SchemeQuery): TaskEither<StoreUnavailable, ReadonlyArray<string>>

  /** Returns every signing key, oldest first. There are few. */
  listSigningKeys(): TaskEither<StoreUnavailable, ReadonlyArray<SigningKey>>

  /** Returns at most `limit` rows of one table with an id above `after`, ascending by id (code point by code point). */
  listRows<T extends Table>(query: RowQuery<T>): TaskEither<StoreUnavailable, ReadonlyArray<RowOf<T>>>

  /**
   * Returns at most `limit` entries of the log with a position above `after`, and up to `through` if given, ascending.
   *
   * The store needs no index of types: it may read every entry of the range to find those of a `type`. A caller that
   * filters by type gives `through`, so that each call takes a bounded time. `eventPages` does that.
   */
  readEvents(query: EventQuery): TaskEither<StoreUnavailable, ReadonlyArray<LogEntry>>

  /**
   * Returns the epoch of the log: 8 random hexadecimal digits. The store chooses it when it creates the log, and each renewal
   * replaces it. A replaced epoch never returns. So a position and its epoch always name the same entry, and entries that were
   * read between two equal answers belong to that epoch.
   */
  readEpoch(): TaskEither<StoreUnavailable, string>

  /**
   * Gives the log a new epoch and appends the entry that `entryOf` returns, in one durable transaction, or does nothing. It resolves
   * with the new epoch. `entryOf` may be called several times; the last call counts.
   *
   * A store that detects that it is a copy (a restored backup, another server) renews its epoch before it writes. It
   * appends its own entry, `logRenewed` with the actor `nobody`, in the transaction of the new epoch. Reads renew nothing.
   * So the copy and its original have the same entries up to the `size` of this entry, and cursors up to there stay valid.
   */
  renewEpoch(entryOf: (ended: EndedEpoch) => NewEntry): TaskEither<StoreUnavailable, string>

  /**
   * Deletes at most `limit` rows of a table that expired before this second, in one transaction: those that expired first, then those
   * with the lowest ids (code point by code point). It resolves with their number. If that is below `limit`, no such row is left,
   * except rows that another transaction holds: they may stay.
   *
   * Rows that have not expired should not make it slower, so an index on the expiry should find the others. Nothing else changes,
   * and the log keeps its entries. A crash may undo the deletion.
   */
  deleteExpired(query: ExpiredQuery): TaskEither<StoreUnavailable, number>

  /**
   * Erases the labels of at most `limit` sessions whose `passwordVersion` or `sessionsVersion` is no longer that of their user, in one
   * transaction, and nothing else. It resolves with whether such labels may be left. Other users and sessions should not make it slower.
   */
  eraseEndedLabels(limit: number): TaskEither<StoreUnavailable, boolean>

  /**
   * Succeeds if the store could commit a change now. No event and no row changes. `/readyz` calls it every few seconds, so it is cheap, and
   * calls that overlap may share one answer. It is `StoreUnavailable` while the store refuses changes (a standby, a read-only database, a
   * full disk) or commits hang (a synchronous standby that does not answer), and succeeds again as soon as the cause is gone. After a failed
   * commit that is once a batch of sign-ins has room: in a full disk or quota, a smaller commit may still succeed, and is no proof.
   */
  checkWritable(): TaskEither<StoreUnavailable, void>

  /** Waits for the pending commits, then releases the store. A second call does nothing. */
  close: Task<void>
}

/** The events and rows of one commit, and the rows that it compares. Only `application/recording/facts.ts` makes one. */
export type Change = Readonly<{
  /** The id of its first event. */
  id: string
  events: NonEmptyArray<NewEntry>
  /** Rows that the decision depends on, and that the change does not write. `commit` compares them before it writes `rows`. */
  compared: ReadonlyArray<ComparedRow>
  /** Whole rows. A row's `version` is the version that was read plus one; 1 creates a row. `commit` checks them in this order. */
  rows: ReadonlyArray<Row>
  /** New mails (`Outbox`). One with a known id is not written again. Absent if there are none, like the two fields below. */
  mails?: ReadonlyArray<Mail>
  /** Mails that their senders have done with. It is a `Conflict` if a claim has its mail no longer, so of two senders one logs it. */
  settled?: ReadonlyArray<SettledMail>
  /** Ids of mails that are no longer true. Waiting ones are deleted, also claimed ones. Another id is no conflict. */
  withdrawn?: ReadonlyArray<string>
}>

/** A row that was read at this version: 1 or more. */
export type ComparedRow = Readonly<{ table: Table; id: string; version: number }>

/** The record of each table. A record of an expiring table has `expiresAtSeconds`. */
type Records = Readonly<{
  users: User
  sessions: Session
  applications: Application
  keys: SigningKey
  revoked_tokens: RevokedToken
  one_time_tokens: OneTimeToken
  factors: Factor
}>

export type Table = keyof Records
export type RowOf<T extends Table> = Records[T]
/** A row of one of these tables, with its table. */
export type Row<T extends Table = Table> = { [One in T]: Readonly<{ table: One; row: RowOf<One> }> }[T]
export type ExpiringTable = {
  [T in Table]: RowOf<T> extends Readonly<{ expiresAtSeconds: number }> ? T : never
}[Table]

/** The names in this order. A forgotten one does not compile. */
const names = <Name extends string>(all: Readonly<Record<Name, null>>): ReadonlyNonEmptyArray<Name> =>
  Object.keys(all) as never // for the compiler, keys are any strings

/** Every table, in the order in which `doctor` compares them. */
export const TABLES = names<Table>({
  users: null,
  sessions: null,
  applications: null,
  keys: null,
  revoked_tokens: null,
  one_time_tokens: null,
  factors: null,
})

/** The tables with rows that expire, in the order in which housekeeping walks through them. */
export const EXPIRING_TABLES = names<ExpiringTable>({
  sessions: null,
  one_time_tokens: null,
  revoked_tokens: null,
})

/** Makes the same for each table. */
export const perTable = <A>(of: (table: Table) => A): Readonly<Record<Table, A>> =>
  Object.fromEntries(TABLES.map((table) => [table, of(table)])) as Record<Table, A>

/** The methods that can fail: every one but `close`. */
export const STORE_METHODS = names<Exclude<keyof Store, 'close'>>({
  commit: null,
  findApplication: null,
  findTokenHolder: null,
  findUserByEmail: null,
  findUser: null,
  findKnownUsers: null,
  findOneTimeToken: null,
  findSession: null,
  listSessions: null,
  listFactors: null,
  findFactor: null,
  listUsers: null,
  listPasswordSchemes: null,
  listSigningKeys: null,
  listRows: null,
  readEvents: null,
  readEpoch: null,
  renewEpoch: null,
  deleteExpired: null,
  eraseEndedLabels: null,
  checkWritable: null,
})

/** `after` is an id or '' for the beginning. The row need not exist. It is a text that a change may contain. */
export type RowQuery<T extends Table> = Readonly<{ table: T; after: string; limit: number }>

/** `beforeSeconds` is a whole number. */
export type ExpiredQuery = Readonly<{ table: ExpiringTable; beforeSeconds: number; limit: number }>

export type TokenHolder = Readonly<{ application: Application; revocation: Option<RevokedToken> }>
