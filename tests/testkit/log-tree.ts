import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { EMPTY_TREE, type ExtendTree } from '../../application/ports/log-tree.ts'
import { PRUNABLE_TYPES } from '../../domain/retention.ts'
import { change, issuedToken, registered } from './builders.ts'
import { casesOnLasting, casesOnShared, casesOnStore, storeOf } from './frames.ts'
import { concurrentExtensionCases } from './log-tree/concurrency.ts'
import {
  BOTH,
  by,
  bytes,
  FIRST,
  HASHES,
  isStored,
  linesOf,
  positions,
  SECOND,
  type StoreWithTree,
} from './log-tree/extensions.ts'
import { lastingTreeCases } from './log-tree/lasting.ts'
import { sharedTreeCases } from './log-tree/shared.ts'
import { commitAll, ok, unavailable } from './outcome.ts'
import { ifDeclared, type Runner } from './runner.ts'
import { everyEvent } from './store/every-event.ts'

/** Opens a new, empty store that implements `LogTree` too. The suite calls `close` after it has closed the store. */
export type OpenLogTree = () => Promise<OpenedLogTree>
export type OpenedLogTree = Readonly<{ store: StoreWithTree; close?: () => Promise<void> }>

/** Opens a new, empty store whose tree survives closing. `reopen` as in `OpenLastingStore`. */
export type OpenLastingLogTree = () => Promise<
  OpenedLogTree & Readonly<{ reopen: () => Promise<StoreWithTree> }>
>

/** Opens a new, empty store that several processes may use at once. `another` as in `OpenSharedStore`. */
export type OpenSharedLogTree = () => Promise<
  OpenedLogTree & Readonly<{ another: () => Promise<StoreWithTree> }>
>

/** Optional capabilities, as those of a store. */
export type LogTreeCapabilities = Readonly<{ lasting?: OpenLastingLogTree; shared?: OpenSharedLogTree }>

/** The contract suite of `LogTree`, without its lines: `logLinesContract` tests those. */
export const logTreeContract = (
  runner: Runner,
  open: OpenLogTree,
  { lasting, shared }: LogTreeCapabilities = {},
): void => {
  const check = casesOnStore(runner, open)

  check('a new store has the empty tree and no tiles', async (store) => {
    const { epoch, entries, pruned, ...state } = await ok(store.readTree())
    assert.deepEqual(state, EMPTY_TREE)
    assert.equal(pruned, 0)
    assert.equal(epoch, await ok(store.readEpoch()))
    assert.equal(entries, 0)
    assert.equal((await ok(store.readTile({ level: 0, index: 0 }))).length, 0)
  })

  check('the tree tells the number of entries, and the epoch after a renewal', async (store) => {
    await commitAll(store, change(registered(), issuedToken()), change(issuedToken()))
    assert.equal((await ok(store.readTree())).entries, 3)
    const [renewal] = change(registered()).events
    const epoch = await ok(store.renewEpoch(() => renewal))
    const { epoch: read, entries } = await ok(store.readTree())
    assert.deepEqual({ epoch: read, entries }, { epoch, entries: 4 })
  })

  check('an extension is stored with its tiles', async (store) => {
    await commitAll(store, change(registered()))
    assert.equal(await ok(store.extendTree(by(FIRST))), true)
    await isStored(store, FIRST)
    assert.equal((await ok(store.readTree())).entries, 1)
    assert.equal((await ok(store.readTile({ level: 0, index: 1 }))).length, 0)
    assert.equal((await ok(store.readTile({ level: 2, index: 0 }))).length, 0)
  })

  check('a later extension replaces the tree and its tiles, and keeps the others', async (store) => {
    await ok(store.extendTree(by(FIRST)))
    assert.equal(await ok(store.extendTree(by(SECOND))), true)
    await isStored(store, BOTH)
  })

  check('the largest tile and the largest numbers are kept', async (store) => {
    const hashes = Uint8Array.from({ length: 8_192 }, (_, index) => index % 251)
    const tiles = [
      { level: 0, index: 2 ** 44, hashes },
      { level: 6, index: 0, hashes },
    ]
    const large = { ...FIRST, size: Number.MAX_SAFE_INTEGER, tiles }
    await ok(store.extendTree(by(large)))
    await isStored(store, large)
  })

  check('an extension without tiles replaces only the tree', async (store) => {
    await ok(store.extendTree(by(FIRST)))
    await ok(store.extendTree(by({ ...FIRST, note: 'signed again\n', tiles: [] })))
    await isStored(store, { ...FIRST, note: 'signed again\n' })
  })

  check('no extension changes nothing', async (store) => {
    await ok(store.extendTree(by(FIRST)))
    assert.equal(await ok(store.extendTree(() => async () => none)), false)
    await isStored(store, FIRST)
  })

  check('an extension gets the stored tree, and reads lines and tiles', async (store) => {
    await commitAll(store, change(registered(), issuedToken()))
    await ok(store.extendTree(by(FIRST)))
    let isCalled = false
    const extend: ExtendTree = (tree, reads) => async () => {
      isCalled = true
      assert.deepEqual(tree, await ok(store.readTree()))
      assert.deepEqual(await ok(reads.readLines({ after: 1, limit: 5 })), await linesOf(store, 1))
      assert.deepEqual(bytes(await ok(reads.readTile({ level: 0, index: 0 }))), bytes(FIRST.tiles[0]?.hashes))
      return none
    }
    assert.equal(await ok(store.extendTree(extend)), false)
    assert.equal(isCalled, true)
  })

  check('commits go on during an extension', async (store) => {
    const extend: ExtendTree = () => async () => {
      await commitAll(store, change(registered()))
      return some(FIRST)
    }
    assert.equal(await ok(store.extendTree(extend)), true)
    await isStored(store, FIRST)
    assert.equal((await ok(store.readTree())).entries, 1)
  })

  concurrentExtensionCases('', (name, body) => check(name, (store) => body([store])))

  check('a changed tile of a caller changes no stored one', async (store) => {
    const hashes = Uint8Array.from(HASHES)
    await ok(store.extendTree(by({ ...FIRST, tiles: [{ level: 0, index: 0, hashes }] })))
    hashes.fill(9)
    const read = await ok(store.readTile({ level: 0, index: 0 }))
    assert.deepEqual(bytes(read), bytes(HASHES))
    read.fill(9)
    assert.deepEqual(bytes(await ok(store.readTile({ level: 0, index: 0 }))), bytes(HASHES))
  })

  check('pruned entries are gone, and the others keep their positions', async (store) => {
    await commitAll(store, change(registered(), issuedToken(), issuedToken()), change(issuedToken()))
    await ok(store.extendTree(by(FIRST)))
    assert.equal(await ok(store.pruneLog({ through: 3, positions: [2, 3] })), 2)
    assert.deepEqual(await positions(store), [1, 4])
    assert.deepEqual(
      (await linesOf(store, 0)).map(({ position }) => position),
      [1, 4],
    )
    const { pruned, entries } = await ok(store.readTree())
    assert.deepEqual({ pruned, entries }, { pruned: 3, entries: 4 })
    await isStored(store, FIRST)
    await commitAll(store, change(issuedToken()))
    assert.deepEqual(await positions(store), [1, 4, 5])
    assert.deepEqual(
      (await linesOf(store, 2)).map(({ position }) => position),
      [4, 5],
    )
  })

  check('a repeated pruning deletes nothing, and an earlier one does not undo a later', async (store) => {
    await commitAll(store, change(registered(), issuedToken(), issuedToken(), issuedToken()))
    await ok(store.pruneLog({ through: 3, positions: [2] }))
    assert.equal(await ok(store.pruneLog({ through: 3, positions: [2, 3] })), 1)
    assert.equal(await ok(store.pruneLog({ through: 2, positions: [2, 3] })), 0)
    assert.equal(await ok(store.pruneLog({ through: 1, positions: [] })), 0)
    assert.equal((await ok(store.readTree())).pruned, 3)
  })

  check('an extension keeps what is known to be pruned', async (store) => {
    await commitAll(store, change(registered(), issuedToken(), issuedToken()))
    await ok(store.pruneLog({ through: 2, positions: [2] }))
    const extend: ExtendTree = (tree) => async () => {
      assert.equal(tree.pruned, 2)
      return some(FIRST)
    }
    assert.equal(await ok(store.extendTree(extend)), true)
    assert.equal((await ok(store.readTree())).pruned, 2)
  })

  for (const [which, position, through] of [
    ['above the last that may be missing', 3, 2],
    ['that is the last one', 4, 4],
    ['with a lasting effect', 1, 3],
  ] as const)
    check(`an entry ${which} is not pruned, and no other with it`, async (store) => {
      await commitAll(store, change(registered(), issuedToken(), issuedToken(), issuedToken()))
      await unavailable(store.pruneLog({ through, positions: [2, position] }))
      assert.deepEqual(await positions(store), [1, 2, 3, 4])
      assert.equal((await ok(store.readTree())).pruned, 0)
    })

  check('entries of exactly the prunable types are pruned', async (store) => {
    for (const { before, fact } of everyEvent())
      for (const one of [...before, fact]) await store.commit({ ...change(one), compared: [], rows: [] })()
    await commitAll(store, change(registered()))
    const entries = await ok(store.readEvents({ after: 0, limit: 1_000 }))
    const last = entries.length
    for (const { position, type } of entries.slice(0, -1)) {
      const pruned = store.pruneLog({ through: last, positions: [position] })
      if (PRUNABLE_TYPES.includes(type)) assert.equal(await ok(pruned), 1, type)
      else await unavailable(pruned)
    }
  })

  check('a closed store has no tree', async (store) => {
    await ok(store.extendTree(by(FIRST)))
    await store.close()
    await unavailable(store.readTree())
    await unavailable(store.readTile({ level: 0, index: 0 }))
    assert.equal(isRight(await store.extendTree(by(SECOND))()), false)
    await unavailable(store.pruneLog({ through: 1, positions: [] }))
  })

  ifDeclared(runner, 'lasting', lasting, (opening) => lastingLogTreeContract(runner, opening))
  ifDeclared(runner, 'shared', shared, (opening) => sharedLogTreeContract(runner, opening))
}

/** The cases of a tree that survives closing. */
export const lastingLogTreeContract = (runner: Runner, open: OpenLastingLogTree): void =>
  void runner.describe('closed and opened again', () =>
    lastingTreeCases(casesOnLasting(runner, storeOf(open))),
  )

/** The cases of several handles on one tree. */
export const sharedLogTreeContract = (runner: Runner, open: OpenSharedLogTree): void => {
  const check = casesOnShared(runner, storeOf(open))
  runner.describe('several handles on one tree', () => {
    sharedTreeCases(check)
    concurrentExtensionCases(' through several handles', (name, body) =>
      check(name, (...handles) => body(handles)),
    )
  })
}
