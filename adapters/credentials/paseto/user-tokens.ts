import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { PAE } from 'paseto'
import type { InvalidToken, KeyUnusable, UserTokens } from '../../../application/ports/token-format.ts'
import { rfc3339OfSeconds } from '../../../domain/rfc3339.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { canonicalBytes, jsonIn, userClaims, utf8 } from '../signing/claims.ts'
import { type Ed25519, ed25519, newEd25519, readOnce, thumbprint } from '../signing/ed25519.ts'
import { SIGNATURE_BYTES } from '../signing/signatures.ts'

/** The beginning of every token of this version and purpose (PASETO specification, "Message Format"). */
export const PASETO_PREFIX = 'v4.public.'

/**
 * User tokens as PASETO `v4.public`, with the key id in the footer. A key's material is its secret key as PASERK
 * (`k4.secret.` + seed and public key).
 */
export const pasetoUserTokens = (): UserTokens => {
  const usable = readOnce(readKey)

  return {
    createKey: async () => {
      const pair = newEd25519()
      return { kid: thumbprint(pair), material: paserkSecret(pair) }
    },

    sign: (claims, key) => async () => {
      const pair = usable(key)
      if (pair === undefined) return unusable(key)
      const message = Buffer.from(JSON.stringify(Claims.encode(claims)))
      const signature = (await pair.signatures()).sign(signedText(message, pair.footer))
      const body = Buffer.concat([message, signature]).toString('base64url')
      return E.right(`${PASETO_PREFIX}${body}.${pair.encodedFooter}`)
    },

    verify: (token, keys) => async () => {
      // The expected footers are known, so the footer is compared and never interpreted.
      const [version, purpose, body = '', footer, ...rest] = token.split('.')
      const pair = keys.map(usable).find((known) => known?.encodedFooter === footer)
      const bytes = canonicalBytes(body)
      const hasForm = `${version}.${purpose}.` === PASETO_PREFIX && rest.length === 0
      if (!hasForm || pair === undefined || bytes === undefined) return INVALID
      const message = bytes.subarray(0, -SIGNATURE_BYTES)
      const { verify } = await pair.signatures()
      if (!verify(signedText(message, pair.footer), bytes.subarray(-SIGNATURE_BYTES))) return INVALID
      try {
        return pipe(Claims.decode(JSON.parse(utf8.decode(message))), E.mapLeft(invalidToken))
      } catch {
        return INVALID
      }
    },

    keyIdOf: (token) => {
      const [version, purpose, , footer = '', ...rest] = token.split('.')
      const { kid } = jsonIn(footer)
      const isNamed = `${version}.${purpose}.` === PASETO_PREFIX && rest.length === 0
      return isNamed && typeof kid === 'string' && footer === footerOf(kid).toString('base64url')
        ? some(kid)
        : none
    },

    publicKey: (key) => {
      const pair = usable(key)
      return pair === undefined ? unusable(key) : E.right(`k4.public.${pair.x}` as const)
    },
  }
}

const invalidToken = (): InvalidToken => ({ _tag: 'InvalidToken' })

const INVALID = E.left(invalidToken())

const unusable = ({ kid }: SigningKey): E.Either<KeyUnusable, never> => E.left({ _tag: 'KeyUnusable', kid })

type KeyPair = Ed25519 & Readonly<{ footer: Uint8Array; encodedFooter: string }>

const HEADER = Buffer.from(PASETO_PREFIX)

const NO_IMPLICIT_ASSERTION = Buffer.alloc(0)

/**
 * The pre-authentication encoding of PASETO version 4 (specification, §4.4). Signature and claims are handled here, because the library's
 * `Sign` and `Verify` take twice the CPU time, and its WebCrypto queues behind password hashes in libuv's threads.
 */
const signedText = (message: Uint8Array, footer: Uint8Array): Uint8Array =>
  PAE([HEADER, message, footer, NO_IMPLICIT_ASSERTION])

const PASERK_SECRET = 'k4.secret.'

/** The key pair of a signing key, if it matches its key id, and the footer of its tokens. */
const readKey = ({ kid, material }: SigningKey): KeyPair | undefined => {
  const bytes = Buffer.from(material.slice(PASERK_SECRET.length), 'base64url')
  const pair = material.startsWith(PASERK_SECRET)
    ? ed25519(bytes.subarray(0, 32).toString('base64url'), bytes.subarray(32).toString('base64url'))
    : undefined
  if (pair === undefined || thumbprint(pair) !== kid) return undefined
  const footer = footerOf(kid)
  return { ...pair, footer, encodedFooter: footer.toString('base64url') }
}

const footerOf = (kid: string): Buffer => Buffer.from(JSON.stringify({ kid }))

const paserkSecret = ({ d, x }: Pick<Ed25519, 'd' | 'x'>): string =>
  PASERK_SECRET +
  Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64url')

/** PASETO writes times as RFC 3339; Portcullis uses whole seconds. Only the form in which it writes them is valid. */
const Seconds = new t.Type<number, string, unknown>(
  'Seconds',
  t.number.is,
  (u, context) => {
    const seconds = typeof u === 'string' ? Date.parse(u) / 1000 : Number.NaN
    return Number.isSafeInteger(seconds) && rfc3339OfSeconds(seconds) === u
      ? t.success(seconds)
      : t.failure(u, context)
  },
  rfc3339OfSeconds,
)

const Claims = userClaims(
  { iss: t.string, sub: t.string, sid: t.string, iat: Seconds, exp: Seconds, jti: t.string },
  Seconds,
)
