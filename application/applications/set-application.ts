import { isNonEmpty } from 'fp-ts/lib/Array.js'
import { isLeft, right } from 'fp-ts/lib/Either.js'
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
import { type ReturnUrlRefused, returnUrlsText, validateReturnUrls } from '../../domain/return-urls.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, StoreUnavailable } from '../ports/store.ts'
import { type ApplicationLookup, changeApplication, type NotNamed } from '../recording/change-application.ts'
import type { Fact } from '../recording/facts.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { updated } from '../recording/row-versions.ts'
import type { ApplicationRevoked } from './rotate-application-key.ts'

/**
 * Changes name, scopes, lifetimes, requirements or return URLs of an application for an operator, at once for all its tokens. What the request omits stays.
 * A request that changes nothing records nothing.
 *
 * The lifetimes are judged only if the request is about them: after a change of the settings, a scope can still be taken away.
 */
export type SetApplication = (
  context: RequestContext,
  idOrName: string,
  request: Partial<ApplicationRequest> & Readonly<{ returnUrls?: ReadonlyArray<string> | undefined }>,
) => TE.TaskEither<Failure | NotNamed | Overloaded, SetApplicationResult>

export type SetApplicationResult = Readonly<{ application: Application; hasChanged: boolean }>

type Failure =
  | Invalid<ApplicationProblem | ReturnUrlRefused>
  | LifetimesProblem
  | ApplicationRevoked
  | StoreUnavailable

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
      const urls =
        request.returnUrls === undefined ? right(before.returnUrls) : validateReturnUrls(request.returnUrls)
      if (isLeft(valid))
        return TE.left(invalid([valid.left[0], ...valid.left.slice(1), ...(isLeft(urls) ? urls.left : [])]))
      if (isLeft(urls)) return TE.left(invalid(urls.left))
      const application = { ...before, ...valid.right }
      const problem = isAboutLifetimes(request) ? lifetimesProblem(application, settings) : undefined
      if (problem !== undefined) return TE.left(problem)
      const facts = factsOf(before, application, urls.right)
      const changed = { ...application, returnUrls: urls.right }
      if (!isNonEmpty(facts)) return TE.right({ application: changed, hasChanged: false })
      return pipe(
        record(facts, operatorOf(context), context),
        neverFailsWith('EmailTaken'),
        TE.map(() => ({ application: changed, hasChanged: true })),
      )
    })

/** The second fact takes the application as the first one leaves it. */
const factsOf = (before: Application, application: Application, urls: ReadonlyArray<string>): Array<Fact> => {
  const isSame = isSameApplication(application, before)
  const first: Array<Fact> = isSame ? [] : [{ _tag: 'ApplicationChanged', application }]
  if (returnUrlsText(urls) === returnUrlsText(before.returnUrls)) return first
  return [...first, { _tag: 'ReturnUrlsSet', application: isSame ? before : updated(application), urls }]
}
