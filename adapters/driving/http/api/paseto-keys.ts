import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PublishedUserKeys } from '../../../../application/keys/published-user-keys.ts'
import { publishedAs, publisher } from '../operation/cacheable.ts'
import { OF_IGNORED_BODIES, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { SAMPLE } from '../operation/samples.ts'
import { array, constant, object, text } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'

/** The public keys of user tokens, as PASERK. There is no standard for such a list; it is shaped like a JWK Set. */
export const pasetoKeysRoute = (publishedUserKeys: PublishedUserKeys): Route => {
  const answer = publisher()
  const get = operation(
    {
      id: 'listUserTokenKeys',
      group: 'Keys',
      summary: 'The keys that verify user tokens',
      details:
        'A token names its key in its footer. A user token ends early when its session does, which no key tells: ask by introspection where that matters.',
      successes: publishedAs('Every key that a live token may be signed with.', KEYS),
      fails: [...OF_IGNORED_BODIES, 'KeyUnusable', 'StoreUnavailable'],
      examples: [{ summary: 'One key', status: 200, answer: { keys: [KEY] } }],
    },
    ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.chainW(() => publishedUserKeys),
        TE.map((keys) => answer(message, { keys })),
      ),
  )
  return { path: '/.well-known/paseto-keys.json', methods: { GET: get, HEAD: get } }
}

const KEY = { kid: SAMPLE.pasetoKid, version: 'v4', purpose: 'public', paserk: SAMPLE.paserk }

const KEYS = object({
  keys: array(
    object({
      kid: text('Names the key.'),
      version: constant('v4'),
      purpose: constant('public'),
      paserk: text('The public key, as PASERK `k4.public`.'),
    }),
    'Go by `kid`.',
  ),
})
