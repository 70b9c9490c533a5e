import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { sessionAssurance } from '../../domain/assurance.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { SessionFacts } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import { retryOnSessionConflict } from '../recording/session-facts.ts'
import { decideRenewal, recordRenewal } from '../sessions/renew-session.ts'

/** The session cannot be renewed: it has ended, or no longer has what its application requires. */
export type NotRenewable = Readonly<{ _tag: 'NotRenewable' }>

/** Renews the session of a refresh token by the rules of `renewSession`. Returns the lifetime of its next access token. */
export type RenewClientSession = (
  context: RequestContext,
  facts: SessionFacts,
) => TaskEither<NotRenewable | Overloaded | StoreUnavailable, Readonly<{ lifetimeSeconds: number }>>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession'>
  clock: Clock
  record: Recorder
  settings: LifetimeSettings
}>

export const renewClientSession =
  ({ store, clock, record, settings }: Dependencies): RenewClientSession =>
  (context, facts) =>
    pipe(
      retryOnSessionConflict(
        store,
        (current): TaskEither<NotRenewable | Conflict | StoreUnavailable, { lifetimeSeconds: number }> =>
          async () => {
            const { session } = current
            const { acr } = sessionAssurance(session)
            const { applicationId } = session
            const decided = decideRenewal(current, { applicationId, acr, now: clock() / 1000, settings })
            if (isLeft(decided)) return left(NOT_RENEWABLE)
            const recorded = await recordRenewal(record, context, current, decided.right)()
            return isLeft(recorded) ? recorded : right(decided.right.renewal)
          },
      )(facts),
      TE.mapLeft((failure) => (failure._tag === 'InvalidToken' ? NOT_RENEWABLE : failure)),
    )

const NOT_RENEWABLE: NotRenewable = { _tag: 'NotRenewable' }
