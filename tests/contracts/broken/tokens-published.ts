import * as E from 'fp-ts/lib/Either.js'
import type {
  ApplicationTokens,
  JwtFormat,
  KeyUnusable,
  PublicJwk,
  PublicPaserk,
  TokenFormat,
  UserJwts,
  UserTokens,
} from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import type { ApplicationTokenClaims, UserJwtClaims, UserTokenClaims } from '../../../domain/token.ts'
import { type Jwt, jsonIn, parse as parseJwt } from '../../testkit/application-tokens/jwt.ts'
import { base64url, bytesOf, hmac, isSignedBy } from '../../testkit/token-format/web-crypto.ts'
import { HEADER, type Paseto, parse as parsePaseto, signedOf } from '../../testkit/user-tokens/paseto.ts'
import { caughtBy, type Mutation } from './harness.ts'
import { all, type Mutate, mutationsOf } from './mutations.ts'
import { INVALID, mistaking } from './tokens.ts'

/** Publishes something else than the correct format. */
type Publishing<Format, Published> = (
  alter: (published: E.Either<KeyUnusable, Published>) => E.Either<KeyUnusable, unknown>,
) => Mutate<Format>

const refuses = (what: string): string => `a token is invalid that ${what}`

/** The mutations of any format that publishes keys, given its way to publish. */
const publications = <Claims, Format extends TokenFormat<Claims>, Published>(
  isToken: string,
  publishing: Publishing<Format, Published>,
  withKey: (published: Published, x: string) => unknown,
): ReadonlyArray<Mutation<Mutate<Format>>> => {
  const caught = caughtBy<Mutate<Format>>
  const VERIFIED = 'a token can be verified with the published key, and with no other'
  const { hear, answer } = mutationsOf<TokenFormat<Claims>>()
  const publishingKey = (x: () => string) => publishing(E.map((published) => withKey(published, x())))
  return [
    ...caught(['a key is published as the same each time, and another one as another', VERIFIED], {
      // RFC 8037, appendix A.2
      'publishes one key for all': publishingKey(() => '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwaaPJHURo8'),
    }),
    ...caught([isToken, VERIFIED], {
      'encodes its tokens twice': all<TokenFormat<Claims>>(
        answer('sign', base64url),
        hear('verify', (token, keys) => [Buffer.from(token, 'base64url').toString(), keys]),
      ) as unknown as Mutate<Format>,
    }),
    ...caught(/^nothing is published for/, {
      'does not name the key that it cannot publish': publishing(
        E.mapLeft(() => ({ _tag: 'KeyUnusable', kid: '' }) as const),
      ),
    }),
  ]
}

/** Accepts some tokens that it cannot verify: those whose claims `trusted` returns. */
const trusting =
  <Claims, Format extends TokenFormat<Claims>>(
    trusted: (token: string, keys: ReadonlyArray<SigningKey>, format: Format) => Promise<Claims | undefined>,
  ): Mutate<Format> =>
  (format) =>
    ({
      verify: (token, keys) => async () => {
        const found = await format.verify(token, keys)()
        if (E.isRight(found)) return found
        const claims = await trusted(token, keys, format).catch(() => undefined)
        return claims === undefined ? INVALID() : E.right(claims)
      },
    }) as Partial<Format>

const WRONG_JWKS = [{ d: 'AAAA' }, { use: 'enc' }, { alg: 'Ed25519' }, { kid: 'key' }, { x: 'AAAA' }]

/** Mutations of one kind of JWT, whose claims they ignore. */
const jwtMutations = <Claims, Format extends JwtFormat<Claims>>(): ReadonlyArray<
  Mutation<Mutate<Format>>
> => {
  const publishingJwk: Publishing<Format, PublicJwk> = (alter) => (format) =>
    ({
      publicJwk: (key: SigningKey) => alter(format.publicJwk(key)) as E.Either<KeyUnusable, PublicJwk>,
    }) as Partial<Format>

  /** Accepts a JWT without a valid signature. */
  const trustingJwt = (
    trusts: (jwt: Jwt, signed: string, keys: ReadonlyArray<PublicJwk>) => unknown,
  ): Mutate<Format> =>
    trusting<Claims, Format>(async (token, keys, { publicJwk }) => {
      const jwt = parseJwt(token)
      const jwks = keys.map(publicJwk).flatMap((jwk) => (E.isRight(jwk) ? [jwk.right] : []))
      const isTrusted = await trusts(jwt, token.slice(0, token.lastIndexOf('.')), jwks)
      return isTrusted ? (jsonIn(jwt.payload) as Claims) : undefined
    })

  const ofJwts = caughtBy<Mutate<Format>>

  return [
    ...publications<Claims, Format, PublicJwk>(
      'a token is a JWT that names its algorithm and its key, and says its claims',
      publishingJwk,
      (jwk, x) => ({ ...jwk, x }),
    ),
    ...ofJwts('a published key is a public Ed25519 key under its id, and has no private part', {
      ...Object.fromEntries(
        WRONG_JWKS.map((wrong) => [
          `publishes ${JSON.stringify(wrong)}`,
          publishingJwk(E.map((jwk) => ({ ...jwk, ...wrong }))),
        ]),
      ),
      'publishes its keys in another spelling': publishingJwk(E.map((jwk) => ({ ...jwk, x: `${jwk.x}=` }))),
    }),
    ...ofJwts(refuses('says it needs no signature'), {
      'accepts a token that says that it needs no signature': trustingJwt(
        ({ header }) => String(header.alg).toLowerCase() === 'none',
      ),
    }),
    ...ofJwts(refuses('is signed with the public key for a shared secret'), {
      'takes the public key for a shared secret': trustingJwt(
        async ({ header, signature }, signed, [jwk]) =>
          header.alg === 'HS256' && base64url(await hmac(jwk?.x ?? '', signed)) === signature,
      ),
    }),
    ...ofJwts(refuses('names another algorithm'), {
      'accepts an algorithm that it does not know': trustingJwt(
        ({ header, signature }) => header.alg !== 'EdDSA' && signature.length > 80,
      ),
    }),
    ...ofJwts(refuses('brings its own key along'), {
      'verifies with the key in a token': trustingJwt(({ header: { jwk }, signature }, signed) => {
        const { x } = (jwk ?? {}) as { x?: string }
        return x !== undefined && isSignedBy(x, bytesOf(signature), Buffer.from(signed))
      }),
    }),
    ...ofJwts(refuses('leaves its signature out'), {
      'accepts a token that is not signed': trustingJwt(({ signature }) => signature === ''),
    }),
  ]
}

export const APPLICATION_JWT_MUTATIONS = [
  ...jwtMutations<ApplicationTokenClaims, ApplicationTokens>(),
  ...caughtBy<Mutate<ApplicationTokens>>(
    'every scope there is reads back, alone and together with the others',
    {
      'keeps one scope': mutationsOf<ApplicationTokens>().answer('verify', (claims) => ({
        ...claims,
        scope: claims.scope.split(' ')[0] ?? '',
      })),
    },
  ),
]

export const USER_JWT_MUTATIONS = jwtMutations<UserJwtClaims, UserJwts>()

const publishingPaserk: Publishing<UserTokens, PublicPaserk> = (alter) => (format) => ({
  publicKey: (key) => alter(format.publicKey(key)) as E.Either<KeyUnusable, PublicPaserk>,
})

const secondsOf = (time: string): number => Date.parse(time) / 1000

/** Accepts a PASETO without a valid signature. */
const trustingPaseto = (trusts: (paseto: Paseto) => unknown): Mutate<UserTokens> =>
  trusting<UserTokenClaims, UserTokens>(async (token) => {
    const paseto = parsePaseto(token)
    const { iat, exp, auth_time, ...others } = JSON.parse(paseto.message.toString())
    const times = { iat: secondsOf(iat), exp: secondsOf(exp), auth_time: secondsOf(auth_time) }
    return (await trusts(paseto)) ? { ...others, ...times } : undefined
  })

const ofPasetos = caughtBy<Mutate<UserTokens>>

const PREFIX = 'k4.public.'

export const PASETO_MUTATIONS = [
  ...publications<UserTokenClaims, UserTokens, PublicPaserk>(
    'a token is a PASETO v4.public that says its claims',
    publishingPaserk,
    (_, x) => PREFIX + x,
  ),
  ...ofPasetos('a published key is a public key as PASERK writes it, and has no private part', {
    'publishes its keys in another spelling': publishingPaserk(E.map((paserk) => `${paserk}=`)),
  }),
  ...ofPasetos(refuses('names another version or purpose'), {
    'ignores the header': mutationsOf<UserTokens>().hear('verify', (token, keys) => [
      token.replace(/^(v[0-9]\.)?((public|local)\.)?(?=[^.]{99})/i, HEADER),
      keys,
    ]),
  }),
  ...ofPasetos(refuses('has another footer than was signed'), {
    'ignores the footer': mistaking((token, signed) => {
      const [, , body = ''] = token.split('.')
      return signed.find((one) => body !== '' && one.split('.')[2] === body)
    }) as unknown as Mutate<UserTokens>,
  }),
  ...ofPasetos(refuses('brings its own key along'), {
    'verifies with the key in a token': trustingPaseto((paseto) => {
      const footer = paseto.footer.toString()
      return (
        footer.startsWith(PREFIX) &&
        isSignedBy(footer.slice(PREFIX.length), paseto.signature, signedOf(paseto))
      )
    }),
  }),
  ...ofPasetos(refuses('leaves its signature out'), {
    'accepts a token that is not signed': trustingPaseto(({ signature }) =>
      signature.every((byte) => byte === 0),
    ),
  }),
]
