import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { ReadRecord } from './encoding.ts'
import { BASE64, bytesOf, isOutputOf, NUMBER } from './encoding.ts'

/**
 * Reads `$pbkdf2-sha256$i=600000,l=32$SALT$OUTPUT`, and `$pbkdf2-sha256$29000$SALT$OUTPUT` of passlib, which writes `.` for `+`
 * and calls SHA-1 `$pbkdf2$`.
 */
export const readPbkdf2 = (text: string): E.Either<string, ReadRecord> => {
  const phc = PHC_FORM.exec(text)
  const [, digest = 'sha1', rounds, length, salt64, output64] = phc ?? withoutLength(PASSLIB_FORM.exec(text))
  const base64 = (part = '') => bytesOf(phc === null ? part.replaceAll('.', '+') : part)
  const salt = base64(salt64)
  const output = base64(output64)
  if (!isDigest(digest) || !salt || !output)
    return E.left(
      'A PBKDF2 record must have the form $pbkdf2-sha256$i=…,l=…$SALT$OUTPUT or $pbkdf2-sha256$ROUNDS$SALT$OUTPUT.',
    )
  if (length !== undefined && Number(length) !== output.length)
    return E.left('The length l of a PBKDF2 record must be the length of its output.')
  const iterations = Number(rounds)
  return E.right({
    scheme: {
      algorithm: `pbkdf2-${digest}`,
      iterations,
      blocks: Math.ceil(output.length / DIGEST_BYTES[digest]),
    },
    salt,
    output,
    matches: async (password) => {
      const computed = await pbkdf2Of(password, { digest, iterations, salt, bytes: output.length })
      return isOutputOf(password, computed, output)
    },
  })
}

const NAME = '\\$pbkdf2(?:-(sha1|sha256|sha512))?\\$'
const PHC_FORM = new RegExp(`^${NAME}i=${NUMBER}(?:,l=${NUMBER})?\\$${BASE64}\\$${BASE64}$`)
const PASSLIB_FORM = new RegExp(`^${NAME}${NUMBER}\\$([A-Za-z0-9./]+)\\$([A-Za-z0-9./]+)$`)

const withoutLength = (found: RegExpExecArray | null): ReadonlyArray<string | undefined> =>
  found === null ? [] : [found[0], found[1], found[2], undefined, found[3], found[4]]

/** The output of PBKDF2 with HMAC (RFC 8018 §5.2). */
export const pbkdf2Of = (
  password: string,
  {
    digest,
    iterations,
    salt,
    bytes,
  }: Readonly<{ digest: Digest; iterations: number; salt: Uint8Array; bytes: number }>,
): Promise<Buffer> => derive(password, salt, iterations, bytes, digest)

const derive = promisify(pbkdf2)

type Digest = keyof typeof DIGEST_BYTES

const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 } as const

const isDigest = (text: string): text is Digest => Object.hasOwn(DIGEST_BYTES, text)
