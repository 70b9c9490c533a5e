import { pipe } from 'fp-ts/lib/function.js'
import { toNullable } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ListedUser, SearchUsers } from '../../../application/accounts/search-users.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import { attributesOf } from '../../../domain/attributes.ts'
import { rfc3339OfSeconds } from '../../../domain/rfc3339.ts'
import { LISTED_STATUSES, type UserSearchProblem } from '../../../domain/user-search.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { array, dateTime, flag, nullable, object, ROLES, text, uuid } from '../operation/schema.ts'
import { ATTRIBUTES_MEMBERS } from './attributes.ts'

/** Searches users (docs/administration.md §2). It is a POST, because proxies log the queries of a GET. */
export const searchUsersRoute = ({
  authenticate,
  searchUsers,
}: Readonly<{ authenticate: Authenticate; searchUsers: SearchUsers }>): Route => ({
  path: '/api/v1/users/search',
  methods: {
    POST: operation(
      {
        id: 'searchUsers',
        tag: 'Users',
        summary: 'Search users',
        details:
          'Returns the users that meet all conditions, in pages of at most 100, ascending by id. Without a condition it returns all users. Removed users are never returned.',
        access: byToken(authenticate, 'searchUsers'),
        body: FIELDS,
        successes: [
          {
            status: 200,
            description: 'One page of users.',
            body: object({
              users: array(USER, 'Ascending by id.'),
              next: nullable(text('The `after` of the next page; null on the last page.')),
            }),
          },
        ],
        codes: CODES,
        examples: [
          {
            summary: 'The user of an e-mail',
            fields: { email: EXAMPLE.email },
            status: 200,
            body: { users: [EXAMPLE_USER], next: null },
          },
          {
            summary: 'The disabled users after the first page',
            fields: { status: 'disabled', after: EXAMPLE.userId },
            status: 200,
            body: { users: [], next: null },
          },
          { summary: 'An unknown status', fields: { status: 'removed' }, problems: ['StatusUnknown'] },
        ],
      },
      ({ fields }) =>
        pipe(
          searchUsers(fields),
          TE.map(({ users, next }) => ok({ users: users.map(toJson), next: toNullable(next) })),
        ),
    ),
  },
})

const USER = object(
  {
    id: uuid('The permanent id of the user.'),
    email: text('The e-mail as stored.'),
    email_verified: {
      type: 'boolean',
      description: 'Whether the user proved to receive mail at this address.',
    },
    status: { type: 'string', enum: [...LISTED_STATUSES], description: 'Disabled users cannot sign in.' },
    created_at: dateTime('When the user was registered.'),
    has_password: flag('Whether a password signs the user in.'),
    roles: ROLES,
  },
  undefined,
  ATTRIBUTES_MEMBERS,
)

const EXAMPLE_USER = {
  id: EXAMPLE.userId,
  email: EXAMPLE.email,
  email_verified: true,
  status: 'enabled',
  created_at: EXAMPLE.createdAt,
  has_password: true,
  roles: [],
}

const toJson = ({
  id,
  email,
  emailVerified,
  status,
  createdAtSeconds,
  hasPassword,
  roles,
  attributes,
}: ListedUser) => ({
  id,
  email,
  email_verified: emailVerified,
  status,
  created_at: rfc3339OfSeconds(createdAtSeconds),
  has_password: hasPassword,
  roles,
  ...attributesOf(attributes),
})

const FIELDS = jsonFields(
  {
    email: {
      description: 'Only the user with this e-mail. ASCII letters match in any case.',
      example: EXAMPLE.email,
      format: 'email',
    },
    status: {
      description: 'Only users with this status.',
      example: 'disabled',
      values: LISTED_STATUSES,
    },
    after: { description: 'The `next` of the former page.', example: EXAMPLE.userId },
  },
  [],
)

const CODES: Codes<UserSearchProblem> = {
  StatusUnknown: { code: 1, param: 'status', message: 'status must be enabled or disabled.' },
}
