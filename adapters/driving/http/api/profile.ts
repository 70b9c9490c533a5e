import { isLeft, right } from 'fp-ts/lib/Either.js'
import type { Authenticate } from '../../../../application/authenticate.ts'
import { getProfile } from '../../../../application/get-profile.ts'
import { ok } from '../operation/answer.ts'
import { authenticated } from '../operation/authenticated.ts'
import { type HttpOperation, OF_IGNORED_BODIES, OF_TOKENS, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { SAMPLE } from '../operation/samples.ts'
import { object, text } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'

/** Seed §4.3. Its heading says POST and its sample GET: both are one operation. */
export const profileRoute = (authenticate: Authenticate): Route => {
  const get = profile(authenticate, 'getProfile')
  return {
    path: '/api/v1/profile',
    methods: { GET: get, HEAD: get, POST: profile(authenticate, 'postProfile') },
  }
}

const profile = (authenticate: Authenticate, id: string): HttpOperation =>
  operation(
    {
      id,
      group: 'Profile',
      summary: 'Whose token this is',
      details: 'GET and POST are one operation.',
      access: 'getProfile',
      successes: [
        {
          status: 200,
          description: 'The user.',
          body: object({ email: text('Of the user, as it was registered.') }),
        },
      ],
      fails: [...OF_TOKENS, ...OF_IGNORED_BODIES],
      examples: [{ summary: 'A signed-in user', status: 200, answer: { email: SAMPLE.email } }],
    },
    (request) => async () => {
      const caller = await authenticated(authenticate, 'getProfile')(request)()
      if (isLeft(caller)) return caller
      const body = await ignoreBody(request.message)()
      return isLeft(body) ? body : right(ok(getProfile(caller.right)))
    },
  )
