import { isNone, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authentication } from '../../domain/assurance.ts'
import type { Lifetimes } from '../../domain/lifetimes.ts'
import { isAlive, type Session, type SessionFacts } from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Fact, NewSession } from '../recording/facts.ts'
import type { Browser } from '../recording/recorder.ts'
import { liveSessionsInBrowser } from './list-sessions.ts'

/** Returns a session of a user to open. It records what the user's versions are. */
export const newSession = (
  {
    user,
    lifetimes,
    openedAtSeconds,
  }: Readonly<{ user: User; lifetimes: Lifetimes; openedAtSeconds: number }>,
  given: Authentication & Pick<Session, 'id' | 'label' | 'cookie' | 'browserId'>,
): NewSession => ({
  userId: user.id,
  passwordVersion: user.passwordVersion,
  sessionsVersion: user.sessionsVersion,
  expiresAtSeconds: openedAtSeconds + lifetimes.idleTtlSeconds,
  endsAtSeconds: openedAtSeconds + lifetimes.sessionTtlSeconds,
  remembered: lifetimes.remembered,
  signedOut: false,
  ...given,
})

/** The facts that a new session ends others. */
export const displaced = (sessions: ReadonlyArray<Session>, by: string): Array<Fact> =>
  sessions.map((session) => ({ _tag: 'UserSignedOut', session, displacedBy: by }))

/** What a browser has before a sign-in. */
export type Before = Readonly<{
  /** The id of the browser, if the same user is signed in there. */
  browserId: Option<string>
  /** The sessions that the sign-in ends. */
  ended: ReadonlyArray<Session>
  /** The session of another user. */
  ofAnother: Option<SessionFacts>
}>

const NOTHING: Before = { browserId: none, ended: [], ofAnother: none }

/** A sign-in ends the session of the pages before it. Of another user, it also ends those that were opened through the browser. */
export const inBrowserBefore = (
  store: Pick<Store, 'findSession' | 'listSessions'>,
  browser: Browser | undefined,
  { user, nowSeconds }: Readonly<{ user: User; nowSeconds: number }>,
): TE.TaskEither<StoreUnavailable, Before> => {
  if (browser === undefined || isNone(browser.formerSessionId)) return TE.right(NOTHING)
  const before = (found: Option<SessionFacts>): TE.TaskEither<StoreUnavailable, Before> => {
    if (isNone(found) || !isAlive(found.value, nowSeconds)) return TE.right(NOTHING)
    const { session } = found.value
    return session.userId === user.id
      ? TE.right({ browserId: session.browserId, ended: [session], ofAnother: none })
      : TE.map((ended: ReadonlyArray<Session>): Before => ({ browserId: none, ended, ofAnother: found }))(
          liveSessionsInBrowser(store, found.value, nowSeconds),
        )
  }
  return TE.chain(before)(store.findSession(browser.formerSessionId.value))
}
