import type Database from 'better-sqlite3'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { fromNullable, none, type Option, toUndefined } from 'fp-ts/lib/Option.js'
import type {
  ModelQuery,
  ModelState,
  ModelStep,
  ReadModel,
  ReadModelUnavailable,
} from '../../../application/ports/read-model.ts'
import { withoutLinks } from './database-file.ts'
import { countRows, tally } from './read-model-counts.ts'
import { isDamage, messageOf, openReadModelFile, removeReadModelFile } from './read-model-file.ts'
import { edgesSql, positionsSql } from './read-model-query.ts'

/**
 * The read model in a SQLite file of its own.
 *
 * A damage that SQLite finds later counts as a loss: the file is made anew, and each method answers as if the model was empty.
 *
 * @param onRebuild is called if a file has to be built again
 * @throws Error with one sentence for operators if the file cannot be used
 */
export const sqliteReadModel = (named: string, onRebuild: () => void = () => undefined): ReadModel => {
  const path = withoutLinks(named)
  let db = openReadModelFile(path, onRebuild)
  let isLost = false

  const run = <A>(work: (db: Database.Database) => A, ifLost: A): Either<ReadModelUnavailable, A> => {
    try {
      return right(work(db))
    } catch (error) {
      if (!isDamage(error) || isLost)
        return unavailable(`The read model ${path} cannot be used: ${messageOf(error)}`)
    }
    try {
      isLost = true // once: the second time the disk is at fault
      db.close()
      onRebuild()
      removeReadModelFile(path)
      db = openReadModelFile(path, () => undefined)
      return right(ifLost)
    } catch (error) {
      return unavailable(error instanceof Error ? error.message : `${error}`)
    }
  }

  return {
    state: () => async () => run(stateIn, none),
    begin: (epoch, seen) => async () => run((one) => begin(one, epoch, toUndefined(seen)), false),
    advance: (from, step) => async () => run((one) => advance(one, from, step), false),
    keepOnly:
      ({ epoch, after, through, positions }) =>
      async () =>
        run((one) => {
          const keep = one.transaction(() => {
            if (toUndefined(stateIn(one))?.epoch !== epoch) return
            const range = { after, through, positions: JSON.stringify(positions) }
            countRows(one, -1, { after, through, without: positions })
            for (const table of ['entries', 'refusals']) one.prepare(keepOnlySql(table)).run(range)
          })
          keep.immediate()
        }, undefined),
    count: (through) => async () =>
      run(
        (one) => Number(one.prepare('SELECT count(*) FROM entries WHERE position <= ?').pluck().get(through)),
        0,
      ),
    find: (query) => async () =>
      run((one) => one.transaction(() => ({ state: stateIn(one), positions: positionsOf(one, query) }))(), {
        state: none,
        positions: [],
      }),
    tally: (span) => async () => run((one) => tally(one, span), { hours: [], reasons: [] }),
    close: async () => {
      db.close()
    },
  }
}

const unavailable = (reason: string): Either<ReadModelUnavailable, never> =>
  left({ _tag: 'ReadModelUnavailable', reason })

type StateRow = Readonly<{
  epoch: string
  position: number
  id: string
  pruned_through: number | null
  pruned_entries: number | null
}>

const stateIn = (db: Database.Database): Option<ModelState> => {
  const row = db.prepare<[], StateRow>('SELECT * FROM state').get()
  if (row === undefined) return none
  const { epoch, position, id, pruned_through: through, pruned_entries: entries } = row
  const pruning = through === null || entries === null ? undefined : { through, entries }
  return fromNullable({ epoch, position, id, pruning })
}

const setState = (db: Database.Database, { epoch, position, id, pruning }: ModelState): void => {
  const values = [epoch, position, id, pruning?.through ?? null, pruning?.entries ?? null]
  db.prepare('REPLACE INTO state VALUES (1, ?, ?, ?, ?, ?)').run(...values)
}

const isAt = (db: Database.Database, expected: ModelState | undefined): boolean => {
  const found = toUndefined(stateIn(db))
  return found?.epoch === expected?.epoch && found?.position === expected?.position
}

const begin = (db: Database.Database, epoch: string, seen: ModelState | undefined): boolean => {
  const empty = db.transaction(() => {
    if (!isAt(db, seen)) return false
    db.exec('DELETE FROM entries; DELETE FROM refusals; DELETE FROM counts')
    setState(db, { epoch, position: 0, id: '', pruning: undefined })
    return true
  })
  return empty.immediate()
}

const advance = (db: Database.Database, from: ModelState, { to, entries, refusals }: ModelStep): boolean => {
  const add = db.transaction(() => {
    if (!isAt(db, from)) return false
    const addEntry = db.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?)')
    for (const { position, at, type, user, application } of entries)
      addEntry.run(position, at, type, user ?? null, application ?? null)
    const addRefusal = db.prepare('INSERT INTO refusals VALUES (?, ?, ?, ?, ?)')
    for (const { position, reason, at, type, count } of refusals)
      addRefusal.run(position, reason, at, type, count)
    countRows(db, 1, { after: from.position, through: to.position })
    setState(db, to)
    return true
  })
  return add.immediate()
}

const keepOnlySql = (table: string): string => `
  DELETE FROM ${table} WHERE position > @after AND position <= @through
    AND position NOT IN (SELECT value FROM json_each(@positions))`

const positionsOf = (db: Database.Database, query: ModelQuery): ReadonlyArray<number> => {
  const { after, through, filter } = query
  if (filter.types?.length === 0) return []
  const edges = edgesSql(filter)
  const { first, last } =
    edges === undefined ? UNBOUNDED : (db.prepare<[object], Edges>(edges.sql).get(edges.values) ?? NOTHING)
  if (first === null || last === null) return []
  const range = { after: Math.max(after, first - 1), through: Math.min(through, last) }
  const { sql, values } = positionsSql({ ...query, ...range })
  return db.prepare<[object], number>(sql).pluck().all(values)
}

/** The first and the last position of a time. */
type Edges = Readonly<{ first: number | null; last: number | null }>
const NOTHING: Edges = { first: null, last: null }
const UNBOUNDED: Edges = { first: 0, last: Number.MAX_SAFE_INTEGER }
