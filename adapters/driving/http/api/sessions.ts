import { pipe } from 'fp-ts/lib/function.js'
import { map, toNullable } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../../application/authenticate.ts'
import type { EndOtherSessions } from '../../../../application/end-other-sessions.ts'
import type { EndSession } from '../../../../application/end-session.ts'
import type { ListedSession, ListSessions } from '../../../../application/list-sessions.ts'
import type { EndSessionProblem } from '../../../../domain/end-session.ts'
import { type Codes, DONE, done, ok } from '../operation/answer.ts'
import { authenticated } from '../operation/authenticated.ts'
import { jsonFields } from '../operation/fields.ts'
import { OF_BODIES, OF_IGNORED_BODIES, OF_TOKENS, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { SAMPLE } from '../operation/samples.ts'
import { array, moment, object, orNull, uuid } from '../operation/schema.ts'
import { ignoreBody, readFields } from '../request/body.ts'

/** Where the user of a token is signed in. */
export const sessionsRoute = (authenticate: Authenticate, listSessions: ListSessions): Route => {
  const get = operation(
    {
      id: 'listSessions',
      group: 'Profile',
      summary: 'Where the user is signed in',
      access: 'listSessions',
      successes: [
        {
          status: 200,
          description: 'The sessions that are alive, newest first. At most 100, this one always among them.',
          body: object({ sessions: array(SESSION, 'Each stands for a token of this user.') }),
        },
      ],
      fails: [...OF_TOKENS, ...OF_IGNORED_BODIES],
      examples: [{ summary: 'One session', status: 200, answer: { sessions: [EXAMPLE] } }],
    },
    (request) =>
      pipe(
        authenticated(authenticate, 'listSessions')(request),
        TE.chainFirstW(() => ignoreBody(request.message)),
        TE.chainW(listSessions),
        TE.map((sessions) => ok({ sessions: sessions.map(shown) })),
      ),
  )
  return { path: '/api/v1/profile/sessions', methods: { GET: get, HEAD: get } }
}

/** One of these sessions ends, perhaps the very one that asks. */
export const endSessionRoute = (authenticate: Authenticate, endSession: EndSession): Route => ({
  path: '/api/v1/profile/sessions/end',
  methods: {
    POST: operation(
      {
        id: 'endSession',
        group: 'Profile',
        summary: 'End one session of the user',
        details: 'It may be the one that asks, which then signs out.',
        access: 'endSession',
        body: FIELDS,
        successes: [{ status: 200, description: 'Its token works no more.', body: DONE }],
        codes: CODES,
        fails: [...OF_TOKENS, ...OF_BODIES, 'Overloaded'],
        examples: [
          {
            summary: 'One of the sessions in the list',
            fields: { session_id: SAMPLE.sessionId },
            status: 200,
            answer: done(ENDED).body,
          },
          {
            summary: 'A session that is over, of somebody else, or of nobody',
            fields: { session_id: SAMPLE.noSessionId },
            wrong: ['SessionNotYours'],
          },
          { summary: 'Nothing at all', fields: {}, wrong: ['SessionIdMissing'] },
        ],
      },
      (request) =>
        pipe(
          authenticated(authenticate, 'endSession')(request),
          TE.bindTo('caller'),
          TE.bindW('fields', () => readFields(request.message, FIELDS.codec)),
          TE.chainW(({ caller, fields: { session_id: sessionId } }) =>
            endSession(request.call, caller, { sessionId }),
          ),
          TE.map(() => done(ENDED)),
        ),
    ),
  },
})

/** All of them end but the one that asks. */
export const endOtherSessionsRoute = (
  authenticate: Authenticate,
  endOtherSessions: EndOtherSessions,
): Route => ({
  path: '/api/v1/profile/sessions/end_others',
  methods: {
    POST: operation(
      {
        id: 'endOtherSessions',
        group: 'Profile',
        summary: 'End every session of the user but this one',
        access: 'endOtherSessions',
        successes: [{ status: 200, description: 'No other token of the user works any more.', body: DONE }],
        fails: [...OF_TOKENS, ...OF_IGNORED_BODIES, 'Overloaded'],
        examples: [{ summary: 'All others ended', status: 200, answer: done(OTHERS_ENDED).body }],
      },
      (request) =>
        pipe(
          authenticated(authenticate, 'endOtherSessions')(request),
          TE.chainFirstW(() => ignoreBody(request.message)),
          TE.chainW((caller) => endOtherSessions(request.call, caller)),
          TE.map(() => done(OTHERS_ENDED)),
        ),
    ),
  },
})

const ENDED = 'The session was ended.'
const OTHERS_ENDED = 'All other sessions were ended.'

const SESSION = object({
  id: uuid('Of the session.'),
  created_at: orNull(
    moment('When the user signed in; null where an older version of the service did not keep it.'),
  ),
  expires_at: moment('When it ends at the latest.'),
  application_id: orNull(uuid('The application that signed the user in; null as above.')),
  current: { type: 'boolean', description: 'Whether it is the one that asks.' },
})

const EXAMPLE = {
  id: SAMPLE.sessionId,
  created_at: SAMPLE.createdAt,
  expires_at: SAMPLE.expiresAt,
  application_id: SAMPLE.applicationId,
  current: true,
}

const shown = ({ id, createdAtSeconds, expiresAtSeconds, applicationId, isCurrent }: ListedSession) => ({
  id,
  created_at: toNullable(map(rfc3339)(createdAtSeconds)),
  expires_at: rfc3339(expiresAtSeconds),
  application_id: toNullable(applicationId),
  current: isCurrent,
})

/** As in the event log. */
const rfc3339 = (seconds: number): string => new Date(seconds * 1000).toISOString()

const FIELDS = jsonFields({
  session_id: { description: 'As the list of sessions has it.', example: SAMPLE.sessionId },
})

const CODES: Codes<EndSessionProblem> = {
  SessionIdMissing: { code: 1, param: 'session_id', message: 'session_id is missing or empty.' },
  SessionNotYours: { code: 2, param: 'session_id', message: 'session_id is no session of yours.' },
}
