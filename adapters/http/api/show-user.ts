import { pipe } from 'fp-ts/lib/function.js'
import { map, toNullable } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ShownUser, ShowUser } from '../../../application/accounts/show-user.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import { rfc3339OfSeconds } from '../../../domain/rfc3339.ts'
import type { UserNamingProblem } from '../../../domain/user-naming.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { array, dateTime, nullable, object, text, uuid } from '../operation/schema.ts'
import { ATTRIBUTES_MEMBERS } from './attributes.ts'
import { EXAMPLE_USER, USER_MEMBERS, userJson } from './search-users.ts'
import { EXAMPLE_SESSION, SESSION_MEMBERS, sessionJson } from './sessions.ts'

/** Shows one user (docs/administration.md §5). It is a POST, because proxies log the queries of a GET. */
export const showUserRoute = ({
  authenticate,
  showUser,
}: Readonly<{ authenticate: Authenticate; showUser: ShowUser }>): Route => ({
  path: '/api/v1/users/show',
  methods: {
    POST: operation(
      {
        id: 'showUser',
        tag: 'Users',
        summary: 'Show a user',
        details:
          'Send exactly one of `user_id` and `email`. The names of factors and the labels of sessions are texts of the user.',
        access: byToken(authenticate, 'showUser'),
        body: FIELDS,
        successes: [
          {
            status: 200,
            description: 'The user, with second factors and live sessions.',
            body: object(
              {
                ...USER_MEMBERS,
                factors: array(FACTOR, 'Ascending by id. Recovery codes are not among them.'),
                sessions: array(object(SESSION_MEMBERS), 'The live sessions, newest first, at most 100.'),
              },
              undefined,
              ATTRIBUTES_MEMBERS,
            ),
          },
        ],
        codes: CODES,
        examples: [
          {
            summary: 'The user of an id',
            fields: { user_id: EXAMPLE.userId },
            status: 200,
            body: { ...EXAMPLE_USER, factors: [], sessions: [EXAMPLE_SESSION] },
          },
          {
            summary: 'An unknown e-mail',
            fields: { email: EXAMPLE.unknownEmail },
            problems: ['EmailUnknown'],
          },
          { summary: 'No fields', fields: {}, problems: ['NoneOrBoth'] },
        ],
      },
      ({ fields }) =>
        pipe(
          showUser({ userId: fields.user_id, email: fields.email }),
          TE.map((user) => ok(toJson(user))),
        ),
    ),
  },
})

const FACTOR = object({
  id: uuid('The id of the factor.'),
  kind: text('`totp` or `passkey`. Ignore kinds that you do not know.'),
  name: text('What the user calls it.'),
  created_at: dateTime('When the user enrolled it.'),
  used_at: nullable(dateTime('The last use; null before the first one.')),
})

const toJson = ({ factors, sessions, ...user }: ShownUser) => ({
  ...userJson(user),
  factors: factors.map(({ id, kind, name, createdAtSeconds, usedAtSeconds }) => ({
    id,
    kind,
    name,
    created_at: rfc3339OfSeconds(createdAtSeconds),
    used_at: toNullable(map(rfc3339OfSeconds)(usedAtSeconds)),
  })),
  sessions: sessions.map(sessionJson),
})

const FIELDS = {
  ...jsonFields(
    {
      user_id: { description: 'The id of the user.', example: EXAMPLE.userId },
      email: {
        description: 'The e-mail of the user. ASCII letters match in any case.',
        example: EXAMPLE.email,
        format: 'email',
      },
    },
    [],
  ),
  needsOneField: true,
}

const CODES: Codes<UserNamingProblem> = {
  NoneOrBoth: { code: 1, param: 'user_id', message: 'Send exactly one of user_id and email.' },
  UserUnknown: { code: 2, param: 'user_id', message: 'No user has this user_id.' },
  EmailUnknown: { code: 3, param: 'email', message: 'No user has this email.' },
}
