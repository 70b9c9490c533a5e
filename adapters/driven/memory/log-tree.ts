import * as E from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  EMPTY_TREE,
  type LogTree,
  type TileName,
  type TreeReads,
} from '../../../application/ports/log-tree.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { LogColumns } from '../records/log-entry.ts'
import { logLine } from '../records/log-line.ts'

/** Answers unless the store is closed. */
export type UnlessClosed = <A>(work: () => E.Either<StoreUnavailable, A>) => TaskEither<StoreUnavailable, A>

/** The Merkle tree of a log in memory. */
export const memoryLogTree = (
  log: ReadonlyArray<LogColumns>,
  epoch: () => string,
  unlessClosed: UnlessClosed,
): LogTree => {
  let state = EMPTY_TREE
  const tiles = new Map<string, Uint8Array>()
  const keyOf = ({ level, index }: TileName): string => `${level}/${index}`

  const readTree = () => unlessClosed(() => E.right({ ...state, epoch: epoch(), entries: log.length }))
  const reads: TreeReads = {
    readLines: ({ after, limit }) =>
      unlessClosed(() =>
        E.right(log.slice(Math.max(0, after), Math.max(0, after) + Math.max(0, limit)).map(logLine)),
      ),
    readTile: (tile) => unlessClosed(() => E.right(Uint8Array.from(tiles.get(keyOf(tile)) ?? []))),
  }

  return {
    ...reads,
    readTree,
    extendTree: (extend) => async () => {
      const before = state
      const stored = await readTree()()
      if (E.isLeft(stored)) return stored
      const extension = await extend(stored.right, reads)()
      return unlessClosed(() => {
        if (isNone(extension) || state !== before) return E.right(false)
        const { tiles: replaced, ...next } = extension.value
        state = next
        for (const tile of replaced) tiles.set(keyOf(tile), Uint8Array.from(tile.hashes))
        return E.right(true)
      })()
    },
  }
}
