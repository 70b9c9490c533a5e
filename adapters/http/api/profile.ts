import { isLeft, right } from 'fp-ts/lib/Either.js'
import { getProfile } from '../../../application/accounts/get-profile.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import { authenticated } from '../operation/authenticated.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import {
  type HttpOperation,
  IGNORED_BODY_FAILURES,
  operation,
  TOKEN_FAILURES,
} from '../operation/operation.ts'
import { ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { EMAIL_VERIFIED, object, text, uuid } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'

/** Returns the profile of the user. GET and POST are the same operation (docs/contract.md §6). */
export const profileRoute = ({ authenticate }: Readonly<{ authenticate: Authenticate }>): Route => {
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
      tag: 'Profile',
      summary: 'Get the profile',
      details: 'GET and POST are the same operation.',
      access: 'getProfile',
      successes: [
        {
          status: 200,
          description: 'The user.',
          body: object({
            email: text('The e-mail as registered or confirmed.'),
            id: uuid('The permanent id of the user.'),
            email_verified: EMAIL_VERIFIED,
          }),
        },
      ],
      failures: [...TOKEN_FAILURES, ...IGNORED_BODY_FAILURES],
      examples: [
        {
          summary: 'A signed-in user',
          status: 200,
          body: { email: EXAMPLE.email, id: EXAMPLE.userId, email_verified: true },
        },
      ],
    },
    (request) => async () => {
      const caller = await authenticated(authenticate, 'getProfile')(request)()
      if (isLeft(caller)) return caller
      const body = await ignoreBody(request.message)()
      if (isLeft(body)) return body
      const { email, id, emailVerified } = getProfile(caller.right)
      return right(ok({ email, id, email_verified: emailVerified }))
    },
  )
