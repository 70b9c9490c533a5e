import { isLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import {
  type OriginRefused,
  originsText,
  type PasskeySettings,
  validateOrigins,
} from '../../domain/passkey-origins.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, StoreUnavailable } from '../ports/store.ts'
import { type ApplicationLookup, changeApplication, type NotNamed } from '../recording/change-application.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { ApplicationRevoked } from './rotate-application-key.ts'
import type { SetApplicationResult } from './set-application.ts'

/**
 * Replaces the origins of the pages with which an application uses passkeys, for an operator, at once. Without origins, it uses none.
 * Origins that it has already record nothing.
 */
export type SetPasskeyOrigins = (
  context: RequestContext,
  idOrName: string,
  origins: ReadonlyArray<string>,
) => TE.TaskEither<Failure | NotNamed | Overloaded, SetApplicationResult>

type Failure = Invalid<OriginRefused> | ApplicationRevoked | StoreUnavailable

export const setPasskeyOrigins =
  ({
    store,
    record,
    settings,
  }: Readonly<{
    store: ApplicationLookup
    record: Recorder
    settings: PasskeySettings
  }>): SetPasskeyOrigins =>
  (context, idOrName, requested) => {
    const valid = validateOrigins(requested, settings.passkeyRpId)
    if (isLeft(valid)) return TE.left(invalid(valid.left))
    const origins = valid.right
    return changeApplication(
      store,
      idOrName,
      (before: Application): TE.TaskEither<Failure | Conflict, SetApplicationResult> => {
        if (before.revoked) return TE.left({ _tag: 'ApplicationRevoked' })
        const application = { ...before, passkeyOrigins: origins }
        if (originsText(origins) === originsText(before.passkeyOrigins))
          return TE.right({ application, hasChanged: false })
        return pipe(
          record([{ _tag: 'PasskeyOriginsSet', application: before, origins }], operatorOf(context), context),
          neverFailsWith('EmailTaken'),
          TE.map(() => ({ application, hasChanged: true })),
        )
      },
    )
  }
