import { right } from 'fp-ts/lib/Either.js'
import { isSome, none } from 'fp-ts/lib/Option.js'
import { left } from 'fp-ts/lib/TaskEither.js'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { unavailable } from '../../adapters/stores/records/unavailable.ts'
import { type LogTree, type TileName, treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { STORES } from '../support/stores.ts'
import { casesOnStore } from '../testkit/frames.ts'
import { concurrentExtensionCases } from '../testkit/log-tree/concurrency.ts'
import { lastingLogTreeContract, logTreeContract, sharedLogTreeContract } from '../testkit/log-tree.ts'
import { ok } from '../testkit/outcome.ts'
import { caughtBy, proveContract } from './broken/harness.ts'
import {
  CONCURRENT_TREE_MUTATIONS,
  LASTING_TREE_MUTATIONS,
  SHARED_TREE_MUTATIONS,
} from './broken/log-tree-handles.ts'
import { handlesOn, type Mutate, type MutateHandles, mutationsOf } from './broken/mutations.ts'

type WithTree = Store & LogTree

const withTree = (store: Store): WithTree => {
  const tree = treeOf(store)
  if (tree === undefined) throw new Error('the store has no tree')
  return { ...store, ...tree }
}

for (const { name, isShared, layOut, openStore } of STORES) {
  const open = async () => {
    const { url, remove } = await layOut()
    const another = async () => withTree(await openStore(url))
    return { store: await another(), reopen: another, another, close: remove }
  }
  describe(`the contract of LogTree, kept by ${name}`, () =>
    logTreeContract({ describe, it }, open, isShared ? { lasting: open, shared: open } : {}))
}

const { answer, hear } = mutationsOf<WithTree>()

const open = (mutate: Mutate<WithTree> = () => ({})) => {
  const store = memoryStore()
  return { store: { ...store, ...mutate(store) } }
}

describe('the contract of LogTree is a contract', () =>
  proveContract<Mutate<WithTree>>(
    (runner, mutate) => logTreeContract(runner, async () => open(mutate)),
    [
      ...caughtBy<Mutate<WithTree>>('a new store has the empty tree and no tiles', {
        'begins with another root': answer('readTree', (tree) => ({ ...tree, root: '' })),
      }),
      ...caughtBy<Mutate<WithTree>>('the tree tells the number of entries, and the epoch after a renewal', {
        'counts the entries of the tree': answer('readTree', (tree) => ({ ...tree, entries: tree.size })),
      }),
      ...caughtBy<Mutate<WithTree>>('an extension is stored with its tiles', {
        'says that it wrote nothing': answer('extendTree', () => false),
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
      ...CONCURRENT_TREE_MUTATIONS,
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
      ...caughtBy<Mutate<WithTree>>('pruned entries are gone, and the others keep their positions', {
        'deletes nothing': hear('pruneLog', ({ through }) => [{ through, positions: [] }]),
        'closes the gap': answer('readLines', (lines, { after }) =>
          lines.map((line, index) => ({ ...line, position: after + index + 1 })),
        ),
      }),
      ...caughtBy<Mutate<WithTree>>(
        'a repeated pruning deletes nothing, and an earlier one does not undo a later',
        {
          'counts entries that were missing': answer('pruneLog', (_, { positions }) => positions.length),
        },
      ),
      ...caughtBy<Mutate<WithTree>>('an extension keeps what is known to be pruned', {
        'does not tell it': hear('extendTree', (extend) => [
          (tree, reads) => extend({ ...tree, pruned: 0 }, reads),
        ]),
      }),
      ...caughtBy<Mutate<WithTree>>(
        'an entry above the last that may be missing is not pruned, and no other with it',
        { 'ignores the limit': hear('pruneLog', ({ positions }) => [{ through: 3, positions }]) },
      ),
      ...caughtBy<Mutate<WithTree>>('an entry that is the last one is not pruned, and no other with it', {
        'skips it': hear('pruneLog', ({ through, positions }) => [
          { through, positions: positions.filter((position) => position < 4) },
        ]),
      }),
      ...caughtBy<Mutate<WithTree>>('an entry with a lasting effect is not pruned, and no other with it', {
        'prunes the others': hear('pruneLog', ({ through, positions }) => [
          { through, positions: positions.filter((position) => position !== 1) },
        ]),
      }),
      ...caughtBy<Mutate<WithTree>>('entries of exactly the prunable types are pruned', {
        'prunes no refusals': (good) => ({
          pruneLog: (asked) => async () => {
            const [position = 0] = asked.positions
            const [entry] = await ok(good.readEvents({ after: position - 1, limit: 1 }))
            return entry?.type === 'SignInRefused'
              ? unavailable('the log is append-only')
              : good.pruneLog(asked)()
          },
        }),
      }),
      ...caughtBy<Mutate<WithTree>>('a closed store has no tree', {
        'reads on after its end': (good) => ({ close: async () => undefined, readTree: good.readTree }),
      }),
    ],
  ))

const lasting = async (mutate?: MutateHandles<WithTree>) => {
  const next = handlesOn(memoryStore(), mutate)
  return { store: next(), reopen: async () => next() }
}

const shared = async (mutate?: MutateHandles<WithTree>) => {
  const next = handlesOn(memoryStore(), mutate)
  return { store: next(), another: async () => next() }
}

describe('concurrent extensions of a LogTree', () =>
  proveContract<Mutate<WithTree>>(
    (runner, mutate) => {
      const check = casesOnStore(runner, async () => open(mutate))
      concurrentExtensionCases('', (name, body) => check(name, (store) => body([store])))
    },
    CONCURRENT_TREE_MUTATIONS,
    { isExact: true },
  ))

describe('the contract of a lasting LogTree', () =>
  proveContract(
    (runner, mutate) => lastingLogTreeContract(runner, () => lasting(mutate)),
    LASTING_TREE_MUTATIONS,
    { isExact: true },
  ))

describe('the contract of a shared LogTree', () =>
  proveContract(
    (runner, mutate) => sharedLogTreeContract(runner, () => shared(mutate)),
    SHARED_TREE_MUTATIONS,
    { isExact: true },
  ))
