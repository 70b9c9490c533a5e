import type { FileHandle } from 'node:fs/promises'

/**
 * A file of sorted SHA-1 digests in hexadecimal, one per line, with or without `:COUNT`. Such files have tens of GiB,
 * so they are searched on disk.
 */

/** A line of the file. The first line tells the form of the file. */
export const DIGEST_LINE = /^([0-9A-Fa-f]{40})(?::\d{1,20})?\r?(?:\n|$)/

/** Reads up to `length` bytes from a position. */
type Read<Bytes> = (position: number, length: number) => Bytes

/** The first line that begins at or after a position; undefined without one. */
type Line = Readonly<{ begin: number; digest: string }> | undefined

/** 40 digits, a colon, 20 digits, and the end of the line. */
const MAX_LINE_BYTES = 63

/** From this size on, reading the block is faster than bisecting it. */
const BLOCK_BYTES = 4096

/** What `lineAt` needs: the byte before the position, the rest of the line before it, and one whole line. */
const LOOK_BYTES = 1 + 2 * MAX_LINE_BYTES

const NOT_A_DIGEST_LIST = 'it is not a sorted list of SHA-1 digests'

/**
 * Whether the file contains a digest.
 *
 * @throws Error with a sentence when the file is no longer a sorted list
 */
export const containsDigest = async (file: FileHandle, digest: string): Promise<boolean> => {
  const { size } = await file.stat()
  const read: Read<Promise<string>> = async (position, length) => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
    return buffer.toString('latin1', 0, bytesRead)
  }
  let low = 0 // a line begins here, and the digest is not before it
  let high = size // the digest is before this position
  while (high - low > BLOCK_BYTES) {
    const middle = Math.floor((low + high) / 2)
    const line = lineAt(middle, await read(middle - 1, LOOK_BYTES))
    if (line?.digest === digest) return true
    if (line !== undefined && line.digest < digest) low = line.begin
    else high = middle
  }
  const block = await read(low, high - low + MAX_LINE_BYTES)
  if (!DIGEST_LINE.test(block)) throw new Error(NOT_A_DIGEST_LIST)
  return block.split('\n').some((line) => line.slice(0, digest.length).toLowerCase() === digest)
}

/**
 * Checks the order at positions spread over the file.
 *
 * @returns the problem, or undefined
 */
export const orderProblem = (size: number, read: Read<string>): string | undefined => {
  let last = ''
  for (let place = 0; place < PLACES; place += 1) {
    const position = Math.floor((size * place) / PLACES)
    try {
      const line =
        position === 0 ? firstLine(read(0, LOOK_BYTES)) : lineAt(position, read(position - 1, LOOK_BYTES))
      if (line === undefined) continue
      if (line.digest < last) return 'its digests are not sorted: sort the list (LC_ALL=C sort)'
      last = line.digest
    } catch {
      return `a line near byte ${position} is not a SHA-1 digest`
    }
  }
  return undefined
}

/** Enough to detect an unsorted file, and fast even on a hard disk. */
const PLACES = 64

/**
 * The first line that begins at or after a position.
 *
 * @param text the file from the byte before the position on
 */
const lineAt = (position: number, text: string): Line => {
  const end = text.indexOf('\n')
  if (end > MAX_LINE_BYTES || (end < 0 && text.length > MAX_LINE_BYTES)) throw new Error(NOT_A_DIGEST_LIST)
  const rest = text.slice(end + 1)
  return end < 0 || rest === '' ? undefined : { begin: position + end, digest: digestOf(rest) }
}

const firstLine = (text: string): Line => ({ begin: 0, digest: digestOf(text) })

const digestOf = (text: string): string => {
  const digest = DIGEST_LINE.exec(text)?.[1]
  if (digest === undefined) throw new Error(NOT_A_DIGEST_LIST)
  return digest.toLowerCase()
}
