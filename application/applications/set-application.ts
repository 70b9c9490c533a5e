import { isLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  type Application,
  type ApplicationProblem,
  type ApplicationRequest,
  isSameApplication,
  scopeText,
  validateApplication,
} from '../../domain/application.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import {
  isAboutLifetimes,
  type LifetimeSettings,
  type LifetimesProblem,
  lifetimesProblem,
} from '../../domain/lifetimes.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, StoreUnavailable } from '../ports/store.ts'
import { type ApplicationLookup, changeApplication, type NotNamed } from '../recording/change-application.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { ApplicationRevoked } from './rotate-application-key.ts'

/**
 * Changes name, scopes, lifetimes or requirements of an application for an operator, at once for all its tokens. What the request omits stays.
 * A request that changes nothing records nothing.
 *
 * The lifetimes are judged only if the request is about them: after a change of the settings, a scope can still be taken away.
 */
export type SetApplication = (
  context: RequestContext,
  idOrName: string,
  request: Partial<ApplicationRequest>,
) => TE.TaskEither<Failure | NotNamed | Overloaded, SetApplicationResult>

export type SetApplicationResult = Readonly<{ application: Application; hasChanged: boolean }>

type Failure = Invalid<ApplicationProblem> | LifetimesProblem | ApplicationRevoked | StoreUnavailable

export const setApplication =
  ({
    store,
    record,
    settings,
  }: Readonly<{ store: ApplicationLookup; record: Recorder; settings: LifetimeSettings }>): SetApplication =>
  (context, idOrName, request) =>
    changeApplication(store, idOrName, (before): TE.TaskEither<Failure | Conflict, SetApplicationResult> => {
      if (before.revoked) return TE.left({ _tag: 'ApplicationRevoked' })
      const valid = validateApplication(
        { name: before.name, scope: scopeText(before.scope), ...request },
        before,
      )
      if (isLeft(valid)) return TE.left(invalid(valid.left))
      const application = { ...before, ...valid.right }
      const problem = isAboutLifetimes(request) ? lifetimesProblem(application, settings) : undefined
      if (problem !== undefined) return TE.left(problem)
      if (isSameApplication(application, before)) return TE.right({ application, hasChanged: false })
      return pipe(
        record([{ _tag: 'ApplicationChanged', application }], operatorOf(context), context),
        neverFailsWith('EmailTaken'),
        TE.map(() => ({ application, hasChanged: true })),
      )
    })
