import { type Either, isRight, left, right } from 'fp-ts/lib/Either.js'
import type { ImportRequest } from '../../domain/user-import.ts'
import { asciiEmail } from '../config/addresses/ascii-domains.ts'
import { textIn } from '../config/files/text-file.ts'

/** A line of the file: its number, from 1, and the request in it, or a sentence without any part of the line. */
export type ImportLine = Readonly<{ number: number; request: Either<string, ImportRequest> }>

/** Lines of the file without empty ones, and how many bytes were read for them. */
export type ImportPage = Readonly<{ lines: ReadonlyArray<ImportLine>; bytes: number }>

/** Reads JSON lines in pages of at most `size` lines, because the file may exceed the memory. */
export async function* importPages(
  input: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<ImportPage, void> {
  let lines: Array<ImportLine> = []
  let bytes = 0
  let number = 0
  for await (const { line, length } of linesOf(input)) {
    number += 1
    bytes += length + 1
    const request = line === undefined ? TOO_LONG : requestIn(line)
    if (request !== undefined) lines.push({ number, request })
    if (lines.length === size) {
      yield { lines, bytes }
      lines = []
      bytes = 0
    }
  }
  yield { lines, bytes }
}

/** Whether a line has secrets of authenticator apps. */
export const haveSecrets = async (input: AsyncIterable<Uint8Array>): Promise<boolean> => {
  for await (const { lines } of importPages(input, 1)) {
    for (const { request } of lines) {
      const { totp } = isRight(request) ? request.right : {}
      if (Array.isArray(totp) && totp.length > 0) return true
    }
  }
  return false
}

/** Returns what a line contains; undefined if it is empty. */
const requestIn = (line: Buffer): ImportLine['request'] | undefined => {
  const text = textIn(line) // joined files have a byte order mark in later lines, too
  if (text === undefined) return left('The line is not valid UTF-8.')
  if (text.trim() === '') return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return isObject ? right(withAsciiEmail(parsed)) : left('The line is not a JSON object.')
  } catch {
    return left('The line is not valid JSON.') // the message of the parser quotes the line
  }
}

const withAsciiEmail = (request: ImportRequest): ImportRequest =>
  typeof request.email === 'string' ? { ...request, email: asciiEmail(request.email) } : request

/** The limit of a request body. */
const MAX_LINE_BYTES = 16 * 1024
const TOO_LONG = left(`The line is longer than ${MAX_LINE_BYTES} bytes.`)

/** Splits the input at line feeds. A line that is too long is undefined, and never in memory as a whole. */
async function* linesOf(input: AsyncIterable<Uint8Array>) {
  let parts: Array<Uint8Array> = []
  let length = 0
  const taken = () => {
    const line = length > MAX_LINE_BYTES ? undefined : Buffer.concat(parts)
    const found = { line, length }
    parts = []
    length = 0
    return found
  }
  for await (const chunk of input) {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LINE_FEED, from)
      const part = chunk.subarray(from, end < 0 ? chunk.length : end)
      from += part.length + 1
      length += part.length
      if (length <= MAX_LINE_BYTES) parts.push(part)
      else parts = []
      if (end >= 0) yield taken()
    }
  }
  if (length > 0) yield taken()
}

const LINE_FEED = 10
