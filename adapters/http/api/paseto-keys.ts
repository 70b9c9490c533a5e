import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PublishedUserKeys } from '../../../application/published-user-keys.ts'
import { ok } from '../answer.ts'
import { ignoreBody } from '../body.ts'
import { answerTo } from '../failures.ts'
import type { Route } from '../route.ts'

/** The public keys of user tokens, as PASERK. There is no standard for such a list; it is shaped like a JWK Set. */
export const pasetoKeysRoute = (publishedUserKeys: PublishedUserKeys): Route => ({
  path: '/.well-known/paseto-keys.json',
  methods: ['GET', 'HEAD'],
  answer: ({ message }) =>
    pipe(
      ignoreBody(message),
      TE.chainW(() => publishedUserKeys),
      TE.match(answerTo, (keys) => ok({ keys })),
    ),
})
