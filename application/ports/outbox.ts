import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Mail, MailState } from '../../domain/mail.ts'
import type { StoreUnavailable } from './failures.ts'

/**
 * Keeps the mails that wait, and those that failed: an optional port of a storage. They are beside the event log and its rows, and no
 * secret is in them. But their addresses are personal, so a deleted mail leaves no trace in the files of a store.
 *
 * A storage with this port also takes `mails`, `settled` and `withdrawn` of a `Change`, in the transaction of the change. `Store.commit`
 * then promises the same for them as for rows.
 *
 * **Claims.** A sender claims a mail before it sends it, and no other one gets it until the lease ends. The lease begins and ends by a clock
 * that all senders of the store share: that of the database, or of the machine if all senders are on it. So a sender whose own clock is
 * wrong takes no mail of another one. A sender keeps a mail after its lease until another one claims it. Each claim has its own id,
 * and every step of a sender names it: a sender that was overtaken changes nothing.
 *
 * Every method may be called at any time, concurrently, also from several processes on one store. No method throws or rejects. After the
 * `close` of the store, every method answers `StoreUnavailable`. A resolved write is as durable as a change. A store that `store copy`
 * has closed refuses every write.
 */
export interface Outbox {
  /**
   * Adds a waiting mail outside of a change. It does nothing if there is a mail with this id, so a caller can repeat it after an unknown
   * outcome. It is `OutboxFull`, and writes nothing, if `unseenAtMost` request mails or more wait that were never claimed.
   */
  put(query: PutQuery): TaskEither<OutboxFull | StoreUnavailable, void>

  /**
   * Claims at most `limit` waiting mails that are due and have no running lease: those that are due first, then those with the lowest ids
   * (code point by code point). It answers them in this order, as they are after the claim: with one attempt more, one claim more,
   * and this claim.
   *
   * Of concurrent calls, none gets the same mail as another one, and none waits for another one to send. Other mails should not make it
   * slower.
   */
  claim(query: ClaimQuery): TaskEither<StoreUnavailable, ReadonlyArray<Mail>>

  /**
   * Ends the lease of a mail, which becomes due at another time. It resolves with whether this claim still had the mail. With
   * `givesBack`, the attempt does not count: the relay was at fault.
   */
  postpone(query: PostponeQuery): TaskEither<StoreUnavailable, boolean>

  /** Deletes a mail, or marks it as failed, without an event. It resolves with whether this claim still had the mail. */
  settle(mail: SettledMail): TaskEither<StoreUnavailable, boolean>

  /** Returns at most `limit` mails in one state, or in any, with an id above `after`, ascending by id (code point by code point). */
  list(query: MailQuery): TaskEither<StoreUnavailable, ReadonlyArray<Mail>>

  /** Returns how many mails there are. It is asked once a minute. */
  counts(): TaskEither<StoreUnavailable, MailCounts>

  /**
   * Lets failed mails wait again without an attempt or a code, and answers how many. One that is not failed stays as it is. The kind of
   * a mail decides when it expires, so the caller says it.
   */
  retry(mails: ReadonlyArray<RetriedMail>): TaskEither<StoreUnavailable, number>

  /** Deletes the mails with these ids in any state, also claimed ones, and answers how many. */
  drop(ids: ReadonlyArray<string>): TaskEither<StoreUnavailable, number>

  /**
   * Deletes at most `limit` failed mails that expired before this second, those first that expired first. It resolves with their number.
   * Other mails should not make it slower. A crash may undo the deletion.
   */
  deleteFailed(query: FailedMailsQuery): TaskEither<StoreUnavailable, number>
}

/** Too many request mails wait that no sender has looked at. Nothing was written. The same request may succeed later. */
export type OutboxFull = Readonly<{ _tag: 'OutboxFull' }>

/** `mail` is new: it waits, and was never claimed. */
export type PutQuery = Readonly<{ mail: Mail; unseenAtMost: number }>

/**
 * `nowSeconds` decides what is due, and is the sender's. `leaseSeconds` is how long the claim holds; 0 is one that another sender may
 * take at once.
 */
export type ClaimQuery = Readonly<{
  /** A new id for each call. */
  claim: string
  nowSeconds: number
  leaseSeconds: number
  limit: number
  /** Only request mails that were never claimed. A sender looks at them while the relay is down. */
  unseenRequestsOnly?: boolean
}>

/** A mail as its sender names it. */
export type HeldMail = Readonly<{ id: string; claim: string }>

export type PostponeQuery = HeldMail & Readonly<{ dueAtSeconds: number; code: string; givesBack: boolean }>

/** A mail that its sender has done with. Without `failed` it is deleted. */
export type SettledMail = HeldMail & Readonly<{ failed?: MailFailure }>

/** Why a mail failed, and until when it stays. */
export type MailFailure = Readonly<{ code: string; keptUntilSeconds: number }>

/** `after` is an id, or '' for the beginning. No mail needs to have it. */
export type MailQuery = Readonly<{ state: Option<MailState>; after: string; limit: number }>

export type MailCounts = Readonly<{
  waiting: number
  failed: number
  /** Of all waiting mails, the earliest time at which one is due. It may be in the future. */
  oldestDueAtSeconds: Option<number>
}>

export type RetriedMail = Readonly<{ id: string; dueAtSeconds: number; expiresAtSeconds: number }>

/** `beforeSeconds` is a whole number. */
export type FailedMailsQuery = Readonly<{ beforeSeconds: number; limit: number }>

/** The methods of the port. All can fail. */
export const OUTBOX_METHODS = [
  'put',
  'claim',
  'postpone',
  'settle',
  'list',
  'counts',
  'retry',
  'drop',
  'deleteFailed',
] as const satisfies ReadonlyArray<keyof Outbox>
