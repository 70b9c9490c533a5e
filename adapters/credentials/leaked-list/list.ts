import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { LeakedPasswords } from '../../../application/ports/password-strength.ts'
import { minimumOf, type PasswordPolicy } from '../../../domain/password-policy.ts'
import { containsDigest, DIGEST_LINE, orderProblem } from './digest-file.ts'

/**
 * The leaked passwords in a file of one of two forms. Sorted SHA-1 digests are searched on disk for each password, so
 * the file can be replaced at any time. Plain passwords are read once and kept in memory.
 *
 * @param policy has the minimum length of passwords; shorter ones are not kept
 * @returns the sentence of `listProblem` if the file is no such list
 */
export const leakedList = (path: string, policy: PasswordPolicy): E.Either<string, LeakedPasswords> =>
  pipe(
    formOf(path),
    E.map((form) => (form === 'digests' ? searchedDigests(path) : plainPasswords(path, minimumOf(policy)))),
  )

/** A sentence about what is wrong with a list of leaked passwords, or undefined. */
export const listProblem = (path: string): string | undefined => {
  const form = formOf(path)
  return E.isLeft(form) ? form.left : undefined
}

const searchedDigests =
  (path: string): LeakedPasswords =>
  (password) =>
  async () => {
    try {
      const file = await open(path)
      try {
        return E.right(await containsDigest(file, hash('sha1', password, 'hex')))
      } finally {
        await file.close()
      }
    } catch (error) {
      return E.left({
        _tag: 'PasswordCheckUnavailable',
        reason: `the list of leaked passwords cannot be read: ${causeOf(error)}`,
      })
    }
  }

const plainPasswords = (path: string, minCodePoints: number): LeakedPasswords => {
  const passwords = new Set<string>()
  // A line has at most as many code points as bytes.
  for (const line of linesOf(readFileSync(path)))
    if (line.length >= minCodePoints) passwords.add(line.toString())
  return (password) => async () => E.right(passwords.has(password))
}

type Form = 'digests' | 'plain'

const formOf = (path: string): E.Either<string, Form> => {
  try {
    if (!statSync(path).isFile()) return E.left('it names no regular file') // opening a pipe would wait for ever
    const file = openSync(path, 'r')
    try {
      return formIn(fstatSync(file).size, (position, length) => {
        const bytes = Buffer.alloc(length)
        return bytes.subarray(0, readSync(file, bytes, 0, length, position))
      })
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return E.left(`the file it names cannot be read (${causeOf(error)})`)
  }
}

const formIn = (size: number, read: (position: number, length: number) => Buffer): E.Either<string, Form> => {
  const head = read(0, HEAD_BYTES)
  const text = head.toString('latin1')
  if (DIGEST_LINE.test(text)) {
    const disorder = orderProblem(size, (position, length) => read(position, length).toString('latin1'))
    return disorder === undefined ? E.right('digests') : E.left(disorder)
  }
  if (UNSUPPORTED_DIGESTS.test(text))
    return E.left(
      'it contains digests, but not one SHA-1 digest per line (40 hexadecimal digits, optionally with :COUNT)',
    )
  if (head.includes(0)) return E.left('it is not text')
  if (text.trim() === '') return E.left('it is empty')
  return size <= MAX_PLAIN_BYTES
    ? E.right('plain')
    : E.left('a list of plain passwords may have 64 MiB at most; convert it to sorted SHA-1 digests')
}

const HEAD_BYTES = 4096

/**
 * NTLM digests, the output of sha1sum, or digests after a comment or a byte order mark. As plain passwords, they would
 * match nothing.
 */
const UNSUPPORTED_DIGESTS = /(?:^|\n|\xef\xbb\xbf)[0-9A-Fa-f]{32,}(?![0-9A-Za-z])/

const MAX_PLAIN_BYTES = 64 * 2 ** 20

/** A code such as ENOENT, because messages contain the path. */
const causeOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.message) : 'unknown'

/** The lines of a text as bytes, without their ends (LF or CRLF). */
function* linesOf(text: Buffer): Generator<Buffer> {
  let begin = text.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0
  while (begin < text.length) {
    const lineFeed = text.indexOf(LINE_FEED, begin)
    const end = lineFeed < 0 ? text.length : lineFeed
    yield text.subarray(begin, text[end - 1] === CARRIAGE_RETURN ? end - 1 : end)
    begin = end + 1
  }
}

/** Some editors write one before the first password. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
