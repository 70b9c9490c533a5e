import type { FileHandle } from 'node:fs/promises'

/**
 * A file of SHA-1 digests in hexadecimal, sorted, one a line, with or without `:COUNT` behind. Such files have tens of GiB:
 * they are searched where they are.
 */

/** How a line of the file looks, and the first line says of which kind the file is. */
export const DIGEST_LINE = /^([0-9A-Fa-f]{40})(?::\d{1,20})?\r?(?:\n|$)/

/** Reads as many bytes from a place in the file as there are, up to a length. */
type Read<Bytes> = (position: number, length: number) => Bytes

/** The first line that begins at a place or behind it; `undefined` when none does. */
type Line = Readonly<{ begin: number; digest: string }> | undefined

/** 40 digits, a colon, 20 digits, and the end of the line. */
const MAX_LINE_BYTES = 63

/** From here on it is faster to read all than to look where to read. */
const BLOCK_BYTES = 4096

/** What `lineAt` has to be given: the byte before the place, the rest of a line that begins before it, and a whole line. */
const LOOK_BYTES = 1 + 2 * MAX_LINE_BYTES

const NOT_A_DIGEST_LIST = 'it is not a sorted list of SHA-1 digests'

/** @throws Error with a sentence when the file is not what it was when it was opened */
export const containsDigest = async (file: FileHandle, digest: string): Promise<boolean> => {
  const { size } = await file.stat()
  const read: Read<Promise<string>> = async (position, length) => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
    return buffer.toString('latin1', 0, bytesRead)
  }
  let low = 0 // a line begins here, and the one that is looked for not before
  let high = size // and not here or behind
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
 * Looks at places all over the file.
 *
 * @returns what is wrong, if anything
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
      return `a line near byte ${position} is no SHA-1 digest`
    }
  }
  return undefined
}

/** Enough to see an order that is not there, and a moment's work even on a disk that turns. */
const PLACES = 64

/**
 * The first line that begins at a position or behind it.
 *
 * @param text what stands in the file from the byte before the position on
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
