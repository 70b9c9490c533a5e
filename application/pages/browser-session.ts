import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone, isSome, map, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { isAccountPages } from '../../domain/account-pages.ts'
import { assuranceClaims, assuranceOf, reaches } from '../../domain/assurance.ts'
import { renewsCookie } from '../../domain/browser-session.ts'
import type { Field } from '../../domain/field.ts'
import { type LifetimeSettings, lifetimesOf } from '../../domain/lifetimes.ts'
import { renewalOf } from '../../domain/renewal.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import { lacksVerifiedEmail } from '../../domain/sign-in.ts'
import type { User } from '../../domain/user.ts'
import { isUuid } from '../../domain/uuid.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import type { BrowserCookies } from './browser-cookies.ts'

/**
 * Returns who is signed in to the pages in a browser: the owner of the session that its cookie names. None if the cookie does not open, if
 * its secret is not that of the session, and if the session has ended. The session says when its user was authenticated, because a browser
 * has one cookie for it.
 */
export type BrowserSession = (cookie: Field) => TE.TaskEither<StoreUnavailable, Option<UserCaller>>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession'>
  cookies: BrowserCookies
  digests: Digests
  clock: Clock
}>

export const browserSession =
  ({ store, cookies, digests, clock }: Dependencies): BrowserSession =>
  (sent) => {
    const opened = cookies.openSession(sent)
    if (isNone(opened)) return TE.right(none)
    const { sessionId, secret } = opened.value
    const isOwn = ({ session: { cookie, applicationId } }: SessionFacts): boolean =>
      isSome(cookie) &&
      digests.areEqual(cookie.value, cookies.digestOf(secret)) &&
      isAccountPages(applicationId)
    return pipe(
      store.findSession(sessionId),
      TE.map(filter((facts) => isOwn(facts) && isAlive(facts, clock() / 1000))),
      TE.map(
        map((facts): UserCaller => ({ kind: 'user', presented: assuranceClaims(facts.session), ...facts })),
      ),
    )
  }

/**
 * Returns the owner of a session, alive or ended, also if that is removed by now. A form names the session of the page that it is on: another
 * tab may have removed the account meanwhile, or signed another one in. None if no one has the session.
 */
export type OwnerOfSession = (sessionId: Field) => TE.TaskEither<StoreUnavailable, Option<User>>

export const ownerOfSession =
  ({ store }: Pick<Dependencies, 'store'>): OwnerOfSession =>
  (sessionId) =>
    sessionId === undefined || !isUuid(sessionId)
      ? TE.right(none)
      : pipe(store.findSession(sessionId), TE.map(map(({ user }) => user)))

/**
 * Prolongs the session of a browser that shows a page, in the second half of its life and at most once a minute. Returns the new cookie: none
 * if it stays as it is. Of concurrent renewals one succeeds, and the others keep their cookie. No failure keeps a person from a page.
 */
export type RenewBrowserSession = (
  context: RequestContext,
  caller: UserCaller,
  cookie: Field,
) => T.Task<Option<RenewedCookie>>

export type RenewedCookie = Readonly<{ cookie: string; maxAgeSeconds: number }>

export const renewBrowserSession =
  ({
    cookies,
    clock,
    record,
    settings,
  }: Readonly<{
    cookies: BrowserCookies
    clock: Clock
    record: Recorder
    settings: LifetimeSettings
  }>): RenewBrowserSession =>
  (context, { session, user, application }, sent) => {
    const nowSeconds = Math.floor(clock() / 1000)
    const isRenewable = (owner: SessionFacts['application']) =>
      isSome(owner) &&
      renewsCookie(session, nowSeconds) &&
      !lacksVerifiedEmail(owner.value, user) &&
      reaches(assuranceOf(session.methods), owner.value.requiredAssurance)
    if (isNone(application) || !isRenewable(application)) return T.of(none)
    const renewal = pipe(
      renewalOf(session, lifetimesOf(application.value, settings, session.remembered), nowSeconds),
      filter(({ sessionExpiresAtSeconds }) => sessionExpiresAtSeconds > session.expiresAtSeconds),
    )
    const opened = cookies.openSession(sent)
    if (isNone(renewal) || isNone(opened)) return T.of(none)
    const { sessionExpiresAtSeconds: expiresAtSeconds } = renewal.value
    const { id } = application.value
    return pipe(
      record(
        [{ _tag: 'SessionRenewed', session, user, application: application.value, expiresAtSeconds }],
        { kind: 'application', id },
        context,
      ),
      TE.match(
        () => none,
        () =>
          some({
            cookie: cookies.sealSession(opened.value),
            maxAgeSeconds: expiresAtSeconds - nowSeconds,
          }),
      ),
    )
  }
