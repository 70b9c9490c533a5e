import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../domain/application.ts'
import type { Overloaded } from './ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from './ports/store.ts'
import { type ApplicationUnknown, toApplication } from './recording/application-by-id.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recording/recorder.ts'

/** An operator ends an application for good: its keys, its tokens and the sessions that it opened. To do it twice is to do it once. */
export type RevokeApplication = (
  call: RequestContext,
  id: string,
) => TE.TaskEither<ApplicationUnknown | Overloaded | StoreUnavailable, { id: string }>

export const revokeApplication =
  ({
    store,
    record,
  }: Readonly<{ store: Pick<Store, 'findApplication'>; record: Recorder }>): RevokeApplication =>
  (call, id) => {
    const revoke = (application: Application): TE.TaskEither<Conflict | StoreUnavailable, { id: string }> =>
      application.revoked
        ? TE.right({ id })
        : pipe(
            record([{ _tag: 'ApplicationRevoked', application }], { kind: 'operator' }, call),
            cannotMeet('EmailTaken'),
            TE.map(() => ({ id })),
          )

    return toApplication(store, id, revoke)
  }
