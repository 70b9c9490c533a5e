import type Database from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Clock } from '../../../application/ports/environment.ts'
import type { Outbox, OutboxFull, SettledMail } from '../../../application/ports/outbox.ts'
import type { Change, StoreUnavailable } from '../../../application/ports/store.ts'
import { dueMails, MAIL_ROW, manyMails } from '../records/mail-row.ts'
import {
  COUNT_MAILS,
  claimOf,
  DELETE_FAILED,
  DELETE_HELD,
  DROP,
  FAIL_HELD,
  INSERT_MAIL,
  INSERT_WITHIN_BOUND,
  MAILS_AFTER,
  MAILS_IN_STATE,
  POSTPONE,
  RETRY,
  WITHDRAW,
} from './outbox-statements.ts'
import { type Prepare, preparing } from './preparing.ts'

/** How the store reads and writes. Work is written in the transaction of the changes that wait, and may be done twice. */
type Access = Readonly<{
  read: <A>(query: () => E.Either<StoreUnavailable, A>) => TaskEither<StoreUnavailable, A>
  write: <A>(work: () => A) => TaskEither<StoreUnavailable, A>
  /** Removes deleted addresses from the files. */
  erase: () => void
  /** That of the machine, on which all senders of the file are. */
  clock: Clock
}>

/** The outbox in a SQLite file. */
export const sqliteOutbox = (db: Database.Database, { read, write, erase, clock }: Access): Outbox => {
  const statement = preparing(db)

  const deleting = (work: () => number): TaskEither<StoreUnavailable, number> =>
    pipe(
      write(work),
      TE.map((deleted) => {
        if (deleted > 0) erase()
        return deleted
      }),
    )

  return {
    put: ({ mail, unseenAtMost }) =>
      pipe(
        write(() => {
          const { changes } = statement(INSERT_WITHIN_BOUND).run({ ...MAIL_ROW.encode(mail), unseenAtMost })
          return changes === 1 || statement('SELECT 1 FROM mails WHERE id = ?').get(mail.id) !== undefined
        }),
        TE.chainW((isWritten) =>
          isWritten ? TE.right(undefined) : TE.left<OutboxFull>({ _tag: 'OutboxFull' }),
        ),
      ),
    claim: ({ claim, nowSeconds, leaseSeconds, limit, unseenRequestsOnly = false }) =>
      pipe(
        write(() => {
          const now = clock()
          const leasedUntil = now + leaseSeconds * 1_000
          const given = { claim, nowSeconds, now, leasedUntil, limit: Math.max(0, limit) }
          return statement(claimOf(unseenRequestsOnly)).all(given)
        }),
        TE.chain((rows) => TE.fromEither(dueMails(rows))),
      ),
    postpone: ({ givesBack, ...postponed }) =>
      write(() => statement(POSTPONE).run({ ...postponed, givenBack: givesBack ? 1 : 0 }).changes === 1),
    settle: (settled) =>
      pipe(
        deleting(() => (settle(statement, settled) ? 1 : 0)),
        TE.map((done) => done === 1),
      ),
    list: ({ state, after, limit }) =>
      read(() =>
        manyMails(
          O.isNone(state)
            ? statement(MAILS_AFTER).all(after, Math.max(0, limit))
            : statement(MAILS_IN_STATE).all(after, state.value, Math.max(0, limit)),
        ),
      ),
    counts: () =>
      read(() => {
        const { waiting, failed, oldest } = statement(COUNT_MAILS).get() as Counted // it always has a row
        return E.right({ waiting, failed, oldestDueAtSeconds: O.fromNullable(oldest) })
      }),
    retry: (mails) => write(() => mails.filter((mail) => statement(RETRY).run(mail).changes === 1).length),
    drop: (ids) => deleting(() => statement(DROP).run(JSON.stringify(ids)).changes),
    deleteFailed: ({ beforeSeconds, limit }) =>
      deleting(() => statement(DELETE_FAILED).run(beforeSeconds, Math.max(0, limit)).changes),
  }
}

type Counted = Readonly<{ waiting: number; failed: number; oldest: number | null }>

/** Deletes a mail or marks it as failed, if its claim still has it. Returns whether it had. */
const settle = (statement: Prepare, { id, claim, failed }: SettledMail): boolean => {
  const { changes } =
    failed === undefined
      ? statement(DELETE_HELD).run({ id, claim })
      : statement(FAIL_HELD).run({ id, claim, ...failed })
  return changes === 1
}

/** Writes the mails of changes, in their transaction. */
export const mailWriter = (db: Database.Database) => {
  const statement = preparing(db)
  return {
    /** Returns whether every claim still had its mail. */
    settle: ({ settled = [] }: Change): boolean => settled.every((mail) => settle(statement, mail)),
    write: ({ mails = [], withdrawn = [] }: Change): void => {
      for (const id of withdrawn) statement(WITHDRAW).run(id)
      for (const mail of mails) statement(INSERT_MAIL).run(MAIL_ROW.encode(mail))
    },
  }
}
