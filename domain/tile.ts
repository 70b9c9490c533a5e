import { none, type Option, some } from 'fp-ts/lib/Option.js'

/**
 * Files of a log that anyone can serve and verify (C2SP tlog-tiles). A hash tile at level L has up to 256 hashes of the
 * tree's level 8 L. An entry bundle has the entries below one tile of level 0.
 */
export type TilePath = Readonly<{
  level: number | 'entries'
  index: number
  /** The number of hashes or entries; 256 in a full tile. */
  width: number
}>

export type HashTilePath = TilePath & Readonly<{ level: number }>

export const TILE_WIDTH = 256

/** The levels of the tree between two levels of tiles. */
export const TILE_HEIGHT = 8

/** Returns `tile/0/x001/x234/067`, or `tile/0/x001/x234/067.p/8` for a partial tile. */
export const tilePath = ({ level, index, width }: TilePath): string => {
  const groups: Array<string> = []
  for (let rest = index; groups.length === 0 || rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`${groups.length === 0 ? '' : 'x'}${String(rest % 1000).padStart(3, '0')}`)
  const partial = width === TILE_WIDTH ? '' : `.p/${width}`
  return `tile/${level}/${groups.join('/')}${partial}`
}

/** Reads what `tilePath` writes, and nothing else: each tile has one path. */
export const parseTilePath = (text: string): Option<TilePath> => {
  const [, level = '', groups = '', width] = TILE_PATH.exec(text) ?? []
  const tile: TilePath = {
    level: level === 'entries' ? level : Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  const isTile =
    (tile.level === 'entries' || tile.level <= MAX_LEVEL) &&
    Number.isSafeInteger(tile.index) &&
    (width === undefined || tile.width < TILE_WIDTH)
  return isTile && tilePath(tile) === text ? some(tile) : none
}

/** Bounded: six groups of three digits are enough for each safe integer. */
const TILE_PATH = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** The highest level in a path (C2SP tlog-tiles). */
const MAX_LEVEL = 63

/**
 * Yields the full tiles of a level of a tree with this number of hashes there, and the partial one, if there is one. A checkpoint may
 * state any number, so they are not made at once.
 */
export function* tilesOf(level: TilePath['level'], hashes: number): Generator<TilePath, void> {
  const full = Math.floor(hashes / TILE_WIDTH)
  for (let index = 0; index < full; index += 1) yield { level, index, width: TILE_WIDTH }
  const width = hashes % TILE_WIDTH
  if (width > 0) yield { level, index: full, width }
}

/**
 * Returns the hash tiles at the right edge of a tree that are not full, from the highest level to the lowest. Their hashes
 * are the complete subtrees that the tree consists of.
 */
export const edgeTiles = (size: number): ReadonlyArray<HashTilePath> => {
  const edge: Array<HashTilePath> = []
  for (let level = 0, hashes = size; hashes > 0; level += 1, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const width = hashes % TILE_WIDTH
    if (width > 0) edge.unshift({ level, index: Math.floor(hashes / TILE_WIDTH), width })
  }
  return edge
}

/** The bytes of a hash in a hash tile. */
export const HASH_BYTES = 32

/** Returns the hashes of a hash tile. */
export const hashesOf = (tile: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.floor(tile.length / HASH_BYTES) }, (_, index) =>
    tile.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  )

/** The longest entry that a bundle can contain, in bytes. */
export const MAX_ENTRY_BYTES = 65_535

/** Returns an entry bundle: each entry behind its length, two bytes, big-endian. */
export const entryBundle = (entries: ReadonlyArray<Uint8Array>): Uint8Array =>
  joined(entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 255), entry]))

/** Returns the entries of a bundle, or undefined if it does not end with an entry. */
export const entriesOf = (bundle: Uint8Array): ReadonlyArray<Uint8Array> | undefined => {
  const entries: Array<Uint8Array> = []
  let at = 0
  while (at + 2 <= bundle.length) {
    const length = ((bundle[at] ?? 0) << 8) | (bundle[at + 1] ?? 0)
    entries.push(bundle.subarray(at + 2, at + 2 + length))
    at += 2 + length
  }
  return at === bundle.length ? entries : undefined
}

/** The same bytes in one array. */
export const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

export const areSameBytes = (one: Uint8Array, other: Uint8Array): boolean => {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false
  return true
}
