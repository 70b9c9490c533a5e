import { isLeft, left } from 'fp-ts/lib/Either.js'
import { isNone, type Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Application } from '../../domain/application.ts'
import {
  type AuthorizationWishes,
  enoughSince,
  judgeAuthorization,
  type PersonNeeded,
} from '../../domain/authorization.ts'
import { isDue } from '../../domain/factor.ts'
import { type LifetimeSettings, lifetimesOf } from '../../domain/lifetimes.ts'
import type { SessionFacts } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { RequestContext } from '../recording/recorder.ts'
import type { OpenByBrowser } from '../sessions/open-by-browser.ts'
import type { Throttled } from '../throttling/throttle.ts'

/**
 * Authorizes an application in a browser (OpenID Connect Core §3.1.2). With a session of the pages that is enough, it returns the session of that
 * application, which it opens if there is none: single sign-on. Otherwise a person is needed first.
 */
export type AuthorizeInBrowser = (
  context: RequestContext,
  request: Readonly<{
    visitor: Option<UserCaller>
    application: Application
    wishes: Omit<AuthorizationWishes, 'maxAgeSeconds'> & Readonly<{ maxAgeSeconds: number | undefined }>
  }>,
) => TaskEither<PersonNeeded | Failure, SessionFacts>

type Failure = Throttled | Overloaded | StoreUnavailable

export const authorizeInBrowser =
  ({
    store,
    clock,
    openByBrowser,
    settings,
  }: Readonly<{
    store: Pick<Store, 'listFactors'>
    clock: Clock
    openByBrowser: OpenByBrowser
    settings: LifetimeSettings
  }>): AuthorizeInBrowser =>
  (context, { visitor, application, wishes }) =>
  async () => {
    // An application with short sessions must not be opened by the long one of a browser.
    const longest = lifetimesOf(application, settings, !isNone(visitor) && visitor.value.session.remembered)
    const maxAgeSeconds = Math.min(
      wishes.maxAgeSeconds ?? Number.POSITIVE_INFINITY,
      longest.sessionTtlSeconds,
    )
    const nowSeconds = Math.floor(clock() / 1000)
    const limited = { ...wishes, maxAgeSeconds }
    const judged = judgeAuthorization(visitor, application, limited, nowSeconds)
    if (isLeft(judged))
      return judged.left.step === 'second_factor' ? await withFactor(store, visitor, judged.left) : judged
    const opened = await openByBrowser(context, { visitor: judged.right, application })()
    if (!isLeft(opened)) return opened
    const { left: failure } = opened
    switch (failure._tag) {
      // Something has ended the session, or changed the application, since it was judged.
      case 'InvalidToken':
      case 'AssuranceTooLow':
      case 'EmailNotVerified':
        return left({
          _tag: 'PersonNeeded',
          step: 'sign_in',
          error: 'login_required',
          sinceSeconds: enoughSince(limited, nowSeconds),
        })
      default:
        return left(failure)
    }
  }

/** Who has a factor proves it. Who has none gets one first. */
const withFactor = async (
  store: Pick<Store, 'listFactors'>,
  visitor: Option<UserCaller>,
  needed: PersonNeeded,
): Promise<ReturnType<typeof left<PersonNeeded | StoreUnavailable>>> => {
  if (isNone(visitor)) return left(needed)
  const factors = await store.listFactors(visitor.value.user.id)()
  if (isLeft(factors)) return factors
  const hasOne = isDue(factors.right)
  return left(hasOne ? { ...needed, step: 'step_up' as const } : needed)
}
