import { right } from 'fp-ts/lib/Either.js'
import { isSome, none } from 'fp-ts/lib/Option.js'
import { left } from 'fp-ts/lib/TaskEither.js'
import { memoryStore } from '../../adapters/driven/memory/store.ts'
import {
  EMPTY_TREE,
  type LogTree,
  type TileName,
  type TreeExtension,
  treeOf,
} from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { STORES } from '../support/stores.ts'
import { logTreeContract } from '../testkit/log-tree.ts'
import { caughtBy, proveContract } from './broken/harness.ts'
import { type Mutate, mutationsOf } from './broken/mutations.ts'

type WithTree = Store & LogTree

const withTree = (store: Store): WithTree => {
  const tree = treeOf(store)
  if (tree === undefined) throw new Error('the store has no tree')
  return { ...store, ...tree }
}

for (const { name, layOut, openStore } of STORES)
  describe(`the contract of LogTree, kept by ${name}`, () =>
    logTreeContract({ describe, it }, async () => {
      const { url, remove } = await layOut()
      return { store: withTree(await openStore(url)), close: remove }
    }))

const { answer, hear } = mutationsOf<WithTree>()

/** Extends the tree with what `alter` makes of the extension. */
const extending = (alter: (extension: TreeExtension) => TreeExtension): Mutate<WithTree> =>
  hear('extendTree', (extend) => [
    (tree, reads) => async () => {
      const extension = await extend(tree, reads)()
      return isSome(extension) ? { ...extension, value: alter(extension.value) } : extension
    },
  ])

describe('the contract of LogTree is a contract', () =>
  proveContract<Mutate<WithTree>>(
    (runner, mutate = () => ({})) =>
      logTreeContract(runner, async () => {
        const store = memoryStore()
        return { store: { ...store, ...mutate(store) } }
      }),
    [
      ...caughtBy<Mutate<WithTree>>('a new store has the empty tree and no tiles', {
        'begins with another root': answer('readTree', (tree) => ({ ...tree, root: '' })),
        'has a tile that was never written': answer('readTile', (tile) =>
          tile.length === 0 ? new Uint8Array(32) : tile,
        ),
      }),
      ...caughtBy<Mutate<WithTree>>('the tree tells the number of entries, and the epoch after a renewal', {
        'counts the entries of the tree': answer('readTree', (tree) => ({ ...tree, entries: tree.size })),
        'keeps the first epoch': (good) => {
          let epoch: string | undefined
          return {
            readTree: () => async () => {
              const tree = await good.readTree()()
              if (tree._tag === 'Left') return tree
              epoch ??= tree.right.epoch
              return right({ ...tree.right, epoch })
            },
          }
        },
      }),
      ...caughtBy<Mutate<WithTree>>('an extension is stored with its tiles', {
        'does not store tiles': extending((extension) => ({ ...extension, tiles: [] })),
        'does not store the note': extending((extension) => ({ ...extension, note: '' })),
        'does not store the prefix': extending((extension) => ({ ...extension, originPrefix: '' })),
        'says that it wrote nothing': answer('extendTree', () => false),
        'ignores the index of a tile': hear('readTile', ({ level }) => [{ level, index: 0 }]),
        'ignores the level of a tile': hear('readTile', ({ index }) => [{ level: 0, index }]),
      }),
      ...caughtBy<Mutate<WithTree>>(
        'a later extension replaces the tree and its tiles, and keeps the others',
        {
          'keeps the first content of a tile': (good) => {
            const known = new Set<string>()
            return {
              extendTree: (extend) =>
                good.extendTree((tree, reads) => async () => {
                  const extension = await extend(tree, reads)()
                  if (!isSome(extension)) return extension
                  const isNew = ({ level, index }: TileName) => !known.has(`${level}/${index}`)
                  const tiles = extension.value.tiles.filter(isNew)
                  for (const { level, index } of tiles) known.add(`${level}/${index}`)
                  return { ...extension, value: { ...extension.value, tiles } }
                }),
            }
          },
        },
      ),
      ...caughtBy<Mutate<WithTree>>('the largest tile and the largest numbers are kept', {
        'cuts a tile': answer('readTile', (tile) => tile.slice(0, 4_096)),
        'cuts the size': answer('readTree', (tree) => ({ ...tree, size: tree.size % 2 ** 31 })),
      }),
      ...caughtBy<Mutate<WithTree>>('an extension without tiles replaces only the tree', {
        'needs tiles': hear('extendTree', (extend) => [
          (tree, reads) => async () => {
            const extension = await extend(tree, reads)()
            return isSome(extension) && extension.value.tiles.length > 0 ? extension : none
          },
        ]),
      }),
      ...caughtBy<Mutate<WithTree>>('no extension changes nothing', {
        'says that it wrote something': answer('extendTree', () => true),
      }),
      ...caughtBy<Mutate<WithTree>>('an extension gets the stored tree, and reads lines and tiles', {
        'passes the empty tree': hear('extendTree', (extend) => [
          (tree, reads) => extend({ ...tree, ...EMPTY_TREE }, reads),
        ]),
        'passes no lines': hear('extendTree', (extend) => [
          (tree, reads) => extend(tree, { ...reads, readLines: () => async () => right([]) }),
        ]),
        'passes no tiles': hear('extendTree', (extend) => [
          (tree, reads) => extend(tree, { ...reads, readTile: () => async () => right(new Uint8Array()) }),
        ]),
        'never calls it': () => ({ extendTree: () => async () => right(false) }),
      }),
      ...caughtBy<Mutate<WithTree>>('commits go on during an extension', {
        'refuses commits meanwhile': (good) => {
          let isExtending = false
          return {
            commit: (change) =>
              isExtending ? left({ _tag: 'StoreUnavailable', reason: 'busy' }) : good.commit(change),
            extendTree: (extend) => async () => {
              isExtending = true
              const outcome = await good.extendTree(extend)()
              isExtending = false
              return outcome
            },
          }
        },
      }),
      ...caughtBy<Mutate<WithTree>>(
        'of several extensions at once, each that is stored continues the one before',
        {
          'lets the last one win': (good) => {
            const read = good.readTree
            return {
              extendTree: (extend) => async () => {
                const tree = await read()()
                if (tree._tag === 'Left') return tree
                const extension = await extend(tree.right, good)()
                if (isSome(extension)) await good.extendTree(() => async () => extension)()
                return right(isSome(extension))
              },
            }
          },
        },
      ),
      ...caughtBy<Mutate<WithTree>>('a changed tile of a caller changes no stored one', {
        'returns the same bytes again': (good) => {
          let kept: Awaited<ReturnType<ReturnType<LogTree['readTile']>>> | undefined
          return {
            readTile: (tile) => async () => {
              kept ??= await good.readTile(tile)()
              return kept
            },
          }
        },
      }),
      ...caughtBy<Mutate<WithTree>>('a closed store has no tree', {
        'reads on after its end': (good) => ({ close: async () => undefined, readTree: good.readTree }),
      }),
    ],
  ))
