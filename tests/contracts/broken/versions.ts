import { type Row, type Store, TABLES, type Table } from '../../../application/ports/store.ts'
import { caughtBy, type Mutation } from './harness.ts'
import { type Mutate, type MutateHandles, oneAfterTheOther } from './mutations.ts'
import { afterCommit, looksEarlyAtVersions, watched } from './stores.ts'

const CREATIONS = (through: string, table: Table) =>
  `of creations of one id at once${through} exactly one wins: ${table}`
const UPDATES = (through: string, table: Table) =>
  `of updates of one version at once${through} exactly one wins: ${table}`
const FRESH = 'a conflict is over as soon as the facts are fresh'

type Defect = Readonly<{
  broken: string
  title: string
  isWritten: (version: number, storedVersion: number) => boolean
}>

/** The versions that a store writes although they do not follow the stored one. */
const DEFECTS: ReadonlyArray<Defect> = [
  {
    broken: 'creates existing rows again',
    title: 'what exists is not created again',
    isWritten: (version, storedVersion) => version === 1 && storedVersion > 0,
  },
  {
    broken: 'updates missing rows',
    title: 'what does not exist is not updated',
    isWritten: (version, storedVersion) => version > 1 && storedVersion === 0,
  },
  {
    broken: 'updates rows that were written since they were read',
    title: 'what was read before the last write is not written',
    isWritten: (version, storedVersion) => version > 1 && version <= storedVersion,
  },
  {
    broken: 'updates rows under any higher version',
    title: 'a version that was never reached is not written over',
    isWritten: (version, storedVersion) => storedVersion > 0 && version > storedVersion + 1,
  },
]

const IN_TABLES = TABLES.flatMap((table) => DEFECTS.map((defect) => ({ ...defect, table })))

type InTable = (typeof IN_TABLES)[number]

const isMisjudged =
  ({ table, isWritten }: InTable, storedVersion: (row: Row) => number) =>
  (row: Row): boolean =>
    row.table === table && isWritten(row.row.version, storedVersion(row))

/** Stores that check the versions of one table wrongly. */
export const VERSION_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...IN_TABLES.flatMap((defect) =>
    caughtBy<Mutate<Store>>(
      // That case goes over a version that was never reached.
      [
        `${defect.title}: ${defect.table}`,
        ...(defect.table === 'sessions' && defect.isWritten(6, 1) ? [FRESH] : []),
      ],
      {
        [`${defect.broken}: ${defect.table}`]: (store) => {
          const { force, storedVersion } = watched(store)
          return { commit: (change) => force(change, isMisjudged(defect, storedVersion)) }
        },
      },
    ),
  ),
  ...TABLES.flatMap((table) =>
    caughtBy<Mutate<Store>>([CREATIONS('', table), UPDATES('', table)], {
      [`looks at versions a turn before it writes: ${table}`]: (store) =>
        looksEarlyAtVersions(watched(store), table),
    }),
  ),
]

/** The same of rows that another handle has written, and a check under a lock of the handle. */
export const SHARED_VERSION_MUTATIONS: ReadonlyArray<Mutation<MutateHandles<Store>>> = [
  ...IN_TABLES.flatMap((defect) =>
    caughtBy<MutateHandles<Store>>(`${defect.title} through another handle: ${defect.table}`, {
      [`${defect.broken} of another handle: ${defect.table}`]: (core) => {
        const { force, storedVersion } = watched(core)
        const isWrong = isMisjudged(defect, storedVersion)
        return () => {
          const own = new Set<string>()
          const commit: Store['commit'] = (change) =>
            force(change, (row) => !own.has(row.row.id) && isWrong(row))
          return afterCommit({ commit }, ({ rows }, isWritten) => {
            for (const { row } of isWritten ? rows : []) own.add(row.id)
          })
        }
      },
    }),
  ),
  ...TABLES.flatMap((table) =>
    caughtBy<MutateHandles<Store>>(
      [CREATIONS(' through several handles', table), UPDATES(' through several handles', table)],
      {
        [`looks at versions under a lock of the handle: ${table}`]: (core) => {
          const versions = watched(core)
          return () => {
            const lock = oneAfterTheOther()
            const { commit } = looksEarlyAtVersions(versions, table)
            return { commit: (change) => () => lock(commit(change)) }
          }
        },
      },
    ),
  ),
]
