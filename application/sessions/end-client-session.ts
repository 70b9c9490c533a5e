import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { SessionFacts } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import { recordIfAlive } from '../recording/session-facts.ts'

/**
 * Ends a session because its application revoked a token of it (RFC 7009), or used a code or a refresh token twice (RFC 6749 §4.1.2, RFC 9700
 * §4.14.2). One that has ended already is a success.
 */
export type EndClientSession = (
  context: RequestContext,
  facts: SessionFacts,
) => TE.TaskEither<Overloaded | StoreUnavailable, void>

export const endClientSession =
  (
    dependencies: Readonly<{ store: Pick<Store, 'findSession'>; clock: Clock; record: Recorder }>,
  ): EndClientSession =>
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
