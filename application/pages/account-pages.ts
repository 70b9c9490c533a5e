import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone, isSome, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { accountPagesId, newAccountPages } from '../../domain/account-pages.ts'
import type { Application } from '../../domain/application.ts'
import { isOnRpId, originsText, type PasskeySettings } from '../../domain/passkey-origins.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Fact } from '../recording/facts.ts'
import { NO_REQUEST, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'

/** The application of the pages is revoked, or a store without it was restored. Operators make the next one. */
export type PagesClosed = Readonly<{ _tag: 'PagesClosed' }>

/** Returns the application of the pages as a caller, as of now. */
export type CurrentAccountPages = () => TE.TaskEither<PagesClosed | StoreUnavailable, ApplicationCaller>

type Lookup = Readonly<{ store: Pick<Store, 'findApplication'> }>

/** The application of the latest generation. `number` is 0 before there was any. */
type Generation = Readonly<{ number: number; application: Option<Application> }>

/** Revocations are rare, so the generations are few. Only forwards: an application is never deleted. */
const latestAfter = (
  { store }: Lookup,
  known: Generation = { number: 0, application: none },
): TE.TaskEither<StoreUnavailable, Generation> =>
  pipe(
    store.findApplication(accountPagesId(known.number + 1)),
    TE.chain((application) =>
      isNone(application)
        ? TE.right(known)
        : latestAfter({ store }, { number: known.number + 1, application }),
    ),
  )

/** It remembers the generation, so a request costs one read. */
export const currentAccountPages = (lookup: Lookup): CurrentAccountPages => {
  let generation = 1
  return () =>
    pipe(
      lookup.store.findApplication(accountPagesId(generation)),
      TE.chain((application) =>
        isSome(application) && application.value.revoked
          ? latestAfter(lookup, { number: generation, application })
          : TE.right({ number: generation, application }),
      ),
      TE.chainW(({ number, application }) => {
        generation = number
        return isSome(application) && !application.value.revoked
          ? TE.right(callerOf(application.value))
          : TE.left<PagesClosed>({ _tag: 'PagesClosed' })
      }),
    )
}

const callerOf = (application: Application): ApplicationCaller => ({
  kind: 'application',
  application,
  scope: application.scope,
})

type Dependencies = Readonly<{
  store: Pick<Store, 'findApplication'>
  record: Recorder
  settings: PasskeySettings & Readonly<{ pagesOrigin: string }>
}>

/**
 * Makes the application of the pages if there was never one, and sets its passkey origin to that of the pages. A revoked one stays
 * revoked.
 */
export const openAccountPages = (
  dependencies: Dependencies,
): TE.TaskEither<Overloaded | StoreUnavailable, void> =>
  pipe(
    settled(dependencies, NO_REQUEST, ({ number, application }) =>
      isNone(application) ? made(number + 1) : withOrigin(dependencies, application.value),
    ),
    TE.map(() => undefined),
  )

/** Makes the next application of the pages for an operator if the last one is revoked. Otherwise it changes nothing. */
export type CreateAccountPages = (
  context: RequestContext,
) => TE.TaskEither<Overloaded | StoreUnavailable, Readonly<{ application: Application; hasChanged: boolean }>>

export const createAccountPages =
  (dependencies: Dependencies): CreateAccountPages =>
  (context) =>
    pipe(
      latestAfter(dependencies),
      TE.bindTo('before'),
      TE.bindW('after', () =>
        settled(dependencies, context, ({ number, application }) =>
          isNone(application) || application.value.revoked
            ? made(number + 1)
            : withOrigin(dependencies, application.value),
        ),
      ),
      TE.map(({ before, after }) => ({
        application: after.application,
        hasChanged: after.number !== before.number,
      })),
    )

const made = (generation: number): Fact => ({
  _tag: 'ApplicationRegistered',
  application: newAccountPages(generation),
})

/** Undefined if it has the origins already, or is revoked. */
const withOrigin = (
  { settings: { pagesOrigin, passkeyRpId } }: Dependencies,
  application: Application,
): Fact | undefined => {
  const origins = passkeyRpId !== undefined && isOnRpId(pagesOrigin, passkeyRpId) ? [pagesOrigin] : []
  return application.revoked || originsText(origins) === originsText(application.passkeyOrigins)
    ? undefined
    : { _tag: 'PasskeyOriginsSet', application, origins }
}

type Settled = Readonly<{ number: number; application: Application }>

/** Records what is to do with the latest application, until nothing is. A conflict means that another instance was faster. */
const settled =
  (
    dependencies: Dependencies,
    context: RequestContext,
    todo: (latest: Generation) => Fact | undefined,
  ): TE.TaskEither<Overloaded | StoreUnavailable, Settled> =>
  async () => {
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const latest = await latestAfter(dependencies)()
      if (isLeft(latest)) return latest
      const { number, application } = latest.right
      const fact = todo(latest.right)
      if (fact === undefined && isSome(application)) return right({ number, application: application.value })
      if (fact === undefined) continue
      const recorded = await dependencies.record([fact], operatorOf(context), context)()
      if (isLeft(recorded) && recorded.left._tag === 'StoreUnavailable') return left(recorded.left)
    }
    return left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
  }

/** Two are needed, and each other instance that starts at the same time can cost two. */
const MOST_STEPS = 20
