import * as E from 'fp-ts/lib/Either.js'
import { jwtApplicationTokens } from '../../../adapters/driven/jwt/application-tokens.ts'
import type { ApplicationTokens, PublicJwk } from '../../../application/ports/token-format.ts'
import type { ApplicationTokenClaims } from '../../../domain/token.ts'
import { UNUSABLE } from '../token-format/unusable-keys.ts'
import { base64url, bytesOf, hmac, isSignedBy } from '../token-format/web-crypto.ts'
import type { BrokenOne } from './a-contract.ts'
import { INVALID } from './formats.ts'

export type BrokenJwts = BrokenOne<() => ApplicationTokens>

const PUBLIC = 'a published key is a public Ed25519 key under its id, and has no private part'
const SAME = 'a key is published as the same each time, and another one as another'
const IS_JWT = 'a token is a JWT that names its algorithm and its key, and says its claims'
const VERIFIED = 'a token can be verified with the published key, and with no other'

/** What formats of application tokens may do wrong besides. */
export const BROKEN_JWTS: ReadonlyArray<BrokenJwts> = [
  broken(
    'keeps one scope',
    'every scope there is reads back, alone and together with the others',
    (format) => ({
      verify: (token, keys) => async () =>
        E.map((claims: ApplicationTokenClaims) => ({ ...claims, scope: claims.scope.split(' ')[0] ?? '' }))(
          await format.verify(token, keys)(),
        ),
    }),
  ),
  ...[{ d: 'AAAA' }, { use: 'enc' }, { alg: 'Ed25519' }, { kid: 'key' }, { x: 'AAAA' }].map((wrong) =>
    broken(
      `publishes ${JSON.stringify(wrong)}`,
      PUBLIC,
      publishing((jwk) => ({ ...jwk, ...wrong }) as PublicJwk),
    ),
  ),
  broken(
    'spells its keys otherwise',
    PUBLIC,
    publishing((jwk) => ({ ...jwk, x: `${jwk.x}=` })),
  ),
  broken(
    'publishes any bytes',
    [SAME, VERIFIED],
    publishing((jwk) => ({ ...jwk, x: anyBytes() })),
  ),
  broken(
    'publishes one key for all',
    [SAME, VERIFIED],
    publishing((jwk) => ({ ...jwk, x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwaaPJHURo8' })), // RFC 8037, appendix A.2
  ),
  broken('packs its tokens once more', [IS_JWT, VERIFIED], (format) => ({
    sign: (claims, key) => async () => E.map(base64url)(await format.sign(claims, key)()),
    verify: (token, keys) => format.verify(Buffer.from(token, 'base64url').toString(), keys),
  })),
  broken(
    'throws at a key that is none',
    UNUSABLE.map(([what]) => `nothing is published for ${what}`),
    (format) => ({
      publicJwk: (key) => {
        const jwk = format.publicJwk(key)
        if (E.isLeft(jwk)) throw new Error('no key')
        return jwk
      },
    }),
  ),
  broken(
    'does not say for which key nothing is published',
    UNUSABLE.map(([what]) => `nothing is published for ${what}`),
    (format) => ({
      publicJwk: (key) => E.mapLeft(() => ({ _tag: 'KeyUnusable', kid: '' }) as const)(format.publicJwk(key)),
    }),
  ),
  broken(
    'takes a token at its word that it needs no signature',
    'a token is no good that says it needs no signature',
    trusting(async ({ header }) => String(header.alg).toLowerCase() === 'none'),
  ),
  broken(
    'takes the public key for a shared secret',
    'a token is no good that is signed with the public key for a shared secret',
    trusting(
      async ({ header, signed, signature }, { x }) =>
        header.alg === 'HS256' && base64url(await hmac(x, signed)) === signature,
    ),
  ),
  broken(
    'knows no other algorithm, and lets it pass',
    'a token is no good that names another algorithm',
    trusting(async ({ header, signature }) => header.alg !== 'EdDSA' && signature.length > 80),
  ),
  broken(
    'verifies with the key that a token brings along',
    'a token is no good that brings its own key along',
    trusting(async ({ header, signed, signature }) => {
      const { x } = (header.jwk ?? {}) as { x?: string }
      return x !== undefined && isSignedBy(x, bytesOf(signature), Buffer.from(signed))
    }),
  ),
  broken(
    'lets pass what is not signed',
    'a token is no good that leaves its signature out',
    trusting(async ({ signature }) => signature === ''),
  ),
]

function broken(
  breaks: string,
  caughtBy: string | ReadonlyArray<string>,
  methods: (format: ApplicationTokens) => Partial<ApplicationTokens>,
): BrokenJwts {
  return {
    breaks,
    caughtBy: typeof caughtBy === 'string' ? [caughtBy] : caughtBy,
    open: () => {
      const format = jwtApplicationTokens()
      return { ...format, ...methods(format) }
    },
  }
}

/** A format that publishes something else. */
function publishing(alter: (jwk: PublicJwk) => PublicJwk) {
  return (format: ApplicationTokens): Partial<ApplicationTokens> => ({
    publicJwk: (key) => E.map(alter)(format.publicJwk(key)),
  })
}

type Jws = Readonly<{ header: Record<string, unknown>; signed: string; signature: string }>

/** A format that takes some tokens for good that it cannot verify. */
function trusting(trusts: (jws: Jws, jwk: PublicJwk) => Promise<boolean>) {
  return (format: ApplicationTokens): Partial<ApplicationTokens> => ({
    verify: (token, keys) => async () => {
      const found = await format.verify(token, keys)()
      if (E.isRight(found)) return found
      try {
        const [header = '', payload = '', signature = ''] = token.split('.')
        const jws = { header: jsonIn(header), signed: `${header}.${payload}`, signature }
        for (const jwk of keys.map(format.publicJwk))
          if (E.isRight(jwk) && (await trusts(jws, jwk.right)))
            return E.right(jsonIn(payload) as unknown as ApplicationTokenClaims)
      } catch {
        // Then it is none of the tokens that it trusts.
      }
      return INVALID
    },
  })
}

const jsonIn = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString())

const anyBytes = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)))
