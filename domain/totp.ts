import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { fromPredicate, type Option } from 'fp-ts/lib/Option.js'
import { base32 } from './base32.ts'
import { codeText } from './code-text.ts'

/**
 * Time-based one-time passwords (RFC 6238) with SHA-1, six digits and steps of 30 seconds. Authenticator apps ignore other
 * parameters.
 */

/** The number of random bytes in a new secret: 160 bits, the length that RFC 4226 §4 recommends. */
export const TOTP_SECRET_BYTES = 20

/** Returns the number of the step that contains this time. The first one is 0. */
export const stepAt = (nowSeconds: number): number => Math.floor(nowSeconds / STEP_SECONDS)

/** Returns the message whose HMAC gives the code of a step: eight bytes, big-endian (RFC 4226 §5.1). */
export const counterBytes = (step: number): Uint8Array =>
  Uint8Array.from({ length: 8 }, (_, index) => Math.floor(step / 256 ** (7 - index)) % 256)

/**
 * Returns the code of an HMAC-SHA-1: its dynamic truncation to six digits (RFC 4226 §5.3).
 *
 * @param mac 20 bytes
 */
export const sixDigits = (mac: Uint8Array): string => {
  const byte = (at: number): number => mac[at] ?? 0
  const at = byte(mac.length - 1) & 15
  const number = ((byte(at) & 127) << 24) | (byte(at + 1) << 16) | (byte(at + 2) << 8) | byte(at + 3)
  return String(number % 1_000_000).padStart(6, '0')
}

/** The code that is right in one step. */
export type StepCode = Readonly<{ step: number; code: string }>

/**
 * Returns the codes that may be accepted: of the step before, of this step and of the next one.
 *
 * @param hmac returns the HMAC-SHA-1 of a message under the secret of the factor
 */
export const candidatesAt = (
  nowStep: number,
  hmac: (message: Uint8Array) => Uint8Array,
): ReadonlyArray<StepCode> =>
  [nowStep - 1, nowStep, nowStep + 1]
    .filter((step) => step >= 0)
    .map((step) => ({ step, code: sixDigits(hmac(counterBytes(step))) }))

/** `UsedCode`: the code is right, but this or a later code has been accepted. */
export type TotpProblem = 'WrongCode' | 'UsedCode'

/**
 * Returns the step whose code was entered: the new mark of the factor. So each code is accepted once, and no code after a later one.
 *
 * It compares every candidate, so that its time does not tell which step was right. A mark far in the future comes from a clock that
 * was wrong. It is ignored, so that the correction of the clock locks out no user.
 *
 * @param candidates from `candidatesAt`
 * @param code the digits that the user entered, of `normalizedCode`
 * @param mark the last accepted step, 0 if there is none
 */
export const acceptStep = ({
  candidates,
  code,
  mark,
  nowStep,
}: Readonly<{
  candidates: ReadonlyArray<StepCode>
  code: string
  mark: number
  nowStep: number
}>): Either<TotpProblem, number> => {
  const matches = candidates.filter((candidate) => areEqual(candidate.code, code)).map(({ step }) => step)
  if (matches.length === 0) return left('WrongCode')
  const newest = Math.max(...matches)
  const isMarkOfWrongClock = mark > nowStep + MARK_AHEAD_AT_MOST
  return newest > mark || isMarkOfWrongClock ? right(newest) : left('UsedCode')
}

/** Returns the six digits of a code as the user entered it: none if it cannot be a code. */
export const normalizedCode = (entered: string): Option<string> =>
  pipe(
    codeText(entered),
    fromPredicate((code) => /^\d{6}$/.test(code)),
  )

/**
 * Returns the URI that authenticator apps read from a QR code (Key URI Format). It contains the secret.
 *
 * @param issuer what the app shows as the service, for example its host. The URI has spaces in place of its colons
 * @param account what the app shows as the account: the e-mail, which has no colon
 */
export const otpauthUri = ({
  issuer,
  account,
  secret,
}: Readonly<{ issuer: string; account: string; secret: Uint8Array }>): string => {
  const withoutColons = issuer.replace(/:/g, ' ') // a colon, also an encoded one, ends the issuer
  const [service, user] = [withoutColons, account].map((text) => encodeURIComponent(text))
  return `otpauth://totp/${service}:${user}?secret=${base32(secret)}&issuer=${service}`
}

const STEP_SECONDS = 30

/** The next step, and a correction of the clock by up to 90 seconds. */
const MARK_AHEAD_AT_MOST = 4

/** Compares all characters, without an early exit. */
const areEqual = (one: string, other: string): boolean => {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
