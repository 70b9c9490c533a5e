import { pipe } from 'fp-ts/lib/function.js'
import { map, toNullable } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { EndOtherSessions } from '../../../application/sessions/end-other-sessions.ts'
import type { EndSession } from '../../../application/sessions/end-session.ts'
import type { ListedSession, ListSessions } from '../../../application/sessions/list-sessions.ts'
import type { EndSessionProblem } from '../../../domain/end-session.ts'
import { rfc3339OfSeconds } from '../../../domain/rfc3339.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, OPERATION_RESULT, ok, operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { ASSURANCE, array, dateTime, flag, nullable, object, text, uuid } from '../operation/schema.ts'

/** Lists the live sessions of a user (docs/contract.md §8). */
export const sessionsRoute = ({
  authenticate,
  listSessions,
}: Readonly<{ authenticate: Authenticate; listSessions: ListSessions }>): Route => {
  const get = operation(
    {
      id: 'listSessions',
      tag: 'Profile',
      summary: 'List the sessions of the user',
      access: byToken(authenticate, 'listSessions'),
      successes: [
        {
          status: 200,
          description:
            'The live sessions, newest first, at most 100. The current session is always among them.',
          body: object({ sessions: array(SESSION, 'Each sign-in opens one.') }),
        },
      ],
      examples: [
        { summary: 'One session', status: 200, body: { sessions: [{ ...EXAMPLE_SESSION, current: true }] } },
      ],
    },
    ({ caller }) =>
      pipe(
        listSessions(caller),
        TE.map((sessions) => ok({ sessions: sessions.map(toJson) })),
      ),
  )
  return { path: '/api/v1/profile/sessions', methods: { GET: get, HEAD: get } }
}

/** Ends one session of the user, possibly the current one. */
export const endSessionRoute = ({
  authenticate,
  endSession,
}: Readonly<{ authenticate: Authenticate; endSession: EndSession }>): Route => ({
  path: '/api/v1/profile/sessions/end',
  methods: {
    POST: operation(
      {
        id: 'endSession',
        tag: 'Profile',
        summary: 'End one session of the user',
        details: 'Ending the current session is a sign-out.',
        access: byToken(authenticate, 'endSession'),
        body: FIELDS,
        successes: [
          { status: 200, description: 'The session and its token have ended.', body: OPERATION_RESULT },
        ],
        codes: CODES,
        failures: ['Overloaded'],
        examples: [
          {
            summary: 'A live session',
            fields: { session_id: EXAMPLE.sessionId },
            status: 200,
            body: operationResult(ENDED).body,
          },
          {
            summary: 'An unknown or ended session, or the session of another user',
            fields: { session_id: EXAMPLE.noSessionId },
            problems: ['SessionNotYours'],
          },
          { summary: 'No fields', fields: {}, problems: ['SessionIdMissing'] },
        ],
      },
      ({ caller, fields, context }) =>
        pipe(
          endSession(context, caller, { sessionId: fields.session_id }),
          TE.map(() => operationResult(ENDED)),
        ),
    ),
  },
})

/** Ends every session of the user except the current one. */
export const endOtherSessionsRoute = ({
  authenticate,
  endOtherSessions,
}: Readonly<{ authenticate: Authenticate; endOtherSessions: EndOtherSessions }>): Route => ({
  path: '/api/v1/profile/sessions/end_others',
  methods: {
    POST: operation(
      {
        id: 'endOtherSessions',
        tag: 'Profile',
        summary: 'End every other session of the user',
        details:
          'Each session may end others 30 times an hour, and all sessions of the user together 100 times. Ends of a single other session count, too.',
        access: byToken(authenticate, 'endOtherSessions'),
        successes: [
          {
            status: 200,
            description: 'The other sessions and their tokens have ended.',
            body: OPERATION_RESULT,
          },
        ],
        failures: ['Throttled', 'Overloaded'],
        examples: [
          { summary: 'The other sessions ended', status: 200, body: operationResult(OTHERS_ENDED).body },
        ],
      },
      ({ caller, context }) =>
        pipe(
          endOtherSessions(context, caller),
          TE.map(() => operationResult(OTHERS_ENDED)),
        ),
    ),
  },
})

const ENDED = 'The session was ended.'
const OTHERS_ENDED = 'All other sessions were ended.'

/** What a list of sessions shows of each. */
export const SESSION_MEMBERS = {
  id: uuid('The id of the session.'),
  created_at: dateTime('When the user signed in.'),
  expires_at: dateTime('When the session expires unless it is renewed.'),
  renewed_at: nullable(dateTime('The last renewal that was written; null before the first one.')),
  ends_at: dateTime('When the session ends at the latest, however often it is renewed.'),
  application_id: uuid('The application that signed the user in.'),
  application_name: nullable(text('The name of that application.')),
  label: nullable(text('What the application calls the device; null without a label.')),
  remembered: flag('Whether the user wanted to be remembered at the sign-in.'),
  ...ASSURANCE,
}

const SESSION = object({
  ...SESSION_MEMBERS,
  current: flag('Whether this request used the session.'),
})

/** A session, as the description shows it. */
export const EXAMPLE_SESSION = {
  id: EXAMPLE.sessionId,
  created_at: EXAMPLE.createdAt,
  expires_at: EXAMPLE.expiresAt,
  renewed_at: null,
  ends_at: EXAMPLE.endsAt,
  application_id: EXAMPLE.applicationId,
  application_name: EXAMPLE.applicationName,
  label: EXAMPLE.label,
  remembered: false,
  ...EXAMPLE.assurance,
}

export const sessionJson = (session: Omit<ListedSession, 'isCurrent'>) => ({
  id: session.id,
  created_at: rfc3339OfSeconds(session.createdAtSeconds),
  expires_at: rfc3339OfSeconds(session.expiresAtSeconds),
  renewed_at: toNullable(map(rfc3339OfSeconds)(session.renewedAtSeconds)),
  ends_at: rfc3339OfSeconds(session.endsAtSeconds),
  application_id: session.applicationId,
  application_name: toNullable(session.applicationName),
  label: toNullable(session.label),
  remembered: session.remembered,
  acr: session.acr,
  amr: session.amr,
})

const toJson = (session: ListedSession) => ({ ...sessionJson(session), current: session.isCurrent })

const FIELDS = jsonFields({
  session_id: { description: 'The `id` from the list of sessions.', example: EXAMPLE.sessionId },
})

const CODES: Codes<EndSessionProblem> = {
  SessionIdMissing: { code: 1, param: 'session_id', message: 'session_id is missing or empty.' },
  SessionNotYours: {
    code: 2,
    param: 'session_id',
    message: 'session_id is not a live session of this user.',
  },
}
