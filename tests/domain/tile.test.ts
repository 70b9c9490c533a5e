import { expect } from 'chai'
import * as fc from 'fast-check'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import {
  entriesOf,
  entryBundle,
  MAX_ENTRY_BYTES,
  parseTilePath,
  TILE_WIDTH,
  type TilePath,
  tilePath,
  tilesOf,
} from '../../domain/tile.ts'
import { SEED, withoutIo } from './no-io.ts'

/** Paths that other spellings of a tile might have, and paths that name no tile. */
const NO_PATHS: ReadonlyArray<string> = [
  '',
  'tile',
  'tile/',
  'tile/0',
  'tile/0/',
  'tile/0/0000',
  'tile/00/000',
  'tile/64/000',
  'tile/Entries/000',
  'tile/entries',
  'tile/0/x000/000',
  'tile/0/x001',
  'tile/0/x01/000',
  'tile/0/X001/000',
  'tile/0//000',
  'tile//0/000',
  '/tile/0/000',
  'tile/0/000 ',
  'tile/0/000\n',
  'tile/0/0٠0',
  'tile/0/%30%30%30',
  'tile/0/./000',
  'tile/0/000.p',
  'tile/0/000.p/0',
  'tile/0/000.p/08',
  'tile/0/000.p/256',
  'tile/0/000.P/8',
  'tile/0/x009/x007/x199/x254/x740/992', // 2 ** 53
  'tile/0/x999/x999/x999/x999/x999/999',
  'tile/0/x001/x000/x000/x000/x000/x000/000',
]

describe('a tile', () => {
  withoutIo()

  const PATHS: ReadonlyArray<readonly [path: string, tile: TilePath]> = [
    ['tile/0/000', { level: 0, index: 0, width: 256 }],
    ['tile/1/999', { level: 1, index: 999, width: 256 }],
    ['tile/0/x001/000', { level: 0, index: 1_000, width: 256 }],
    ['tile/0/x999/999', { level: 0, index: 999_999, width: 256 }],
    ['tile/0/x001/x000/000', { level: 0, index: 1_000_000, width: 256 }],
    ['tile/2/x001/x234/067', { level: 2, index: 1_234_067, width: 256 }],
    ['tile/0/x001/x234/067.p/8', { level: 0, index: 1_234_067, width: 8 }],
    ['tile/5/000.p/255', { level: 5, index: 0, width: 255 }],
    ['tile/entries/x001/x234/067', { level: 'entries', index: 1_234_067, width: 256 }],
    ['tile/63/000', { level: 63, index: 0, width: 256 }],
    ['tile/10/x009/x007/x199/x254/x740/991.p/10', { level: 10, index: Number.MAX_SAFE_INTEGER, width: 10 }],
    ['tile/entries/000.p/1', { level: 'entries', index: 0, width: 1 }],
  ]
  for (const [path, tile] of PATHS)
    it(`has the path ${path}`, () => {
      expect(tilePath(tile)).to.equal(path)
      expect(parseTilePath(path)).to.deep.equal(some(tile))
    })

  const tiles = fc.record<TilePath>({
    level: fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const)),
    index: fc.oneof(
      fc.integer({ min: 0, max: 2_000_000 }),
      fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    ),
    width: fc.integer({ min: 1, max: TILE_WIDTH }),
  })

  it('is read from its path', () => {
    fc.assert(
      fc.property(tiles, (tile) => {
        expect(parseTilePath(tilePath(tile))).to.deep.equal(some(tile))
      }),
      { seed: SEED, numRuns: 1_000 },
    )
  })

  it('has no other path: what is read is written the same', () => {
    const characters = fc.constantFrom(...'0123456789x/.p%entris-+ \n', '٠', '０')
    const edits = fc.array(
      fc.record({ at: fc.nat(), removed: fc.nat(3), put: fc.string({ unit: characters, maxLength: 4 }) }),
      { maxLength: 3 },
    )
    const edited = fc.tuple(tiles, edits).map(([tile, all]) =>
      all.reduce((path, { at, removed, put }) => {
        const start = at % (path.length + 1)
        return path.slice(0, start) + put + path.slice(start + removed)
      }, tilePath(tile)),
    )
    fc.assert(
      fc.property(edited, (path) => {
        const tile = parseTilePath(path)
        if (isSome(tile)) expect(tilePath(tile.value)).to.equal(path)
      }),
      { seed: SEED, numRuns: 5_000 },
    )
  })

  for (const path of NO_PATHS)
    it(`has no path ${JSON.stringify(path)}`, () => {
      expect(parseTilePath(path)).to.deep.equal(none)
    })

  it('has a path of its own', () => {
    const parsed = (path: string): unknown => {
      const [, level, groups = '', width] = /^tile\/(\d+|entries)\/(.*?)(?:\.p\/(\d+))?$/.exec(path) ?? []
      return {
        level: level === 'entries' ? level : Number(level),
        index: Number(groups.replaceAll(/[x/]/g, '')),
        width: Number(width ?? TILE_WIDTH),
      }
    }
    fc.assert(
      fc.property(tiles, (tile) => {
        expect(parsed(tilePath(tile))).to.deep.equal(tile)
      }),
      { seed: SEED },
    )
  })

  const WIDTHS: ReadonlyArray<readonly [hashes: number, widths: ReadonlyArray<number>]> = [
    [0, []],
    [1, [1]],
    [255, [255]],
    [256, [256]],
    [257, [256, 1]],
    [700, [256, 256, 188]],
  ]
  for (const [hashes, widths] of WIDTHS)
    it(`is full but for the last one, with ${hashes} hashes`, () => {
      const expected = widths.map((width, index) => ({ level: 1, index, width }))
      expect([...tilesOf(1, hashes)]).to.deep.equal(expected)
    })

  it('is not made before it is requested, with any number in a checkpoint', () => {
    expect(tilesOf('entries', 999_999_999_999_999).next().value).to.deep.equal({
      level: 'entries',
      index: 0,
      width: 256,
    })
  })
})

describe('a bundle of entries', () => {
  withoutIo()

  const entries = fc.array(fc.uint8Array({ maxLength: 600 }), { maxLength: 12 })
  const plain = (some: ReadonlyArray<Uint8Array> | undefined) => some?.map((entry) => [...entry])

  it('has the length of each entry before it, as two bytes, big-endian', () => {
    const bundle = entryBundle([new Uint8Array(), Uint8Array.of(7, 8), new Uint8Array(259).fill(9)])
    expect([...bundle.subarray(0, 9)]).to.deep.equal([0, 0, 0, 2, 7, 8, 1, 3, 9])
    expect(bundle).to.have.length(6 + 2 + 259)
  })

  it('contains its entries', () => {
    fc.assert(
      fc.property(entries, (all) => {
        expect(plain(entriesOf(entryBundle(all)))).to.deep.equal(plain(all))
      }),
      { seed: SEED },
    )
  })

  it('can contain the longest entry', () => {
    const all = [new Uint8Array(MAX_ENTRY_BYTES).fill(1), Uint8Array.of(2)]
    expect(plain(entriesOf(entryBundle(all)))).to.deep.equal(plain(all))
  })

  it('contains the entries before a cut, or none if the cut is inside an entry', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const bundle = entryBundle(all)
        const whole = new Map(all.map((_, n) => [entryBundle(all.slice(0, n)).length, all.slice(0, n)]))
        for (let length = 0; length < bundle.length; length += 1) {
          const kept = whole.get(length)
          const found = entriesOf(bundle.subarray(0, length))
          expect(found?.length, `${length} bytes`).to.equal(kept?.length)
        }
      }),
      { seed: SEED, numRuns: 20 },
    )
  })
})
