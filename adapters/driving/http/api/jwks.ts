import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PublishedKeys } from '../../../../application/keys/published-keys.ts'
import { cacheableJson, cacheableSuccesses } from '../operation/cacheable.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { IGNORED_BODY_FAILURES, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { array, constant, object, text } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'

/** The public keys of application tokens, as a JWK Set (RFC 7517 §5). */
export const jwksRoute = ({ publishedKeys }: Readonly<{ publishedKeys: PublishedKeys }>): Route => {
  const respond = cacheableJson()
  const get = operation(
    {
      id: 'listApplicationTokenKeys',
      tag: 'Keys',
      summary: 'Get the keys that verify application tokens',
      details: 'A JWK Set (RFC 7517 §5). The header `kid` of a token names its key.',
      successes: cacheableSuccesses('The keys of all unexpired tokens.', JWKS),
      failures: [...IGNORED_BODY_FAILURES, 'KeyUnusable', 'StoreUnavailable'],
      examples: [{ summary: 'One key', status: 200, body: { keys: [KEY] } }],
    },
    ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.chainW(() => publishedKeys),
        TE.map((keys) => respond(message, { keys })),
      ),
  )
  return { path: '/.well-known/jwks.json', methods: { GET: get, HEAD: get } }
}

const KEY = { kty: 'OKP', crv: 'Ed25519', x: EXAMPLE.x, kid: EXAMPLE.kid, use: 'sig', alg: 'EdDSA' }

const JWKS = object({
  keys: array(
    object({
      kty: constant('OKP'),
      crv: constant('Ed25519'),
      x: text('The public key, in base64url (RFC 8037).'),
      kid: text('The id of the key: its thumbprint (RFC 7638).'),
      use: constant('sig'),
      alg: constant('EdDSA'),
    }),
    'Select a key by `kid`.',
  ),
})
