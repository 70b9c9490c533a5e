import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { base32 } from './base32.ts'
import { codeText } from './code-text.ts'

/**
 * Recovery codes: a user without the other factors signs in with one of them, once.
 *
 * A code has 120 random bits, so it cannot be guessed, and a plain SHA-256 digest is safe to store (NIST SP 800-63B-4 §3.1.2.2).
 */

const CODES = 10
const CODE_BYTES = 15

/** The number of random bytes in a new set of codes. */
export const RECOVERY_CODES_BYTES = CODES * CODE_BYTES

/** Makes ten codes of the form `xxxx-xxxx-xxxx-xxxx-xxxx-xxxx` from `RECOVERY_CODES_BYTES` random bytes. */
export const recoveryCodes = (random: Uint8Array): ReadonlyArray<string> => {
  if (random.length !== RECOVERY_CODES_BYTES)
    throw new RangeError(`recovery codes take ${RECOVERY_CODES_BYTES} bytes`)
  return Array.from({ length: CODES }, (_, index) => {
    const bytes = random.subarray(index * CODE_BYTES, (index + 1) * CODE_BYTES)
    return inGroups(base32(bytes).toLowerCase())
  })
}

/** Returns the text whose SHA-256 is stored and compared: the code in lower case, without hyphens and spaces. */
export const normalized = (entered: string): string => codeText(entered).toLowerCase()

/** Whether a text can be a code, after `normalized`. */
export const isPossibleCode = (code: string): boolean => /^[a-z2-7]{24}$/.test(code)

/**
 * Uses up one code.
 *
 * @param digests of the unused codes
 * @param digest of the code that the user entered, after `normalized`
 * @returns the digests of the codes that are left
 */
export const useCode = (
  digests: ReadonlyArray<string>,
  digest: string,
): Either<'WrongCode', ReadonlyArray<string>> => {
  const rest = digests.filter((one) => one !== digest)
  return rest.length === digests.length ? left('WrongCode') : right(rest)
}

const inGroups = (text: string): string => text.replace(/.{4}(?=.)/g, '$&-')
