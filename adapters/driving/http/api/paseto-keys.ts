import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PublishedUserKeys } from '../../../../application/keys/published-user-keys.ts'
import { cacheableJson, cacheableSuccesses } from '../operation/cacheable.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { IGNORED_BODY_FAILURES, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { array, constant, object, text } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'

/** The public keys of user tokens, as PASERK. No standard defines such a list; this one resembles a JWK Set. */
export const pasetoKeysRoute = ({
  publishedUserKeys,
}: Readonly<{ publishedUserKeys: PublishedUserKeys }>): Route => {
  const respond = cacheableJson()
  const get = operation(
    {
      id: 'listUserTokenKeys',
      tag: 'Keys',
      summary: 'Get the keys that verify user tokens',
      details:
        'The footer of a token names its key. A user token ends early with its session, which offline verification cannot detect. To detect it, use introspection.',
      successes: cacheableSuccesses('The keys of all unexpired tokens.', KEYS),
      failures: [...IGNORED_BODY_FAILURES, 'KeyUnusable', 'StoreUnavailable'],
      examples: [{ summary: 'One key', status: 200, body: { keys: [KEY] } }],
    },
    ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.chainW(() => publishedUserKeys),
        TE.map((keys) => respond(message, { keys })),
      ),
  )
  return { path: '/.well-known/paseto-keys.json', methods: { GET: get, HEAD: get } }
}

const KEY = { kid: EXAMPLE.pasetoKid, version: 'v4', purpose: 'public', paserk: EXAMPLE.paserk }

const KEYS = object({
  keys: array(
    object({
      kid: text('The id of the key.'),
      version: constant('v4'),
      purpose: constant('public'),
      paserk: text('The public key, as PASERK `k4.public`.'),
    }),
    'Select a key by `kid`.',
  ),
})
