import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ChangeRoles } from '../../../application/accounts/change-roles.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import { MAX_ROLE_CHARACTERS, MAX_ROLES, MAX_ROLES_CHARACTERS } from '../../../domain/roles.ts'
import type { RolesProblem } from '../../../domain/roles-change.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields, withLists } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { object, ROLES, text, uuid } from '../operation/schema.ts'
import { USER_ID_CODES } from './manage-users.ts'

/** Changes the roles of a user (docs/roles.md). */
export const userRolesRoute = ({
  authenticate,
  changeRoles,
}: Readonly<{ authenticate: Authenticate; changeRoles: ChangeRoles }>): Route => ({
  path: '/api/v1/users/roles',
  methods: {
    POST: operation(
      {
        id: 'changeRoles',
        tag: 'Users',
        summary: 'Change the roles of a user',
        details:
          'Returns all roles that the user then has. A role in both lists is removed. `"add": []` changes nothing, and so reads them. Tokens that exist keep their roles until they expire.',
        access: byToken(authenticate, 'changeRoles'),
        body: FIELDS,
        successes: [
          {
            status: 200,
            description: 'The user has these roles.',
            body: object({ user_id: uuid('The id of the user.'), roles: ROLES }),
          },
        ],
        codes: CODES,
        failures: ['Overloaded'],
        examples: [
          {
            summary: 'One role more, and one less',
            fields: { user_id: EXAMPLE.userId, add: [EXAMPLE.role], remove: ['editor'] },
            status: 200,
            body: { user_id: EXAMPLE.userId, roles: [EXAMPLE.role] },
          },
          {
            summary: 'An unknown or removed user, and something that is no role',
            fields: { user_id: EXAMPLE.noUserId, add: ['shop admin'] },
            problems: ['UserUnknown', 'AddMalformed'],
          },
          { summary: 'No fields', fields: {}, problems: ['UserIdMissing', 'RolesMissing'] },
        ],
      },
      ({ caller, fields: { user_id: userId, add, remove }, context }) =>
        pipe(
          changeRoles(context, caller, { userId, add, remove }),
          TE.map((roles) => ok({ user_id: userId, roles })),
        ),
    ),
  },
})

const ROLE_TEXT = text(
  `Letters, digits and \`._:/-\`, at most ${MAX_ROLE_CHARACTERS}. It begins with a letter or digit.`,
)

const FIELDS = withLists(
  jsonFields({ user_id: { description: 'The permanent id of the user.', example: EXAMPLE.userId } }),
  {
    add: {
      description: 'The roles to give to the user. Required without `remove`.',
      items: ROLE_TEXT,
      examples: [[EXAMPLE.role]],
    },
    remove: {
      description: 'The roles to take away. Roles that the user does not have are ignored.',
      items: ROLE_TEXT,
      examples: [['editor']],
    },
  },
)

const CODES: Codes<RolesProblem> = {
  ...USER_ID_CODES,
  RolesMissing: { code: 3, param: 'add', message: 'Send add, remove or both, each an array of roles.' },
  AddMalformed: { code: 4, param: 'add', message: 'add contains something that is no role.' },
  RemoveMalformed: { code: 5, param: 'remove', message: 'remove contains something that is no role.' },
  TooManyRoles: {
    code: 6,
    param: 'add',
    message: `The user would have more than ${MAX_ROLES} roles, or more than ${MAX_ROLES_CHARACTERS} characters of roles.`,
  },
}
