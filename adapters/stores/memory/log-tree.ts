import * as E from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { LogTree, TreeReads } from '../../../application/ports/log-tree.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { PRUNABLE_TYPES } from '../../../domain/retention.ts'
import type { LogColumns } from '../records/log-entry.ts'
import { logLines } from '../records/log-line.ts'
import { unavailable } from '../records/unavailable.ts'
import { keyOfTile, lastPosition, type Memory } from './contents.ts'

/** Answers unless the store is closed. */
export type UnlessClosed = <A>(work: () => E.Either<StoreUnavailable, A>) => TaskEither<StoreUnavailable, A>

/** The Merkle tree of a log in memory. `writing` also refuses if the store is not open. */
export const memoryLogTree = (memory: Memory, unlessClosed: UnlessClosed, writing: UnlessClosed): LogTree => {
  const { log, tiles } = memory
  const readTree = () =>
    unlessClosed(() => {
      const { tree, epoch, pruned } = memory
      return E.right({ ...tree, epoch, entries: lastPosition(log), pruned })
    })
  const reads: TreeReads = {
    readLines: ({ after, limit, ...query }) =>
      unlessClosed(() => {
        const begin = indexAfter(log, after)
        return E.right(logLines(log.slice(begin, begin + Math.max(0, limit)), query))
      }),
    readTile: (tile) =>
      unlessClosed(() => E.right(Uint8Array.from(tiles.get(keyOfTile(tile))?.hashes ?? []))),
  }

  return {
    ...reads,
    readTree,
    extendTree: (extend) => async () => {
      const before = memory.tree
      const stored = await readTree()()
      if (E.isLeft(stored)) return stored
      const extension = await extend(stored.right, reads)()
      return writing(() => {
        if (isNone(extension) || memory.tree !== before) return E.right(false)
        const { tiles: replaced, ...next } = extension.value
        memory.tree = next
        for (const tile of replaced)
          tiles.set(keyOfTile(tile), { ...tile, hashes: Uint8Array.from(tile.hashes) })
        return E.right(true)
      })()
    },
    pruneLog: ({ through, positions }) =>
      writing(() => {
        const asked = new Set(positions)
        const kept = log.filter(({ position }) => !asked.has(position))
        const limit = Math.min(Math.max(memory.pruned, through), lastPosition(log) - 1)
        const mayGo = ({ position, type }: LogColumns) => position <= limit && PRUNABLE.has(type)
        if (!log.every((entry) => !asked.has(entry.position) || mayGo(entry)))
          return unavailable('the log is append-only')
        const deleted = log.length - kept.length
        log.length = 0
        for (const entry of kept) log.push(entry)
        memory.pruned = Math.max(memory.pruned, through)
        return E.right(deleted)
      }),
  }
}

const PRUNABLE: ReadonlySet<string> = new Set(PRUNABLE_TYPES)

/** The index of the first entry above a position. */
const indexAfter = (log: ReadonlyArray<LogColumns>, after: number): number => {
  let [low, high] = [0, log.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((log[middle]?.position ?? 0) > after) high = middle
    else low = middle + 1
  }
  return low
}
