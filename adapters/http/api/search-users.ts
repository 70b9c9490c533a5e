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
import { array, dateTime, flag, nullable, object, oneOf, ROLES, text, uuid } from '../operation/schema.ts'
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
          'Returns the users that meet the conditions, in pages of at most 100. Without a condition it returns all users. Removed users are never returned. Of `email`, `email_prefix`, `name_prefix` and `role`, send at most one; `status` goes with `email` and `role`.',
        access: byToken(authenticate, 'searchUsers'),
        body: FIELDS,
        successes: [
          {
            status: 200,
            description: 'One page of users.',
            body: object({
              users: array(USER, 'Ascending by id; with a prefix, by e-mail or by name in lower case.'),
              next: nullable(text('The `after` of the next page of the same search; null on the last page.')),
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
          {
            summary: 'The users whose e-mail begins so',
            fields: { email_prefix: EXAMPLE.emailPrefix },
            status: 200,
            body: { users: [EXAMPLE_USER], next: null },
          },
          {
            summary: 'The users with a role',
            fields: { role: EXAMPLE.role },
            status: 200,
            body: { users: [], next: null },
          },
          {
            summary: 'Two conditions that do not combine',
            fields: { email_prefix: EXAMPLE.emailPrefix, name_prefix: EXAMPLE.namePrefix },
            problems: ['ConditionsClash'],
          },
          {
            summary: 'The next page of another search',
            fields: { name_prefix: EXAMPLE.namePrefix, after: EXAMPLE.userId },
            problems: ['NextOfAnotherSearch'],
          },
          { summary: 'An unknown status', fields: { status: 'removed' }, problems: ['StatusUnknown'] },
        ],
      },
      ({ fields }) =>
        pipe(
          searchUsers({ ...fields, emailPrefix: fields.email_prefix, namePrefix: fields.name_prefix }),
          TE.map(({ users, next }) => ok({ users: users.map(userJson), next: toNullable(next) })),
        ),
    ),
  },
})

/** What a search shows of a user. */
export const USER_MEMBERS = {
  id: uuid('The permanent id of the user.'),
  email: text('The e-mail as stored.'),
  email_verified: flag('Whether the user proved to receive mail at this address.'),
  status: oneOf(LISTED_STATUSES, 'Disabled users cannot sign in.'),
  created_at: dateTime('When the user was registered.'),
  has_password: flag('Whether a password signs the user in.'),
  roles: ROLES,
}

const USER = object(USER_MEMBERS, undefined, ATTRIBUTES_MEMBERS)

/** A user, as the description shows it. */
export const EXAMPLE_USER = {
  id: EXAMPLE.userId,
  email: EXAMPLE.email,
  email_verified: true,
  status: 'enabled',
  created_at: EXAMPLE.createdAt,
  has_password: true,
  roles: [],
}

export const userJson = ({
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
    email_prefix: {
      description: 'Only users whose e-mail begins so. ASCII letters match in any case.',
      example: EXAMPLE.emailPrefix,
    },
    name_prefix: {
      description: 'Only users whose `name` begins so. Letters match in any case.',
      example: EXAMPLE.namePrefix,
    },
    role: { description: 'Only users with this role.', example: EXAMPLE.role },
    status: {
      description: 'Only users with this status.',
      example: 'disabled',
      values: LISTED_STATUSES,
    },
    after: { description: 'The `next` of the former page of the same search.', example: EXAMPLE.userId },
  },
  [],
)

const CODES: Codes<UserSearchProblem> = {
  StatusUnknown: { code: 1, param: 'status', message: 'status must be enabled or disabled.' },
  ConditionsClash: {
    code: 2,
    param: 'email_prefix',
    message: 'Of email, email_prefix, name_prefix and role send at most one, and status with no prefix.',
  },
  NextOfAnotherSearch: { code: 3, param: 'next', message: 'after is not the next of this search.' },
}
