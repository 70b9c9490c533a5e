import assert from 'node:assert/strict'
import { some } from 'fp-ts/lib/Option.js'
import type { CaseOf } from '../frames.ts'
import { ok } from '../outcome.ts'
import { bytes, FIRST, type StoreWithTree } from './extensions.ts'

type Handles = readonly [StoreWithTree, ...ReadonlyArray<StoreWithTree>]

/** Of extensions at once, a store may write one, or each over the one before. One that it does not write leaves nothing. */
export const concurrentExtensionCases = (through: string, check: CaseOf<[handles: Handles]>): void => {
  check(
    `of several extensions at once${through}, each that is stored continues the one before`,
    async (handles) => {
      const { stored, called } = await extendedAtOnce(handles)
      const count = stored.filter(Boolean).length
      for (const handle of handles) assert.equal((await ok(handle.readTree())).size, count)
      assert.ok(count >= 1 && called >= count)
    },
  )

  check(
    `of several extensions at once${through}, one that is not stored leaves no tiles`,
    async (handles) => {
      const { stored } = await extendedAtOnce(handles)
      for (const handle of handles) {
        for (const [number, isWritten] of stored.entries()) {
          const tile = bytes(await ok(handle.readTile({ level: 0, index: number })))
          assert.deepEqual(tile, isWritten ? bytes(hashesOf(number)) : [], `the tile of extension ${number}`)
        }
        const { note } = await ok(handle.readTree())
        const common = bytes(await ok(handle.readTile(COMMON)))
        assert.deepEqual(common, bytes(hashesOf(Number(note))), 'the tile that all of them write')
      }
    },
  )
}

const COMMON = { level: 1, index: 0 }

const hashesOf = (number: number): Uint8Array => new Uint8Array(32).fill(number)

/** Extends the tree eight times at once. Each extension has a tile of its own and one that all of them write. */
const extendedAtOnce = async (handles: Handles) => {
  let called = 0
  const extended = async (handle: StoreWithTree, number: number): Promise<boolean> =>
    ok(
      handle.extendTree(({ size }) => async () => {
        called += 1
        await ok(handle.readEpoch()) // lets the others begin
        const hashes = hashesOf(number)
        const tiles = [
          { level: 0, index: number, hashes },
          { ...COMMON, hashes },
        ]
        return some({ ...FIRST, size: size + 1, root: `root of ${size + 1}`, note: `${number}`, tiles })
      }),
    )
  const stored = await Promise.all(
    Array.from({ length: 8 }, (_, number) =>
      extended(handles[number % handles.length] ?? handles[0], number),
    ),
  )
  return { stored, called }
}
