import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import type { NotOfOpenId } from '../operation/failures.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { array, object, type Schema, text, uuid } from '../operation/schema.ts'
import { claimsOf, SCOPE_CLAIMS } from './claims.ts'
import type { FindGrantedScopes } from './granted-scopes.ts'

/**
 * Tells a client about the user of its token (OpenID Connect Core §5.3), as far as the scopes permit that it got. The library takes no tokens that
 * have an audience, so the service answers itself.
 */
export const userinfoRoute = ({
  authenticate,
  findGrantedScopes,
}: Readonly<{ authenticate: Authenticate; findGrantedScopes: FindGrantedScopes }>): Route => {
  const answered = (id: string) =>
    operation(
      {
        id,
        tag: 'OAuth 2.0',
        summary: 'Get the claims about a user',
        details:
          'Userinfo (OpenID Connect Core §5.3). The scopes of the authorization say which claims the response has.',
        access: byToken(authenticate, 'getProfile'),
        successes: [{ status: 200, description: 'The claims.', body: CLAIMS }],
        failures: ['NotOfOpenId'],
        examples: [
          {
            summary: 'The claims of the scope email',
            status: 200,
            body: { sub: EXAMPLE.userId, email: EXAMPLE.email, email_verified: true },
          },
        ],
      },
      ({ caller }) =>
        pipe(
          findGrantedScopes(caller.session.id),
          TE.filterOrElseW(
            (scopes) => scopes.includes('openid'),
            (): NotOfOpenId => ({ _tag: 'NotOfOpenId' }),
          ),
          TE.map((scopes) => ok(permitted(claimsOf(caller, 'userinfo'), scopes))),
        ),
    )
  return {
    path: '/oauth2/userinfo',
    methods: { GET: answered('getUserinfo'), POST: answered('postUserinfo') },
  }
}

const permitted = (claims: Readonly<Record<string, unknown>>, scopes: ReadonlyArray<string>) => {
  const names = [
    'sub',
    ...Object.entries(OF_USERINFO).flatMap(([scope, of]) => (scopes.includes(scope) ? of : [])),
  ]
  return Object.fromEntries(Object.entries(claims).filter(([name]) => names.includes(name)))
}

const { openid: _, ...OF_USERINFO } = SCOPE_CLAIMS

const CLAIMS: Schema = object({ sub: uuid('The id of the user.') }, 'Claims about the user.', {
  email: text('With the scope `email`.'),
  email_verified: { type: 'boolean', description: 'With the scope `email`.' },
  roles: array(text('A role.'), 'With the scope `roles`.'),
  ...Object.fromEntries(
    SCOPE_CLAIMS.profile.map((name) => [name, text('With the scope `profile`, if the user has it.')]),
  ),
})
