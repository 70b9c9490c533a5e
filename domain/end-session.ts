import { chain, type Either, fromOption } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { combineFields, type Field, required } from './field.ts'

export type EndSessionProblem = 'SessionIdMissing' | 'SessionNotYours'

export type EndSessionRequest = Readonly<{ sessionId: Field }>

const combine = combineFields<EndSessionProblem>()

/**
 * Returns the session to end, or the problems of the request.
 *
 * @param session the user's live session with that id. It is none for every other session, so the answer does not show
 *   whether another user has it
 */
export const validateEndSession = <Session>(
  request: EndSessionRequest,
  session: Option<Session>,
): Either<NonEmptyArray<EndSessionProblem>, Session> =>
  pipe(
    combine({ sessionId: required<EndSessionProblem>('SessionIdMissing')(request.sessionId) }),
    chain(() => fromOption((): NonEmptyArray<EndSessionProblem> => ['SessionNotYours'])(session)),
  )
