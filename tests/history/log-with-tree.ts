import { isNone } from 'fp-ts/lib/Option.js'
import { publishedLog } from '../../application/log/published-log.ts'
import { type LogTree, type TreeExtension, treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { leafHash, merkleTree } from '../../domain/merkle-tree.ts'
import { treeDigests } from '../support/integration.ts'
import type { FreshStores } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const PUBLIC_URL = 'https://id.example.com'
const { sha256, base64 } = treeDigests

/** A new store with so many entries. */
export const storeOf = async (stores: FreshStores, entries: number): Promise<Store & LogTree> => {
  const { store } = await stores.lasting()
  await append(store, entries)
  const log = treeOf(store)
  if (log === undefined) throw new Error('the store has no tree')
  return { ...store, ...log }
}

/** Adds so many entries, in commits of a hundred. */
export const append = async (store: Store, entries: number): Promise<void> => {
  for (let left = entries; left > 0; left -= 100) await commitAll(store, change(...many(Math.min(left, 100))))
}

const many = (entries: number) =>
  [registered(), ...Array.from({ length: entries - 1 }, issuedToken)] as Parameters<typeof change>

/** The root of the first entries of a log, computed from its lines. */
export const rootOf = async (store: LogTree, size: number): Promise<string> => {
  const tree = merkleTree(sha256)
  for (const { bytes } of await succeed(store.readLines({ after: 0, limit: size })))
    tree.append(leafHash(sha256, bytes))
  return base64(tree.root())
}

/** The published checkpoint, if there is one. */
export const published = async (store: LogTree): Promise<string | undefined> => {
  const note = await succeed(publishedLog({ log: store, publicUrl: PUBLIC_URL }).checkpoint)
  return isNone(note) ? undefined : note.value
}

/** Replaces the stored tree, as an attacker would. */
export const tamper = async (store: LogTree, extension: Partial<TreeExtension>): Promise<void> => {
  const { epoch: _, entries: __, pruned: ___, ...state } = await succeed(store.readTree())
  await succeed(
    store.extendTree(() => async () => ({ _tag: 'Some', value: { ...state, tiles: [], ...extension } })),
  )
}
