import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  PublishedIdTokenKeys,
  PublishedKeys,
  PublishedUserKeys,
} from '../../../application/keys/published-keys.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { KeyUnusable } from '../../../application/ports/token-format.ts'
import { cacheableJson, cacheableSuccesses } from '../operation/cacheable.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { PUBLIC } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { array, constant, object, type Schema, text } from '../operation/schema.ts'

/** The public keys of application tokens, as a JWK Set (RFC 7517 §5). */
export const jwksRoute = ({ publishedKeys }: Readonly<{ publishedKeys: PublishedKeys }>): Route =>
  keySetRoute(publishedKeys, {
    ...JWK_SET,
    path: '/.well-known/jwks.json',
    id: 'listApplicationTokenKeys',
    summary: 'Get the keys that verify application tokens',
    details: 'A JWK Set (RFC 7517 §5). The header `kid` of a token names its key.',
  })

/** The public keys of user tokens as JWT. They are apart from those of application tokens, so that a verifier cannot mix them up. */
export const userJwksRoute = ({ publishedUserJwks }: Readonly<{ publishedUserJwks: PublishedKeys }>): Route =>
  keySetRoute(publishedUserJwks, {
    ...JWK_SET,
    path: '/.well-known/user-jwks.json',
    id: 'listUserJwtKeys',
    summary: 'Get the keys that verify user tokens as JWT',
    details:
      'A JWK Set (RFC 7517 §5) for services with `USER_TOKEN_FORMAT=jwt`; it is empty if the service has no such key. The header `kid` of a token names its key. A user token ends early with its session, which offline verification cannot detect. To detect it, use introspection.',
  })

/** The public keys of ID tokens (OpenID Connect Discovery §3, `jwks_uri`). A service that is no OpenID provider has no such route. */
export const openidJwksRoute = ({
  publishedIdTokenKeys,
}: Readonly<{ publishedIdTokenKeys: PublishedIdTokenKeys }>): Route =>
  keySetRoute(publishedIdTokenKeys, {
    path: '/.well-known/openid-jwks.json',
    id: 'listIdTokenKeys',
    summary: 'Get the keys that verify ID tokens',
    details:
      'A JWK Set (RFC 7517 §5). The header `kid` of an ID token names its key. Requires a service with `OPENID=on`.',
    example: { kty: 'RSA', n: EXAMPLE.n, e: 'AQAB', kid: EXAMPLE.rsaKid, use: 'sig', alg: 'RS256' },
    key: object({
      kty: constant('RSA'),
      n: text('The modulus, in base64url (RFC 7518 §6.3.1).'),
      e: text('The exponent, in base64url.'),
      kid: text('The id of the key: its thumbprint (RFC 7638).'),
      use: constant('sig'),
      alg: constant('RS256'),
    }),
  })

/** The public keys of user tokens, as PASERK. No standard defines such a list; this one resembles a JWK Set. */
export const pasetoKeysRoute = ({
  publishedUserKeys,
}: Readonly<{ publishedUserKeys: PublishedUserKeys }>): Route =>
  keySetRoute(publishedUserKeys, {
    path: '/.well-known/paseto-keys.json',
    id: 'listUserTokenKeys',
    summary: 'Get the keys that verify user tokens as PASETO',
    details:
      'The footer of a token names its key. A user token ends early with its session, which offline verification cannot detect. To detect it, use introspection.',
    example: { kid: EXAMPLE.pasetoKid, version: 'v4', purpose: 'public', paserk: EXAMPLE.paserk },
    key: object({
      kid: text('The id of the key.'),
      version: constant('v4'),
      purpose: constant('public'),
      paserk: text('The public key, as PASERK `k4.public`.'),
    }),
  })

const JWK_SET = {
  example: { kty: 'OKP', crv: 'Ed25519', x: EXAMPLE.x, kid: EXAMPLE.kid, use: 'sig', alg: 'EdDSA' },
  key: object({
    kty: constant('OKP'),
    crv: constant('Ed25519'),
    x: text('The public key, in base64url (RFC 8037).'),
    kid: text('The id of the key: its thumbprint (RFC 7638).'),
    use: constant('sig'),
    alg: constant('EdDSA'),
  }),
}

type KeySet = Readonly<{
  path: string
  id: string
  summary: string
  details: string
  example: object
  key: Schema
}>

const keySetRoute = <Key>(
  published: TE.TaskEither<KeyUnusable | StoreUnavailable, ReadonlyArray<Key>>,
  { path, key, example, ...description }: KeySet,
): Route => {
  const respond = cacheableJson()
  const get = operation(
    {
      ...description,
      tag: 'Keys',
      access: PUBLIC,
      successes: cacheableSuccesses(
        'The keys of all unexpired tokens.',
        object({ keys: array(key, 'Select a key by `kid`.') }),
      ),
      failures: ['KeyUnusable', 'StoreUnavailable'],
      examples: [{ summary: 'One key', status: 200, body: { keys: [example] } }],
    },
    ({ request }) =>
      pipe(
        published,
        TE.map((keys) => respond(request.message, { keys })),
      ),
  )
  return { path, methods: { GET: get, HEAD: get } }
}
