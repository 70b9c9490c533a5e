import { randomInt } from 'node:crypto'
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { Clock } from '../../../application/ports/environment.ts'
import {
  type CountKey,
  type CountKind,
  type FailureCounts,
  KEPT_AT_MOST,
} from '../../../application/ports/failure-counts.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { Failures } from '../../../domain/throttle.ts'
import { Integer } from '../records/columns.ts'
import { digestOfKey } from '../records/count-key.ts'
import { STORE_CLOSED, unavailable } from '../records/unavailable.ts'
import { inBatches } from './batches.ts'
import type { Connections } from './connections.ts'
import { isLostAnswer, isSerializationFailure, reasonOf } from './errors.ts'
import { ALONE } from './local-commit.ts'

/**
 * Failure counts in the database of the store, shared by all instances. The updates of one moment are read in one
 * statement, decided one after the other, and written in one statement. An update that lost against another instance
 * is repeated.
 *
 * @param keptAtMost the number of keys of each kind, which may be exceeded briefly between two checks
 */
export const postgresFailureCounts = (
  { read, write, isCurrent }: Pick<Connections, 'read' | 'write' | 'isCurrent'>,
  clock: Clock,
  keptAtMost = KEPT_AT_MOST,
): FailureCounts => {
  let closed = false
  const sinceTidied = new Map<CountKind, number>()

  /** Decides all steps, and repeats those whose key another instance has written meanwhile. */
  const decideAll = async (
    steps: ReadonlyArray<Step>,
    attemptsLeft = ATTEMPTS,
  ): Promise<ReadonlyArray<Outcome>> => {
    try {
      const found = await readRows(steps)
      const kept = new Map<string, Kept>()
      for (const { key, kind, next } of steps)
        kept.set(key, { kind, failures: next(kept.get(key)?.failures ?? failuresIn(found.get(key))) })
      const lost = await writeRows(kept, found)
      const raced = steps.filter(({ key }) => lost.has(key))
      if (raced.length > 0) {
        const outcomes =
          attemptsLeft > 0 ? await decideAll(raced, attemptsLeft - 1) : raced.map(() => CONTENDED)
        return steps.map((step) => outcomes[raced.indexOf(step)] ?? DONE)
      }
      return steps.map(() => DONE)
    } catch (error) {
      if (attemptsLeft > 0 && isSerializationFailure(error)) return decideAll(steps, attemptsLeft - 1)
      return steps.map(() => unavailable(reasonOf(error)))
    }
  }

  /** Deletes rows with an impossible version, which no update could continue from. */
  const readRows = async (steps: ReadonlyArray<Step>): Promise<ReadonlyMap<string, Found>> => {
    const { rows } = await read<Record<string, unknown>>(READ, [steps.map(({ key }) => key)])
    const damaged = rows.flatMap(({ key, version }) => (isVersion(version) ? [] : [key]))
    if (damaged.length > 0) {
      await write(REMOVE, [damaged])
      return readRows(steps)
    }
    return new Map(rows.map((row) => [String(row.key), { version: Number(row.version), columns: row }]))
  }

  /** A key without failures keeps a row until `tidy` deletes it. Returns the keys that were not written. */
  const writeRows = async (
    kept: ReadonlyMap<string, Kept>,
    found: ReadonlyMap<string, Found>,
  ): Promise<ReadonlySet<string>> => {
    const changed = [...kept].flatMap(([key, { kind, failures }]) => {
      const before = found.get(key)
      const version = (before?.version ?? randomInt(FIRST_VERSION_BELOW)) + 1
      return areSame(failures, failuresIn(before)) ? [] : [{ key, kind, version, ...columnsOf(failures) }]
    })
    if (changed.length === 0) return new Set()
    const written = await keysWritten(changed)
    for (const { key, kind } of changed) if (written.has(key)) countWrite(kind)
    await tidy().catch(() => {}) // the counts are written; the next call tries again
    return new Set(changed.flatMap(({ key }) => (written.has(key) ? [] : [key])))
  }

  /** If the connection was lost, the rows tell. Otherwise the failures of a moment would refuse sign-ins, or count twice. */
  const keysWritten = async (changed: ReadonlyArray<Written>): Promise<ReadonlySet<string>> => {
    try {
      const { rows } = await write<{ key: string }>(writeIf(isCurrent()), [JSON.stringify(changed)])
      return new Set(rows.map(({ key }) => key))
    } catch (error) {
      if (!isLostAnswer(error)) throw error
      const { rows } = await read<Record<string, unknown>>(READ, [changed.map(({ key }) => key)])
      const found = new Map(rows.map((row) => [String(row.key), row]))
      return new Set(changed.flatMap((row) => (isStored(row, found.get(row.key)) ? [row.key] : [])))
    }
  }

  const countWrite = (kind: CountKind): void => {
    sinceTidied.set(kind, (sinceTidied.get(kind) ?? 0) + 1)
  }

  /** Of each kind, deletes expired rows as fast as new keys arrive, and the excess from time to time. */
  const tidy = async (): Promise<void> => {
    for (const [kind, writes] of sinceTidied) {
      const most = keptAtMost[kind]
      if (writes < Math.min(WRITES_BETWEEN, most / 10)) continue
      sinceTidied.delete(kind)
      await write(REMOVE_FORGOTTEN, [clock(), kind])
      if (most < Number.POSITIVE_INFINITY) await write(REMOVE_FIRST, [kind, most])
    }
  }

  const steps = inBatches<Step, Outcome>(
    decideAll,
    unavailable('too many failure counts wait for PostgreSQL'),
  )

  return {
    update:
      <Answer>(
        { kind, key }: CountKey,
        decide: (known: O.Option<Failures>) => Readonly<{ kept: O.Option<Failures>; answer: Answer }>,
      ): TaskEither<StoreUnavailable, Answer> =>
      async () => {
        if (closed) return STORE_CLOSED
        let decided: Answer[] = []
        const next = (known: O.Option<Failures>): O.Option<Failures> => {
          const { kept, answer } = decide(known)
          decided = [answer]
          return kept
        }
        const written = await steps.add({ key: digestOfKey(key), kind, next })
        if (isLeft(written)) return written
        const [answer] = decided
        return right(answer as Answer) // every committed step was decided
      },
    close: async () => {
      closed = true
      await steps.drained()
    },
  }
}

type Step = CountKey & Readonly<{ next: (known: O.Option<Failures>) => O.Option<Failures> }>
type Kept = Readonly<{ kind: CountKind; failures: O.Option<Failures> }>
type Found = Readonly<{ version: number; columns: unknown }>
type Written = Readonly<{ key: string; kind: CountKind; version: number }> & ReturnType<typeof columnsOf>
type Outcome = Either<StoreUnavailable, undefined>

const DONE: Outcome = right(undefined)
const CONTENDED: Outcome = unavailable('too many instances count the same failures')

/** For each failed attempt, another instance has written. */
const ATTEMPTS = 50

const WRITES_BETWEEN = 1_000

/** New rows start at a random version, so that a deleted and recreated row is not mistaken for the old one. */
const FIRST_VERSION_BELOW = 2 ** 40

/** The count in a row of a key without failures. */
const NO_FAILURES = -1

const Row = t.type({ count: Integer, refused_until: Integer, forgotten_from: Integer })

/** An unreadable row counts as no failures. */
const failuresIn = (found: Found | undefined): O.Option<Failures> => {
  const row = Row.decode(found?.columns)
  return isLeft(row) || row.right.count === NO_FAILURES
    ? O.none
    : O.some({
        count: row.right.count,
        refusedUntil: row.right.refused_until,
        forgottenFrom: row.right.forgotten_from,
      })
}

const columnsOf = (failures: O.Option<Failures>) => ({
  count: O.isSome(failures) ? failures.value.count : NO_FAILURES,
  refused_until: O.isSome(failures) ? failures.value.refusedUntil : 0,
  forgotten_from: O.isSome(failures) ? failures.value.forgottenFrom : 0,
})

/** Another instance that continued from this row has given it another version. Then this failure counts once more. */
const isStored = (row: Written, found: Readonly<Record<string, unknown>> | undefined): boolean =>
  found !== undefined && Object.entries(row).every(([name, value]) => found[name] === value)

const areSame = (one: O.Option<Failures>, other: O.Option<Failures>): boolean =>
  O.isSome(one) && O.isSome(other)
    ? one.value.count === other.value.count &&
      one.value.refusedUntil === other.value.refusedUntil &&
      one.value.forgottenFrom === other.value.forgottenFrom
    : O.isNone(one) && O.isNone(other)

const isVersion = (version: unknown): boolean =>
  Number.isSafeInteger(version) && Number(version) >= 0 && Number(version) < Number.MAX_SAFE_INTEGER

const REMOVE = 'DELETE FROM portcullis.failure_counts WHERE key = ANY ($1)'

const READ = 'SELECT * FROM portcullis.failure_counts WHERE key = ANY ($1)'

/** Sorted by key, so that two instances cannot deadlock. */
const writeIf = (condition: string): string => `
  WITH ${ALONE}
  INSERT INTO portcullis.failure_counts AS stored (key, kind, count, refused_until, forgotten_from, version)
  SELECT key, kind, count, refused_until, forgotten_from, version
  FROM alone CROSS JOIN pg_catalog.json_populate_recordset(NULL::portcullis.failure_counts, $1)
  WHERE ${condition} ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    kind = excluded.kind, count = excluded.count, refused_until = excluded.refused_until,
    forgotten_from = excluded.forgotten_from, version = excluded.version
  WHERE stored.version = excluded.version - 1
  RETURNING key`

/** Skips rows that another instance is writing, so that two instances cannot deadlock. */
export const REMOVE_FORGOTTEN = `
  DELETE FROM portcullis.failure_counts WHERE key = ANY (ARRAY
    (SELECT key FROM portcullis.failure_counts
     WHERE kind = $2 AND (count > 1) IN (false, true) AND forgotten_from <= $1 FOR UPDATE SKIP LOCKED))`

export const REMOVE_FIRST = `
  DELETE FROM portcullis.failure_counts WHERE key = ANY (ARRAY
    (SELECT key FROM portcullis.failure_counts WHERE kind = $1 ORDER BY count > 1, forgotten_from
     LIMIT greatest(0, (SELECT count(*) FROM portcullis.failure_counts WHERE kind = $1) - $2)
     FOR UPDATE SKIP LOCKED))`
