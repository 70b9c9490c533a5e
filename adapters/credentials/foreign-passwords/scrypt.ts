import { scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { ReadRecord } from './encoding.ts'
import { BASE64, bytesOf, isOutputOf, NUMBER } from './encoding.ts'

/** Reads `$scrypt$ln=15,r=8,p=1$SALT$OUTPUT`. */
export const readScrypt = (text: string): E.Either<string, ReadRecord> => {
  const [, ln, r, p, salt64, output64] = FORM.exec(text) ?? []
  const salt = bytesOf(salt64)
  const output = bytesOf(output64)
  if (!salt || !output) return E.left('A scrypt record must have the form $scrypt$ln=…,r=…,p=…$SALT$OUTPUT.')
  const cost = { logN: Number(ln), r: Number(r), p: Number(p) }
  return E.right({
    scheme: { algorithm: 'scrypt', ...cost },
    salt,
    output,
    matches: async (password) =>
      isOutputOf(password, await scryptOf(password, { ...cost, salt, bytes: output.length }), output),
  })
}

const FORM = new RegExp(`^\\$scrypt\\$ln=${NUMBER},r=${NUMBER},p=${NUMBER}\\$${BASE64}\\$${BASE64}$`)

/** The output of scrypt (RFC 7914). */
export const scryptOf = (
  password: string,
  {
    logN,
    r,
    p,
    salt,
    bytes,
  }: Readonly<{ logN: number; r: number; p: number; salt: Uint8Array; bytes: number }>,
): Promise<Buffer> => derive(password, salt, bytes, { N: 2 ** logN, r, p, maxmem: MAX_MEMORY_BYTES })

const derive: (
  password: string,
  salt: Uint8Array,
  bytes: number,
  options: Readonly<{ N: number; r: number; p: number; maxmem: number }>,
) => Promise<Buffer> = promisify(scrypt)

/** OpenSSL's limit, which counts more than the 256 MiB of N·r. */
const MAX_MEMORY_BYTES = 2 ** 30
