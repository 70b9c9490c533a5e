import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Clock } from '../../../application/ports/environment.ts'
import type { LogTree } from '../../../application/ports/log-tree.ts'
import type { Outbox } from '../../../application/ports/outbox.ts'
import { type Row, type Store, type StoreUnavailable, TABLES } from '../../../application/ports/store.ts'
import {
  COPY_PAGE,
  type CopyPage,
  type StoreContents,
  type StoreCopy,
} from '../../../application/ports/store-copy.ts'
import { mayBegin, NOT_ITS_TARGET, unclaimed } from '../records/copied.ts'
import { manyMails } from '../records/mail-row.ts'
import { encodeRow } from '../records/rows.ts'
import { manyRows, STORE_CLOSED, unavailable } from '../records/unavailable.ts'
import { index, keyOfTile, lastPosition, type Memory, newMemory } from './contents.ts'
import { byId } from './order.ts'
import { addMail, memoryOutbox } from './outbox.ts'
import { storeIn } from './store.ts'

/** A store in memory that can be copied, with its outbox. */
export const memoryStorage = (
  clock: Clock = Date.now,
): Readonly<{ store: Store & LogTree; storeCopy: StoreCopy; outbox: Outbox }> => {
  const memory = newMemory()
  return {
    store: storeIn(memory),
    storeCopy: memoryStoreCopy(memory),
    outbox: memoryOutbox(memory, clock),
  }
}

const memoryStoreCopy = (memory: Memory): StoreCopy => {
  const unlessClosed =
    <Failure, A>(
      work: () => Either<Failure | StoreUnavailable, A>,
    ): TaskEither<Failure | StoreUnavailable, A> =>
    async () =>
      memory.isClosed ? STORE_CLOSED : work()

  const isTargetOf = (copyId: string): boolean =>
    memory.copyState.state === 'incomplete' && memory.copyState.copyId === copyId

  return {
    readCopyState: () => unlessClosed(() => right(memory.copyState)),
    readContents: () => unlessClosed(() => right(contentsOf(memory))),
    lock: (copy, work) => async () => {
      if (memory.isClosed) return STORE_CLOSED
      if (memory.copyState.state !== 'open') return left({ _tag: 'NotOpen', copyState: memory.copyState })
      if (memory.isLocked) return unavailable('a copy reads the store')
      memory.isLocked = true
      try {
        const done = await work({ contents: contentsOf(memory), pages: () => pagesOf(memory) })
        if (isLeft(done)) return done
        memory.copyState = { state: 'moved', copyId: copy.id, place: copy.place }
        return done
      } finally {
        memory.isLocked = false
      }
    },
    begin: (copy, contents) =>
      unlessClosed(() => {
        const { copyState } = memory
        const { epoch, isCopy } = contents
        if (!mayBegin(copyState, contentsOf(memory), { place: copy.place, epoch }))
          return left({ _tag: 'NotEmpty' as const, copyState })
        empty(memory)
        const { pruned, ...tree } = contents.tree
        Object.assign(memory, { epoch, isCopy, tree, pruned })
        memory.copyState = { state: 'incomplete', copyId: copy.id, place: copy.place }
        return right(undefined)
      }),
    write: (copyId, page) =>
      unlessClosed(() => {
        if (!isTargetOf(copyId)) return NOT_ITS_TARGET
        writePage(memory, page)
        return right(undefined)
      }),
    settle: (copyId) => unlessClosed(() => (isTargetOf(copyId) ? right(undefined) : NOT_ITS_TARGET)),
    complete: (copyId) =>
      unlessClosed(() => {
        if (isTargetOf(copyId)) memory.copyState = { state: 'open', copyId }
        const { state, copyId: last } = memory.copyState
        return state === 'open' && last === copyId ? right(undefined) : NOT_ITS_TARGET
      }),
  }
}

const contentsOf = ({
  log,
  tables,
  tiles,
  counts,
  mails,
  epoch,
  isCopy,
  tree,
  pruned,
}: Memory): StoreContents => ({
  epoch,
  isCopy,
  last: lastPosition(log),
  tree: { ...tree, pruned },
  items: {
    log: log.length,
    users: tables.users.size,
    sessions: tables.sessions.size,
    applications: tables.applications.size,
    keys: tables.keys.size,
    revoked_tokens: tables.revoked_tokens.size,
    one_time_tokens: tables.one_time_tokens.size,
    factors: tables.factors.size,
    tiles: tiles.size,
    counts: counts.size,
    mails: mails.size,
  },
})

async function* pagesOf(memory: Memory): AsyncGenerator<Either<StoreUnavailable, CopyPage>> {
  const { log, tables, tiles, counts, mails } = memory
  for (const entries of cut(log)) yield right({ part: 'log', entries: structuredClone(entries) })
  for (const table of TABLES)
    for (const page of cut([...tables[table].values()].sort(byId))) {
      const rows = manyRows(table, page)
      yield isLeft(rows) ? rows : right({ part: table, rows: rows.right } as CopyPage)
    }
  for (const page of cut([...tiles.values()])) yield right({ part: 'tiles', tiles: structuredClone(page) })
  for (const page of cut([...counts.values()])) yield right({ part: 'counts', counts: page })
  for (const page of cut([...mails.values()].sort(byId))) {
    const copied = manyMails(page)
    yield isLeft(copied) ? copied : right({ part: 'mails', rows: copied.right.map(unclaimed) })
  }
}

function* cut<Item>(items: ReadonlyArray<Item>): Generator<ReadonlyArray<Item>> {
  for (let at = 0; at < items.length; at += COPY_PAGE) yield items.slice(at, at + COPY_PAGE)
}

const empty = (memory: Memory): void => {
  memory.log.length = 0
  for (const table of TABLES) memory.tables[table].clear()
  const { entryIds, userIdsByEmail, tokenIdsByDigest, sessionIdsByUser, factorIdsByUser } = memory
  for (const index of [entryIds, userIdsByEmail, tokenIdsByDigest, sessionIdsByUser, factorIdsByUser])
    index.clear()
  for (const one of [memory.tiles, memory.counts, memory.mails]) one.clear()
}

const writePage = (memory: Memory, page: CopyPage): void => {
  switch (page.part) {
    case 'log':
      for (const entry of page.entries) {
        memory.log.push({ ...entry })
        memory.entryIds.add(entry.id)
      }
      return
    case 'tiles':
      for (const tile of structuredClone(page.tiles)) memory.tiles.set(keyOfTile(tile), tile)
      return
    case 'counts':
      for (const count of page.counts) memory.counts.set(count.key, count)
      return
    case 'mails':
      for (const mail of page.rows) addMail(memory, mail)
      return
    default:
      for (const row of page.rows) {
        const written = { table: page.part, row } as Row // of this table
        memory.tables[page.part].set(row.id, encodeRow(written))
        index(memory, written)
      }
  }
}
