import { isLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import { findFirst } from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Application } from '../../domain/application.ts'
import { assuranceOf, reaches } from '../../domain/assurance.ts'
import { type LifetimeSettings, lifetimesOf } from '../../domain/lifetimes.ts'
import { isAlive, isSameAuthentication, type Session, type SessionFacts } from '../../domain/session.ts'
import { lacksVerifiedEmail } from '../../domain/sign-in.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnSessionConflict } from '../recording/session-facts.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { endUserKeys, signInKeys } from '../throttling/throttle-key.ts'
import { liveSessionsInBrowser, sessionsBeyondBound } from './list-sessions.ts'
import { displaced, newSession } from './new-session.ts'
import type { EmailNotVerified } from './sign-in.ts'

/**
 * Opens a session of an application by the session of the pages in a browser: single sign-on. It takes over how and when the user was
 * authenticated. A session that the application has there already, with the same authentication, is returned instead. One with another
 * authentication ends in the same change.
 *
 * Concurrent calls may open one each. The next one returns the one that expires last, and a sign-out ends all. Only sessions that are opened count as
 * sign-ins of the user.
 */
export type OpenByBrowser = (
  context: RequestContext,
  opening: Readonly<{
    visitor: UserCaller
    application: Application
    /** That of the session of the pages if it is absent. */
    label?: string | undefined
  }>,
) => TE.TaskEither<
  InvalidToken | AssuranceTooLow | EmailNotVerified | Throttled | Overloaded | StoreUnavailable,
  SessionFacts
>

/** The application requires more than the session of the pages was authenticated with. */
export type AssuranceTooLow = Readonly<{ _tag: 'AssuranceTooLow' }>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'listSessions'>
  clock: Clock
  random: Random
  record: Recorder
  settings: LifetimeSettings
  throttle: Throttle
}>

export const openByBrowser =
  (dependencies: Dependencies): OpenByBrowser =>
  (context, { visitor, application, label }) =>
  async () => {
    const opening = { context, application, label }
    const found = await look(dependencies, application, visitor)()
    if (isLeft(found)) return found
    if (isSome(found.right.usable)) return TE.right(found.right.usable.value)()
    return withThrottle(
      dependencies.throttle,
      signInKeys(visitor.user.id, endUserKeys(context, application.id)),
      {
        check: retryOnSessionConflict(dependencies.store, (facts) => openOnce(dependencies, opening, facts))(
          visitor,
        ),
        isSuccess: () => false,
      },
    )()
  }

type Refused = InvalidToken | AssuranceTooLow | EmailNotVerified

/** What an application has in the browser of a session: a session with the same authentication, or those of an earlier one. */
type Found = Readonly<{ usable: Option<SessionFacts>; older: ReadonlyArray<Session> }>

const look = (
  { store, clock }: Pick<Dependencies, 'store' | 'clock'>,
  application: Application,
  visitor: SessionFacts,
): TE.TaskEither<Refused | StoreUnavailable, Found> => {
  const { session: ofPages, user } = visitor
  const nowSeconds = clock() / 1000
  if (isNone(ofPages.browserId) || !isAlive(visitor, nowSeconds)) return TE.left({ _tag: 'InvalidToken' })
  if (!reaches(assuranceOf(ofPages.methods), application.requiredAssurance))
    return TE.left({ _tag: 'AssuranceTooLow' })
  if (lacksVerifiedEmail(application, user)) return TE.left({ _tag: 'EmailNotVerified' })
  const toFacts = (session: Session): SessionFacts => ({ session, user, application: some(application) })
  return pipe(
    liveSessionsInBrowser(store, visitor, nowSeconds),
    TE.map((sessions) => sessions.filter(({ applicationId }) => applicationId === application.id)),
    TE.map((older) => ({
      usable: pipe(
        older.map(toFacts),
        findFirst(
          (facts) => isSameAuthentication(facts.session, ofPages) && isAlive(facts, nowSeconds + A_MINUTE),
        ),
      ),
      older,
    })),
  )
}

/** A session that ends sooner is replaced: the application may not have used it by then. */
const A_MINUTE = 60

/** The session of the pages is compared, so that nothing is opened by one that ends meanwhile. */
const openOnce =
  (
    dependencies: Dependencies,
    {
      context,
      application,
      label,
    }: Readonly<{ context: RequestContext; application: Application; label: string | undefined }>,
    visitor: SessionFacts,
  ): TE.TaskEither<Refused | Conflict | StoreUnavailable, SessionFacts> =>
  async () => {
    const { store, clock, random, record, settings } = dependencies
    const { session: ofPages, user } = visitor
    const found = await look(dependencies, application, visitor)()
    if (isLeft(found)) return found
    const { usable, older } = found.right
    if (isSome(usable)) return TE.right(usable.value)()
    const openedAtSeconds = Math.floor(clock() / 1000)
    const beyond = await sessionsBeyondBound(store, user, openedAtSeconds)()
    if (isLeft(beyond)) return beyond
    const session = newSession(
      { user, lifetimes: lifetimesOf(application, settings, ofPages.remembered), openedAtSeconds },
      {
        id: random.uuid(),
        methods: ofPages.methods,
        authenticatedAtSeconds: ofPages.authenticatedAtSeconds,
        browserId: ofPages.browserId,
        cookie: none,
        label: label === undefined ? ofPages.label : some(label),
      },
    )
    const kept = [ofPages, ...older]
    const excess = beyond.right.filter(({ id }) => !kept.some((one) => one.id === id))
    return pipe(
      record(
        [
          { _tag: 'UserSignedIn', session, through: ofPages },
          ...displaced([...older, ...excess], session.id),
        ],
        { kind: 'application', id: application.id },
        context,
      ),
      neverFailsWith('EmailTaken'),
      TE.chainW(() => store.findSession(session.id)),
      TE.chainW(TE.fromOption((): InvalidToken => ({ _tag: 'InvalidToken' }))),
    )()
  }
