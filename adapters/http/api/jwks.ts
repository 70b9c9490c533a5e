import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PublishedKeys } from '../../../application/published-keys.ts'
import { ok } from '../answer.ts'
import { ignoreBody } from '../body.ts'
import { answerTo } from '../failures.ts'
import type { Route } from '../route.ts'

/** The public keys of application tokens, as a JWK Set (RFC 7517 §5). */
export const jwksRoute = (publishedKeys: PublishedKeys): Route => ({
  path: '/.well-known/jwks.json',
  methods: ['GET', 'HEAD'],
  answer: ({ message }) =>
    pipe(
      ignoreBody(message),
      TE.chainW(() => publishedKeys),
      TE.match(answerTo, (keys) => ok({ keys })),
    ),
})
