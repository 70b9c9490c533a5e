import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Background } from '../ports/background.ts'
import type { Outbox } from '../ports/outbox.ts'
import type { ProtocolState } from '../ports/protocol-state.ts'
import { EXPIRING_TABLES, type ExpiringTable, type Store, type StoreUnavailable } from '../ports/store.ts'
import type { SteadyClock } from '../recording/steady-clock.ts'
import { TABLE_RULES } from '../recording/tables.ts'

/** Deletes expired rows and labels of ended sessions in the background, until the background closes. */
export type Housekeeping = Readonly<{
  /** A second call does nothing. */
  start(): void
}>

/** The tables from which rows are deleted. */
export type DeletedTable = ExpiringTable | 'mails' | 'protocol_state'

/** Is told what happens. It changes nothing and does not throw. */
export type HousekeepingObserver = Readonly<{
  deleted(table: DeletedTable, rows: number): void
  failed(failure: StoreUnavailable): void
}>

/**
 * Erases labels of ended sessions, and deletes expired sessions, one-time tokens and revocations (docs/operate.md). `TABLE_RULES` says how
 * long they stay. Then it deletes failed mails that no operator has sent again in time, and
 * expired entries of the protocol state.
 *
 * Once a minute it erases labels until none is left, then walks through the tables, and deletes from each one until no expired row is
 * left. A transaction touches at most `ROWS_PER_TRANSACTION` rows, and a pause follows it, so that requests hardly notice. If it cannot erase labels, it still deletes rows: no failure of the one may keep the others. A failed
 * deletion ends the walk, and the next one starts from the beginning. Several instances may do the same at once. A deleted row is lost, so
 * a steady clock says what has expired.
 */
export const housekeeping = ({
  store,
  outbox,
  protocolState,
  background,
  now,
  observer,
}: Readonly<{
  store: Pick<Store, 'deleteExpired' | 'eraseEndedLabels'>
  /** Absent if the storage keeps no mails. */
  outbox?: Pick<Outbox, 'deleteFailed'> | undefined
  /** Absent if the storage has none. */
  protocolState?: Pick<ProtocolState, 'deleteExpired'> | undefined
  background: Background
  now: SteadyClock
  observer: HousekeepingObserver
}>): Housekeeping => {
  const sweeps = sweepsOf(store, outbox, protocolState)
  let started = false

  const deleteFrom =
    (index: number): Task<void> =>
    async () => {
      const sweep = sweeps[index]
      if (sweep === undefined) return walkLater()
      const outcome = await pipe(
        now,
        TE.chain((milliseconds) => sweep.run(Math.floor(milliseconds / 1000))),
      )()
      if (isLeft(outcome)) {
        observer.failed(outcome.left)
        return walkLater()
      }
      const deleted = outcome.right
      if (deleted > 0) observer.deleted(sweep.table, deleted)
      const next = deleted < ROWS_PER_TRANSACTION ? index + 1 : index
      return next === sweeps.length ? walkLater() : later(PAUSE_MS, deleteFrom(next))
    }

  const eraseLabels: Task<void> = async () => {
    const outcome = await store.eraseEndedLabels(ROWS_PER_TRANSACTION)()
    if (isLeft(outcome)) observer.failed(outcome.left)
    const isMore = isRight(outcome) && outcome.right
    return later(PAUSE_MS, isMore ? eraseLabels : deleteFrom(0))
  }

  /** When the service stops, `after` runs what was delayed, but `run` refuses it. So nothing delays the stop. */
  const later = (milliseconds: number, work: Task<void>): void =>
    background.after(milliseconds, async () => {
      if (!background.run(work)) walkLater()
    })

  const walkLater = (): void => later(INTERVAL_MS, eraseLabels)

  return {
    start: () => {
      if (started) return
      started = true
      later(FIRST_AFTER_MS, eraseLabels)
    },
  }
}

/** What a walk deletes from, in its order. */
const sweepsOf = (
  store: Pick<Store, 'deleteExpired'>,
  outbox: Pick<Outbox, 'deleteFailed'> | undefined,
  protocolState: Pick<ProtocolState, 'deleteExpired'> | undefined,
): ReadonlyArray<Sweep> => [
  ...EXPIRING_TABLES.map(
    (table): Sweep => ({
      table,
      run: (nowSeconds) =>
        store.deleteExpired({
          table,
          beforeSeconds: nowSeconds - TABLE_RULES[table].keptSeconds,
          limit: ROWS_PER_TRANSACTION,
        }),
    }),
  ),
  ...(outbox === undefined
    ? []
    : [
        {
          table: 'mails',
          run: (beforeSeconds: number) => outbox.deleteFailed({ beforeSeconds, limit: ROWS_PER_TRANSACTION }),
        } as const,
      ]),
  ...(protocolState === undefined
    ? []
    : [
        {
          table: 'protocol_state',
          run: (nowSeconds: number) => protocolState.deleteExpired(nowSeconds, ROWS_PER_TRANSACTION),
        } as const,
      ]),
]

type Sweep = Readonly<{
  table: DeletedTable
  run: (nowSeconds: number) => TE.TaskEither<StoreUnavailable, number>
}>

const ROWS_PER_TRANSACTION = 100

/** At most ten transactions a second. */
const PAUSE_MS = 100

const INTERVAL_MS = 60_000

/** Lets a server that has just started answer its first requests. */
const FIRST_AFTER_MS = 1_000
