import { right } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryStore } from '../../../adapters/stores/memory/store.ts'
import {
  EMPTY_TREE,
  type LogTree,
  type StoredTree,
  type TileName,
  type TreeExtension,
} from '../../../application/ports/log-tree.ts'
import type { Store } from '../../../application/ports/store.ts'
import { caughtBy } from './harness.ts'
import { type Mutate, type MutateHandles, mutationsOf } from './mutations.ts'

type WithTree = Store & LogTree
type Handles = MutateHandles<WithTree>
const caught = caughtBy<Handles>
const { answer, hear } = mutationsOf<WithTree>()

/** Passes each extension to `note`, also one that is not stored. */
const noting = (good: WithTree, note: (extension: TreeExtension) => void): Pick<WithTree, 'extendTree'> => ({
  extendTree: (extend) =>
    good.extendTree((tree, reads) => async () => {
      const extension = await extend(tree, reads)()
      if (isSome(extension)) note(extension.value)
      return extension
    }),
})

/** Writes the tiles of an extension before it looks whether another one was stored meanwhile. */
const leavesTiles = (good: WithTree): Partial<WithTree> => {
  const written = new Map<string, Uint8Array>()
  return {
    ...noting(good, ({ tiles }) => {
      for (const tile of tiles) written.set(keyOf(tile), Uint8Array.from(tile.hashes))
    }),
    ...answer('readTile', (hashes, tile) => Uint8Array.from(written.get(keyOf(tile)) ?? hashes))(good),
  }
}

const keyOf = ({ level, index }: TileName): string => `${level}/${index}`

/** Stores the extension over any other tree. */
const lastOneWins = (good: WithTree): Pick<WithTree, 'extendTree'> => ({
  extendTree: (extend) => async () => {
    const tree = await good.readTree()()
    if (tree._tag === 'Left') return tree
    const extension = await extend(tree.right, good)()
    if (isSome(extension)) await good.extendTree(() => async () => extension)()
    return right(isSome(extension))
  },
})

/** Alters the tree that extensions get. */
const giving = (alter: (tree: StoredTree) => StoredTree) =>
  hear('extendTree', (extend) => [(tree, reads) => extend(alter(tree), reads)])

const empty = (tree: StoredTree): StoredTree => ({ ...tree, ...EMPTY_TREE })

/** Keeps a tree in the memory of the handle, for the log of all. */
const treeOfItsOwn: Handles = (core) => () => {
  const { readTile, extendTree, readTree } = memoryStore()
  return {
    readTile,
    extendTree,
    readTree: () => async () => {
      const [own, common] = [await readTree()(), await core.readTree()()]
      if (own._tag === 'Left' || common._tag === 'Left') return common
      const { epoch, entries, pruned } = common.right
      return right({ ...own.right, epoch, entries, pruned })
    },
  }
}

/** A store that is correct until it is opened again. */
const reopened =
  (wrong: (good: WithTree) => Partial<WithTree>): Handles =>
  (core) =>
  (_, life) =>
    life === 1 ? {} : wrong(core)

const CONTINUES = (through: string) =>
  `of several extensions at once${through}, each that is stored continues the one before`
const NO_TILES = (through: string) =>
  `of several extensions at once${through}, one that is not stored leaves no tiles`

/** Stores that extend one tree several times at once. */
export const CONCURRENT_TREE_MUTATIONS = [
  ...caughtBy<Mutate<WithTree>>([CONTINUES(''), NO_TILES('')], { 'lets the last one win': lastOneWins }),
  ...caughtBy<Mutate<WithTree>>(NO_TILES(''), {
    'leaves the tiles of an extension that is not stored': leavesTiles,
  }),
]

const THERE_AGAIN = 'the tree and its tiles are there again'
const GETS_BEFORE = 'an extension gets the tree of before'

/** Stores whose tree differs after they are opened again. */
export const LASTING_TREE_MUTATIONS = [
  ...caught(THERE_AGAIN, {
    'loses the tree': reopened(answer('readTree', empty)),
  }),
  ...caught(GETS_BEFORE, { 'gives an extension the empty tree': reopened(giving(empty)) }),
  ...caught('what was pruned is still gone, and known to be', {
    'forgets what was pruned': reopened(answer('readTree', (tree) => ({ ...tree, pruned: 0 }))),
  }),
]

const SHARED = 'the tree and the tiles of one handle are those of the others'
const GETS_OTHER = 'an extension gets the tree that another handle has stored'
const HANDLES = ' through several handles'

/** Stores whose handles have different trees. */
export const SHARED_TREE_MUTATIONS = [
  ...caught([SHARED, GETS_OTHER, CONTINUES(HANDLES), NO_TILES(HANDLES)], {
    'keeps a tree for each handle': treeOfItsOwn,
  }),
  ...caught(GETS_OTHER, { 'gives an extension the empty tree': () => giving(empty) }),
  ...caught(NO_TILES(HANDLES), {
    'leaves the tiles of an extension that is not stored': (core) => {
      const leaving = leavesTiles(core)
      return () => leaving
    },
  }),
  ...caught('what one handle has pruned is gone for the others, and known to be', {
    'knows only what the handle has pruned': () => (handle) => {
      let pruned = 0
      return {
        pruneLog: (asked) => {
          pruned = asked.through
          return handle.pruneLog(asked)
        },
        readTree: () => TE.map((tree: StoredTree) => ({ ...tree, pruned }))(handle.readTree()),
      }
    },
  }),
]
