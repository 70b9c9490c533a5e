import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Outbox, OutboxFull } from '../../../application/ports/outbox.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { dueMails, MAIL_ROW, manyMails } from '../records/mail-row.ts'
import { unavailable } from '../records/unavailable.ts'
import type { Connections } from './connections.ts'
import {
  COUNT_MAILS,
  claimOf,
  DELETE_FAILED,
  DELETE_HELD,
  DROP,
  FAIL_HELD,
  INSERT_WITHIN_BOUND,
  MAILS_AFTER,
  MAILS_IN_STATE,
  POSTPONE,
  RETRY,
} from './outbox-statements.ts'
import { done, sideTables } from './side-tables.ts'

/** The outbox in the database of the store. Leases begin and end by the clock of the database. */
export const postgresOutbox = (connections: Pick<Connections, 'read' | 'transaction'>): Outbox => {
  const { read, write } = sideTables(connections)
  const writeOne = (sql: string, values: ReadonlyArray<unknown>): TaskEither<StoreUnavailable, boolean> =>
    write(sql, values, ([row]) => E.right(Number(row?.done) === 1))

  return {
    put: ({ mail, unseenAtMost }) =>
      pipe(
        writeOne(INSERT_WITHIN_BOUND, [JSON.stringify([MAIL_ROW.encode(mail)]), unseenAtMost]),
        TE.chainW((isWritten) =>
          isWritten ? TE.right(undefined) : TE.left<OutboxFull>({ _tag: 'OutboxFull' }),
        ),
      ),
    claim: ({ claim, nowSeconds, leaseSeconds, limit, unseenRequestsOnly = false }) =>
      write(claimOf(unseenRequestsOnly), [claim, nowSeconds, leaseSeconds, Math.max(0, limit)], (rows) =>
        dueMails(rows.filter(({ id }) => id !== null)),
      ),
    postpone: ({ id, claim, dueAtSeconds, code, givesBack }) =>
      writeOne(POSTPONE, [id, claim, dueAtSeconds, code, givesBack ? 1 : 0]),
    settle: ({ id, claim, failed }) =>
      failed === undefined
        ? writeOne(DELETE_HELD, [id, claim])
        : writeOne(FAIL_HELD, [id, claim, failed.code, failed.keptUntilSeconds]),
    list: ({ state, after, limit }) => {
      const page = [after, Math.max(0, limit)]
      return O.isNone(state)
        ? read(MAILS_AFTER, page, manyMails)
        : read(MAILS_IN_STATE, [...page, state.value], manyMails)
    },
    counts: () =>
      read(COUNT_MAILS, [], ([row]) =>
        row === undefined
          ? unavailable('the counts of mails are missing')
          : E.right({
              waiting: Number(row.waiting),
              failed: Number(row.failed),
              oldestDueAtSeconds: pipe(O.fromNullable(row.oldest), O.map(Number)),
            }),
      ),
    retry: (mails) =>
      write(
        RETRY,
        [
          JSON.stringify(
            mails.map(({ id, dueAtSeconds, expiresAtSeconds }) => ({
              id,
              due_at: dueAtSeconds,
              expires_at: expiresAtSeconds,
            })),
          ),
        ],
        done,
      ),
    drop: (ids) => write(DROP, [ids], done),
    deleteFailed: ({ beforeSeconds, limit }) =>
      write(DELETE_FAILED, [beforeSeconds, Math.max(0, limit)], done),
  }
}
