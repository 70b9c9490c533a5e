import { pipe } from 'fp-ts/lib/function.js'
import { filter, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import { recordIfAlive } from '../recording/session-facts.ts'

/** Returns a session that is alive, with its user and its application. */
export type FindOpenSession = (sessionId: string) => TE.TaskEither<StoreUnavailable, Option<SessionFacts>>

type Dependencies = Readonly<{ store: Pick<Store, 'findSession'>; clock: Clock }>

export const findOpenSession =
  ({ store, clock }: Dependencies): FindOpenSession =>
  (sessionId) =>
    pipe(store.findSession(sessionId), TE.map(filter((facts) => isAlive(facts, clock() / 1000))))

/** Ends a session because its client revoked it, or used a code or a refresh token twice (RFC 6749 §4.1.2, RFC 9700 §4.14.2). */
export type EndClientSession = (
  context: RequestContext,
  facts: SessionFacts,
) => TE.TaskEither<Overloaded | StoreUnavailable, void>

export const endClientSession =
  (dependencies: Dependencies & Readonly<{ record: Recorder }>): EndClientSession =>
  (context, facts) =>
    pipe(
      recordIfAlive(dependencies, {
        facts,
        factOf: ({ session }) => ({ _tag: 'UserSignedOut', session }),
        actor: { kind: 'application', id: facts.session.applicationId },
        context,
      }),
      TE.orElse((failure) => (failure._tag === 'InvalidToken' ? TE.right(undefined) : TE.left(failure))),
    )
