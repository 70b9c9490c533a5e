import { randomBytes } from 'node:crypto'
import {
  EMPTY_TREE,
  type StoredTile,
  type TileName,
  type TreeState,
} from '../../../application/ports/log-tree.ts'
import { perTable, type Row, type StoreUnavailable, type Table } from '../../../application/ports/store.ts'
import type { CopyState, StoredCount } from '../../../application/ports/store-copy.ts'
import { emailKey } from '../../../domain/user.ts'
import { closedByCopy } from '../records/copy-state.ts'
import type { LogColumns } from '../records/log-entry.ts'
import type { Columns } from '../records/rows.ts'

/** All that a store in memory contains, with its indexes. */
export type Memory = {
  readonly log: Array<LogColumns>
  readonly tables: Readonly<Record<Table, Map<string, Columns>>>
  readonly entryIds: Set<string>
  readonly userIdsByEmail: Map<string, string>
  readonly tokenIdsByDigest: Map<string, string>
  readonly sessionIdsByUser: Map<string, Set<string>>
  readonly factorIdsByUser: Map<string, Set<string>>
  /** Users whose ended sessions may have labels. */
  readonly changedUserIds: Set<string>
  readonly tiles: Map<string, StoredTile>
  /** Those of a copy. The counts of a service are in another adapter. */
  readonly counts: Map<string, StoredCount>
  /** With the end of the lease of each, in milliseconds. */
  readonly mails: Map<string, Columns>
  epoch: string
  /** Whether the log continues from a copy, and gets a new epoch with the next write. */
  isCopy: boolean
  tree: TreeState
  pruned: number
  copyState: CopyState
  /** Whether a copy reads the store. */
  isLocked: boolean
  isClosed: boolean
}

export const newMemory = (): Memory => ({
  log: [],
  tables: perTable(() => new Map<string, Columns>()),
  entryIds: new Set(),
  userIdsByEmail: new Map(),
  tokenIdsByDigest: new Map(),
  sessionIdsByUser: new Map(),
  factorIdsByUser: new Map(),
  changedUserIds: new Set(),
  tiles: new Map(),
  counts: new Map(),
  mails: new Map(),
  epoch: newEpoch(),
  isCopy: false,
  tree: EMPTY_TREE,
  pruned: 0,
  copyState: { state: 'open', copyId: undefined },
  isLocked: false,
  isClosed: false,
})

export const newEpoch = (): string => randomBytes(4).toString('hex')

/** The position of the last entry; 0 in an empty log. */
export const lastPosition = (log: ReadonlyArray<LogColumns>): number => log.at(-1)?.position ?? 0

export const keyOfTile = ({ level, index }: TileName): string => `${level}/${index}`

/** Why the store refuses changes: undefined if it is open. */
export const refusalIn = ({ copyState, isLocked }: Memory): StoreUnavailable | undefined => {
  if (isLocked) return { _tag: 'StoreUnavailable', reason: 'a copy reads the store' }
  return copyState.state === 'open' ? undefined : closedByCopy(copyState.state === 'moved', copyState.place)
}

/** Adds a written row to the indexes. */
export const index = (memory: Memory, { table, row }: Row): void => {
  if (table === 'sessions') sessionIdsIn(memory, row.userId).add(row.id)
  if (table === 'factors') idsOf(memory.factorIdsByUser, row.userId).add(row.id)
  if (table === 'one_time_tokens') memory.tokenIdsByDigest.set(row.digest, row.id)
  if (table !== 'users') return
  memory.userIdsByEmail.set(emailKey(row.email), row.id)
  memory.changedUserIds.add(row.id)
}

export const sessionIdsIn = ({ sessionIdsByUser }: Memory, userId: string): Set<string> =>
  idsOf(sessionIdsByUser, userId)

const idsOf = (byUser: Map<string, Set<string>>, userId: string): Set<string> => {
  const ids = byUser.get(userId) ?? new Set()
  byUser.set(userId, ids)
  return ids
}
