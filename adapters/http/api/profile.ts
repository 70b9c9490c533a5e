import { right } from 'fp-ts/lib/TaskEither.js'
import { getProfile } from '../../../application/accounts/get-profile.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { byToken } from '../operation/guards.ts'
import { type HttpOperation, operation } from '../operation/operation.ts'
import { ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { EMAIL_VERIFIED, object, ROLES, text, uuid } from '../operation/schema.ts'
import { ATTRIBUTES_MEMBERS } from './attributes.ts'

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
      access: byToken(authenticate, 'getProfile'),
      successes: [
        {
          status: 200,
          description: 'The user.',
          body: object(
            {
              email: text('The e-mail as registered or confirmed.'),
              id: uuid('The permanent id of the user.'),
              email_verified: EMAIL_VERIFIED,
              roles: ROLES,
            },
            undefined,
            ATTRIBUTES_MEMBERS,
          ),
        },
      ],
      examples: [
        {
          summary: 'A signed-in user',
          status: 200,
          body: { email: EXAMPLE.email, id: EXAMPLE.userId, email_verified: true, roles: [] },
        },
        {
          summary: 'A user with attributes',
          status: 200,
          body: {
            email: EXAMPLE.email,
            id: EXAMPLE.userId,
            email_verified: true,
            roles: [],
            ...EXAMPLE.attributes,
          },
        },
      ],
    },
    ({ caller }) => {
      const { email, id, emailVerified, roles, attributes } = getProfile(caller)
      return right(ok({ email, id, email_verified: emailVerified, roles, ...attributes }))
    },
  )
