import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ManageUser, UserAction } from '../../../application/accounts/manage-users.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { UserIdProblem } from '../../../domain/user-management.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, OPERATION_RESULT, operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'

type Dependencies = Readonly<{ authenticate: Authenticate; manageUser: ManageUser }>

/** The routes with which an application manages a user (docs/administration.md §3). */
export const manageUserRoutes = (dependencies: Dependencies): ReadonlyArray<Route> =>
  ACTIONS.map((action) => manageUserRoute(dependencies, action))

type Action = Readonly<{
  action: UserAction
  path: string
  id: string
  summary: string
  details: string
  /** The message of a success. */
  done: string
}>

const ACTIONS: ReadonlyArray<Action> = [
  {
    action: 'disable',
    path: '/api/v1/users/disable',
    id: 'disableUser',
    summary: 'Disable a user',
    details: 'Blocks sign-in and ends all sessions. Nothing changes if the user is disabled.',
    done: 'The user is disabled.',
  },
  {
    action: 'enable',
    path: '/api/v1/users/enable',
    id: 'enableUser',
    summary: 'Enable a user',
    details: 'Allows sign-in again. Ended sessions stay ended. Nothing changes if the user is enabled.',
    done: 'The user is enabled.',
  },
  {
    action: 'remove',
    path: '/api/v1/users/remove',
    id: 'removeUser',
    summary: 'Remove a user',
    details:
      'Only the id remains. All sessions end, and the e-mail can be registered again. A removal is permanent.',
    done: 'The user was removed.',
  },
  {
    action: 'endSessions',
    path: '/api/v1/users/end_sessions',
    id: 'endUserSessions',
    summary: 'End all sessions of a user',
    details: 'The user can sign in again. Nothing changes if the user is disabled.',
    done: 'All sessions of the user have ended.',
  },
]

const manageUserRoute = (
  { authenticate, manageUser }: Dependencies,
  { action, path, id, summary, details, done }: Action,
): Route => ({
  path,
  methods: {
    POST: operation(
      {
        id,
        summary,
        details,
        access: byToken(authenticate, 'manageUsers'),
        ...onOneUser(done),
      },
      ({ caller, fields, context }) =>
        pipe(
          manageUser(
            context,
            { action, userId: fields.user_id },
            { kind: 'application', id: caller.application.id },
          ),
          TE.map(() => operationResult(done)),
        ),
    ),
  },
})

export const USER_ID_CODES: Codes<UserIdProblem> = {
  UserIdMissing: { code: 1, param: 'user_id', message: 'user_id is missing or empty.' },
  UserUnknown: { code: 2, param: 'user_id', message: 'No user has this user_id.' },
}

/** What the descriptions of all operations on one user share. `done` is the message of a success. */
export const onOneUser = (done: string) =>
  ({
    tag: 'Users',
    body: jsonFields({
      user_id: { description: 'The permanent id of the user.', example: EXAMPLE.userId },
    }),
    successes: [{ status: 200, description: done, body: OPERATION_RESULT }],
    codes: USER_ID_CODES,
    failures: ['Overloaded'],
    examples: [
      {
        summary: 'A user',
        fields: { user_id: EXAMPLE.userId },
        status: 200,
        body: operationResult(done).body,
      },
      {
        summary: 'An unknown or removed user',
        fields: { user_id: EXAMPLE.noUserId },
        problems: ['UserUnknown'],
      },
      { summary: 'No fields', fields: {}, problems: ['UserIdMissing'] },
    ],
  }) as const
