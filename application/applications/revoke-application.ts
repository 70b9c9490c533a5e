import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Overloaded } from '../ports/failures.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { type ApplicationLookup, changeApplication, type NotNamed } from '../recording/change-application.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'

/**
 * Revokes an application for an operator, permanently: its keys, its tokens and the sessions that it opened.
 * A repeated call changes nothing.
 */
export type RevokeApplication = (
  context: RequestContext,
  idOrName: string,
) => TE.TaskEither<NotNamed | Overloaded | StoreUnavailable, { id: string }>

export const revokeApplication =
  ({ store, record }: Readonly<{ store: ApplicationLookup; record: Recorder }>): RevokeApplication =>
  (context, idOrName) =>
    changeApplication(store, idOrName, (application) =>
      application.revoked
        ? TE.right({ id: application.id })
        : pipe(
            record([{ _tag: 'ApplicationRevoked', application }], operatorOf(context), context),
            neverFailsWith('EmailTaken'),
            TE.map(() => ({ id: application.id })),
          ),
    )
