import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { EXPIRING_TABLES, type ExpiredQuery, type Store, type StoreUnavailable } from '../ports/store.ts'
import type { MissingRow } from '../recording/ledger.ts'
import { pages } from '../recording/pages.ts'

/** Rows that are missing before their expiry, and nothing else is wrong: what housekeeping leaves behind if a clock is ahead. */
export type EarlyDeletion = Readonly<{
  tables: ReadonlyArray<ExpiredQuery['table']>
  /** Undefined if no entry shows such a clock, or not one that was ahead far enough. */
  clock: ClockAhead | undefined
}>

/** The first entry of a clock that was ahead, and by how much. */
export type ClockAhead = Readonly<{ position: number; seconds: number }>

/** The greatest step back in the times of the log, in milliseconds since the epoch. */
type StepBack = Readonly<{ from: number; to: number }>

/**
 * Collects times in the order of the log, as entries have them: of two, the later one is the greater text. Small steps back are no
 * finding: several instances write at once.
 */
export const stepsBack = () => {
  let latest = ''
  let greatest: StepBack | undefined
  return {
    note: (at: string): void => {
      if (at >= latest) {
        latest = at
        return
      }
      const [from, to] = [Date.parse(latest), Date.parse(at)]
      const least = greatest === undefined ? TOLERANCE_MS : greatest.from - greatest.to
      if (from - to > least) greatest = { from, to }
    },
    greatest: (): StepBack | undefined => greatest,
  }
}

/** Corrections by a time server are smaller. */
const TOLERANCE_MS = 60_000

/** Whether a clock that was ahead explains that these rows are wrong, and no others. */
export const earlyDeletionOf = async (
  store: Pick<Store, 'readEvents'>,
  wrong: ReadonlyArray<Partial<MissingRow>>,
  step: StepBack | undefined,
): Promise<Either<StoreUnavailable, EarlyDeletion | undefined>> => {
  const tables = EXPIRING_TABLES.filter((one) => wrong.some(({ table }) => table === one))
  const expiries = wrong.map(({ expiresAtSeconds = Number.POSITIVE_INFINITY }) => expiresAtSeconds * 1000)
  if (tables.length === 0 || expiries.includes(Number.POSITIVE_INFINITY)) return right(undefined)
  const isExplained = step !== undefined && expiries.every((expiry) => expiry <= step.from)
  const clock = isExplained ? await findClockAhead(store, step) : right(undefined)
  return isLeft(clock) ? clock : right({ tables, clock: clock.right })
}

/** Finds the first entry that is later than the time after a step back. */
const findClockAhead = async (
  store: Pick<Store, 'readEvents'>,
  { from, to }: StepBack,
): Promise<Either<StoreUnavailable, ClockAhead | undefined>> => {
  const read = (after: number, limit: number) => store.readEvents({ after, limit })
  for await (const page of pages(read, 0, ({ position }) => position)) {
    if (isLeft(page)) return page
    const first = page.right.find(({ at }) => Date.parse(at) - to > TOLERANCE_MS)
    if (first !== undefined)
      return right({ position: first.position, seconds: Math.round((from - to) / 1000) })
  }
  return right(undefined)
}
