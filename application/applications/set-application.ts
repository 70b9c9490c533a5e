import { isNonEmpty } from 'fp-ts/lib/Array.js'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isAccountPages } from '../../domain/account-pages.ts'
import {
  type Application,
  type ApplicationProblem,
  type ApplicationRequest,
  isSameApplication,
  scopeText,
  validateApplication,
} from '../../domain/application.ts'
import { combineFields, type Invalid, invalid } from '../../domain/field.ts'
import {
  isAboutLifetimes,
  type LifetimeSettings,
  type LifetimesProblem,
  lifetimesProblem,
} from '../../domain/lifetimes.ts'
import {
  type ClientProblem,
  type ClientRequest,
  isAboutClient,
  isSameClient,
  type OpenIdClient,
  validateClient,
} from '../../domain/redirect-uris.ts'
import { type ReturnUrlRefused, returnUrlsText, validateReturnUrls } from '../../domain/return-urls.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, StoreUnavailable } from '../ports/store.ts'
import { type ApplicationLookup, changeApplication, type NotNamed } from '../recording/change-application.ts'
import type { Fact } from '../recording/facts.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { updated } from '../recording/row-versions.ts'
import type { ApplicationRevoked } from './rotate-application-key.ts'

/**
 * Changes name, scopes, lifetimes, requirements, return URLs or OpenID client of an application for an operator, at once for all its
 * tokens. What the request omits stays. A request that changes nothing records nothing.
 *
 * The lifetimes are judged only if the request is about them: after a change of the settings, a scope can still be taken away.
 */
export type SetApplication = (
  context: RequestContext,
  idOrName: string,
  request: Partial<ApplicationRequest> &
    Readonly<{ returnUrls?: ReadonlyArray<string> | undefined }> &
    ClientRequest,
) => TE.TaskEither<Failure | NotNamed | Overloaded, SetApplicationResult>

export type SetApplicationResult = Readonly<{ application: Application; hasChanged: boolean }>

/** The service made the application, for its pages. It can never be a client of the OpenID provider. */
export type ApplicationOfPages = Readonly<{ _tag: 'ApplicationOfPages' }>

type Failure =
  | Invalid<ApplicationProblem | ReturnUrlRefused | ClientProblem>
  | LifetimesProblem
  | ApplicationOfPages
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
      if (isAccountPages(before.id) && isAboutClient(request)) return TE.left({ _tag: 'ApplicationOfPages' })
      const valid = combine({
        fields: validateApplication(
          { name: before.name, scope: scopeText(before.scope), ...request },
          before,
        ),
        returnUrls: request.returnUrls ? validateReturnUrls(request.returnUrls) : right(before.returnUrls),
        client: validateClient(request, before),
      })
      if (isLeft(valid)) return TE.left(invalid(valid.left))
      const { fields, returnUrls, client } = valid.right
      const application = { ...before, ...fields }
      const problem = isAboutLifetimes(request) ? lifetimesProblem(application, settings) : undefined
      if (problem !== undefined) return TE.left(problem)
      const facts = factsOf(before, application, { returnUrls, client })
      const changed = { ...application, returnUrls, ...client }
      if (!isNonEmpty(facts)) return TE.right({ application: changed, hasChanged: false })
      return pipe(
        record(facts, operatorOf(context), context),
        neverFailsWith('EmailTaken'),
        TE.map(() => ({ application: changed, hasChanged: true })),
      )
    })

const combine = combineFields<ApplicationProblem | ReturnUrlRefused | ClientProblem>()

/** Each fact takes the application as the one before leaves it. */
const factsOf = (
  before: Application,
  changed: Application,
  { returnUrls: urls, client }: Readonly<{ returnUrls: ReadonlyArray<string>; client: OpenIdClient }>,
): Array<Fact> => {
  const facts: Array<Fact> = []
  let application = before
  if (!isSameApplication(changed, before)) {
    facts.push({ _tag: 'ApplicationChanged', application: changed })
    application = updated(changed)
  }
  if (returnUrlsText(urls) !== returnUrlsText(before.returnUrls)) {
    facts.push({ _tag: 'ReturnUrlsSet', application, urls })
    application = updated({ ...application, returnUrls: urls })
  }
  if (!isSameClient(client, before)) facts.push({ _tag: 'RedirectUrisSet', application, client })
  return facts
}
