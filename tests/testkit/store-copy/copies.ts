import { isLeft, right } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type LogTree, treeOf } from '../../../application/ports/log-tree.ts'
import { type Store, TABLES } from '../../../application/ports/store.ts'
import type { CopyPage, StoreContents, StoreCopy } from '../../../application/ports/store-copy.ts'
import { aSession, aUser, change, registered, signedIn, someChange } from '../builders.ts'
import { by, FIRST } from '../log-tree/extensions.ts'
import { commitAll, ok } from '../outcome.ts'
import { newRow, writing } from '../store/tables.ts'

/** A store and the port that copies it. */
export type Copyable = Readonly<{ store: Store & Partial<LogTree>; storeCopy: StoreCopy }>
export type OpenedStoreCopy = Copyable & Readonly<{ close?: () => Promise<void> }>

/** The copy of the cases. */
export const COPY = { id: 'a copy', place: 'another place' }

/** Writes a row of each table, and a tree if the store keeps one. */
export const fill = async ({ store }: Copyable): Promise<void> => {
  const user = aUser()
  await commitAll(
    store,
    change(registered(user), signedIn(aSession({ userId: user.id, cookie: some('5e'.repeat(32)) }))),
    writing(...TABLES.map((table) => newRow(table))),
    someChange(),
  )
  await extended(store)
}

const extended = async (store: Copyable['store']): Promise<void> => {
  const tree = treeOf(store)
  if (tree !== undefined) await ok(tree.extendTree(by(FIRST)))
}

/** Everything that a storage contains, with its contents. */
export const everything = async (
  opened: Copyable,
): Promise<Readonly<{ contents: StoreContents; pages: ReadonlyArray<CopyPage> }>> => {
  const contents = await ok(opened.storeCopy.readContents())
  const pages: Array<CopyPage> = []
  for (const table of TABLES)
    pages.push({
      part: table,
      rows: await ok(opened.store.listRows({ table, after: '', limit: 100 })),
    } as CopyPage)
  const tree = treeOf(opened.store)
  const lines = tree && (await ok(tree.readLines({ after: 0, limit: 100 })))
  const texts = lines?.map(({ position, bytes }) => ({ position, text: String.fromCodePoint(...bytes) }))
  const tile = tree && [...(await ok(tree.readTile({ level: 0, index: 0 })))]
  const entries = await ok(opened.store.readEvents({ after: 0, limit: 100 }))
  return { contents, pages, texts, tile, entries } as never
}

/** The pages of an open store, which stays open. */
export const pagesOf = async ({ storeCopy }: Copyable): Promise<ReadonlyArray<CopyPage>> => {
  const all: Array<CopyPage> = []
  await storeCopy.lock(COPY, async ({ pages }) => {
    for await (const page of pages()) if (!isLeft(page)) all.push(page.right)
    return { _tag: 'Left' as const, left: { _tag: 'Done' as const } }
  })()
  return all
}

/** Copies one storage into another. */
export const copied = async (source: Copyable, target: Copyable): Promise<void> => {
  await ok(
    source.storeCopy.lock(COPY, async ({ contents, pages }) => {
      const begun = await target.storeCopy.begin(COPY, contents)()
      if (isLeft(begun)) return begun
      for await (const page of pages()) {
        if (isLeft(page)) return page
        const written = await target.storeCopy.write(COPY.id, page.right)()
        if (isLeft(written)) return written
      }
      return right(undefined)
    }),
  )
  await ok(target.storeCopy.complete(COPY.id))
}

/** Makes an empty store the incomplete target of `COPY`. */
export const beginning = async ({ storeCopy }: Copyable): Promise<void> => {
  await ok(storeCopy.begin(COPY, await ok(storeCopy.readContents())))
}

type Write = Readonly<{
  method: string
  /** Undefined for a store without a tree. */
  write: (store: Copyable['store']) => TaskEither<Readonly<{ _tag: string }>, unknown> | undefined
}>

/** Every call that writes, except a renewal. */
export const writesOf = (): ReadonlyArray<Write> => [
  {
    method: 'commit of an event',
    write: (store) => store.commit({ ...someChange(), rows: [], compared: [] }),
  },
  { method: 'commit of a row', write: (store) => store.commit(change(registered())) },
  {
    method: 'deleteExpired',
    write: (store) => store.deleteExpired({ table: 'sessions', beforeSeconds: 5_000_000_000, limit: 10 }),
  },
  { method: 'eraseEndedLabels', write: (store) => store.eraseEndedLabels(10) },
  { method: 'checkWritable', write: (store) => store.checkWritable() },
  { method: 'extendTree', write: (store) => treeOf(store)?.extendTree(by(FIRST)) },
  { method: 'pruneLog', write: (store) => treeOf(store)?.pruneLog({ through: 1, positions: [] }) },
]
