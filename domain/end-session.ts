import { chain, type Either, fromOption } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { type Field, required, together } from './field.ts'

export type EndSessionProblem = 'SessionIdMissing' | 'SessionNotYours'

export type EndSessionRequest = Readonly<{ sessionId: Field }>

const judged = together<EndSessionProblem>()

/**
 * The session that is to end, or what is wrong with the request.
 *
 * @param session the live session of that user with that id, if there is one. Nobody learns from the answer whether there is
 *   another one
 */
export const validateEndSession = <Session>(
  request: EndSessionRequest,
  session: Option<Session>,
): Either<NonEmptyArray<EndSessionProblem>, Session> =>
  pipe(
    judged({ sessionId: required<EndSessionProblem>('SessionIdMissing')(request.sessionId) }),
    chain(() => fromOption((): NonEmptyArray<EndSessionProblem> => ['SessionNotYours'])(session)),
  )
