import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PublishedKeys } from '../../../../application/keys/published-keys.ts'
import { publishedAs, publisher } from '../operation/cacheable.ts'
import { OF_IGNORED_BODIES, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { SAMPLE } from '../operation/samples.ts'
import { array, constant, object, text } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'

/** The public keys of application tokens, as a JWK Set (RFC 7517 §5). */
export const jwksRoute = (publishedKeys: PublishedKeys): Route => {
  const answer = publisher()
  const get = operation(
    {
      id: 'listApplicationTokenKeys',
      group: 'Keys',
      summary: 'The keys that verify application tokens',
      details: 'A JWK Set (RFC 7517 §5). A token names its key in the header `kid`.',
      successes: publishedAs('Every key that a live token may be signed with.', JWKS),
      fails: [...OF_IGNORED_BODIES, 'KeyUnusable', 'StoreUnavailable'],
      examples: [{ summary: 'One key', status: 200, answer: { keys: [KEY] } }],
    },
    ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.chainW(() => publishedKeys),
        TE.map((keys) => answer(message, { keys })),
      ),
  )
  return { path: '/.well-known/jwks.json', methods: { GET: get, HEAD: get } }
}

const KEY = { kty: 'OKP', crv: 'Ed25519', x: SAMPLE.x, kid: SAMPLE.kid, use: 'sig', alg: 'EdDSA' }

const JWKS = object({
  keys: array(
    object({
      kty: constant('OKP'),
      crv: constant('Ed25519'),
      x: text('The public key, in base64url (RFC 8037).'),
      kid: text('Names the key: its thumbprint (RFC 7638).'),
      use: constant('sig'),
      alg: constant('EdDSA'),
    }),
    'Go by `kid`.',
  ),
})
