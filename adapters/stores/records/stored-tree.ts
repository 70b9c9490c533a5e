import { type Either, map } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { StoredTree } from '../../../application/ports/log-tree.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { Epoch, Integer } from './columns.ts'
import { orUnreadable } from './unavailable.ts'

const Columns = t.type({
  origin_prefix: t.string,
  size: Integer,
  root: t.string,
  note: t.string,
  epoch: Epoch,
  entries: Integer,
  pruned: Integer,
})

/** Decodes the columns of the tree, the epoch and the number of entries. */
export const decodeTree = (columns: unknown): Either<StoreUnavailable, StoredTree> =>
  pipe(
    Columns.decode(columns),
    map(({ origin_prefix, ...rest }) => ({ ...rest, originPrefix: origin_prefix })),
    orUnreadable('the tree'),
  )
