import { isLeft } from 'fp-ts/lib/Either.js'
import type { Authenticate } from '../../../application/authenticate.ts'
import { getProfile } from '../../../application/get-profile.ts'
import { ok } from '../answer.ts'
import { authenticated } from '../authenticated.ts'
import { ignoreBody } from '../body.ts'
import { answerTo } from '../failures.ts'
import type { Route } from '../route.ts'

/** Seed §4.3. Its heading says POST and its sample GET: both are one operation. */
export const profileRoute = (authenticate: Authenticate): Route => ({
  path: '/api/v1/profile',
  methods: ['GET', 'HEAD', 'POST'],
  answer: (request) => async () => {
    const caller = await authenticated(authenticate, 'getProfile')(request)()
    if (isLeft(caller)) return answerTo(caller.left)
    const body = await ignoreBody(request.message)()
    return isLeft(body) ? answerTo(body.left) : ok(getProfile(caller.right))
  },
})
