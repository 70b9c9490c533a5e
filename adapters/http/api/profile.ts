import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../application/authenticate.ts'
import { getProfile } from '../../../application/get-profile.ts'
import { ok } from '../answer.ts'
import { ignoreBody } from '../body.ts'
import { answerTo } from '../failures.ts'
import type { Route } from '../route.ts'
import { authenticated } from './authenticated.ts'

/** Seed §4.3. Its heading says POST and its sample GET: both are one operation. */
export const profileRoute = (authenticate: Authenticate): Route => ({
  path: '/api/v1/profile',
  methods: ['GET', 'HEAD', 'POST'],
  answer: (request) =>
    pipe(
      authenticated(authenticate, 'getProfile')(request),
      TE.chainFirstW(() => ignoreBody(request.message)),
      TE.map(getProfile),
      TE.match(answerTo, ok),
    ),
})
