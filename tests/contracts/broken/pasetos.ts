import * as E from 'fp-ts/lib/Either.js'
import { pasetoUserTokens } from '../../../adapters/driven/paseto/user-tokens.ts'
import type { PublicPaserk, UserTokens } from '../../../application/ports/token-format.ts'
import type { UserTokenClaims } from '../../../domain/token.ts'
import { UNUSABLE } from '../token-format/unusable-keys.ts'
import { base64url, isSignedBy } from '../token-format/web-crypto.ts'
import { HEADER, type Paseto, parse, signedOf } from '../user-tokens/paseto.ts'
import type { BrokenOne } from './a-contract.ts'
import { INVALID } from './formats.ts'

export type BrokenPasetos = BrokenOne<() => UserTokens>

const PUBLIC = 'a published key is a public key as PASERK writes it, and has no private part'
const SAME = 'a key is published as the same each time, and another one as another'
const IS_PASETO = 'a token is a PASETO v4.public that says its claims'
const VERIFIED = 'a token can be verified with the published key, and with no other'

/** What formats of user tokens may do wrong besides. */
export const BROKEN_PASETOS: ReadonlyArray<BrokenPasetos> = [
  ...(
    [
      ['under another type', (paserk) => paserk.replace('public', 'secret')],
      ['without a type', (paserk) => paserk.slice('k4.public.'.length)],
      ['with more behind it', (paserk) => `${paserk}AAAA`],
      ['in another spelling', (paserk) => `${paserk}=`],
    ] satisfies ReadonlyArray<readonly [string, (paserk: string) => string]>
  ).map(([how, alter]) => broken(`publishes its key ${how}`, PUBLIC, publishing(alter))),
  broken(
    'publishes any bytes',
    [SAME, VERIFIED],
    publishing(() => `k4.public.${base64url(crypto.getRandomValues(new Uint8Array(32)))}`),
  ),
  broken(
    'publishes one key for all',
    [SAME, VERIFIED],
    publishing(() => 'k4.public.11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwaaPJHURo8'), // the key of RFC 8037, appendix A.2
  ),
  broken('packs its tokens once more', [IS_PASETO, VERIFIED], (format) => ({
    sign: (claims, key) => async () => E.map(base64url)(await format.sign(claims, key)()),
    verify: (token, keys) => format.verify(Buffer.from(token, 'base64url').toString(), keys),
  })),
  broken(
    'throws at a key that is none',
    UNUSABLE.map(([what]) => `nothing is published for ${what}`),
    (format) => ({
      publicKey: (key) => {
        const paserk = format.publicKey(key)
        if (E.isLeft(paserk)) throw new Error('no key')
        return paserk
      },
    }),
  ),
  broken(
    'does not say for which key nothing is published',
    UNUSABLE.map(([what]) => `nothing is published for ${what}`),
    (format) => ({
      publicKey: (key) => E.mapLeft(() => ({ _tag: 'KeyUnusable', kid: '' }) as const)(format.publicKey(key)),
    }),
  ),
  broken('looks at no header', 'a token is no good that names another version or purpose', (format) => ({
    verify: (token, keys) =>
      format.verify(token.replace(/^(v[0-9]\.)?((public|local)\.)?(?=[^.]{99})/i, HEADER), keys),
  })),
  broken('looks at no footer', 'a token is no good that has another footer than was signed', (format) => {
    const signed: Array<string> = []
    return {
      sign: (claims, key) => async () => {
        const outcome = await format.sign(claims, key)()
        if (E.isRight(outcome)) signed.push(outcome.right)
        return outcome
      },
      verify: (token, keys) => {
        const [, , body = ''] = token.split('.')
        return format.verify(signed.find((one) => body !== '' && one.split('.')[2] === body) ?? token, keys)
      },
    }
  }),
  broken(
    'verifies with the key that a token brings along',
    'a token is no good that brings its own key along',
    trusting(async (paseto) => {
      const footer = paseto.footer.toString()
      const x = footer.startsWith('k4.public.') ? footer.slice('k4.public.'.length) : undefined
      return x !== undefined && isSignedBy(x, paseto.signature, signedOf(paseto))
    }),
  ),
  broken(
    'lets pass what is not signed',
    'a token is no good that leaves its signature out',
    trusting(async ({ signature }) => signature.every((byte) => byte === 0)),
  ),
]

function broken(
  breaks: string,
  caughtBy: string | ReadonlyArray<string>,
  methods: (format: UserTokens) => Partial<UserTokens>,
): BrokenPasetos {
  return {
    breaks,
    caughtBy: typeof caughtBy === 'string' ? [caughtBy] : caughtBy,
    open: () => {
      const format = pasetoUserTokens()
      return { ...format, ...methods(format) }
    },
  }
}

/** A format that publishes something else. */
function publishing(alter: (paserk: PublicPaserk) => string) {
  return (format: UserTokens): Partial<UserTokens> => ({
    publicKey: (key) => E.map((paserk: PublicPaserk) => alter(paserk) as PublicPaserk)(format.publicKey(key)),
  })
}

/** A format that takes some tokens for good that it cannot verify. */
function trusting(trusts: (paseto: Paseto) => Promise<boolean>) {
  return (format: UserTokens): Partial<UserTokens> => ({
    verify: (token, keys) => async () => {
      const found = await format.verify(token, keys)()
      if (E.isRight(found)) return found
      try {
        const paseto = parse(token)
        const { iat, exp, ...texts } = JSON.parse(paseto.message.toString())
        if (await trusts(paseto))
          return E.right({ ...texts, iat: secondsOf(iat), exp: secondsOf(exp) } as UserTokenClaims)
      } catch {
        // Then it is none of the tokens that it trusts.
      }
      return INVALID
    },
  })
}

const secondsOf = (time: string): number => Date.parse(time) / 1000
