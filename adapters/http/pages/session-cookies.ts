import { isRight } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { ChangeOwnAttributes } from '../../../application/accounts/change-attributes.ts'
import type { BrowserCookies, SessionCookie } from '../../../application/pages/browser-cookies.ts'
import type { SignedIn } from '../../../application/sessions/open-session.ts'
import { attributesOf } from '../../../domain/attributes.ts'
import { SECOND_FACTOR_TTL_SECONDS } from '../../../domain/second-factor.ts'
import { deleteCookie, setCookie } from './cookies.ts'
import type { Site, Visit } from './visit.ts'

/** The cookies after a sign-in: that of the session lives as long as it. */
export const signedInCookies = (
  cookies: BrowserCookies,
  { sessionId, sessionExpiresInSeconds, userId }: SignedIn,
  secret: string,
): ReadonlyArray<string> => [
  setCookie('session', cookies.sealSession({ sessionId, secret }), sessionExpiresInSeconds),
  deleteCookie('pending'),
  ...(cookies.device === undefined
    ? []
    : [setCookie('device', cookies.device.seal(userId), cookies.device.lifetimeSeconds)]),
]

/** Keeps the language that a person has chosen on the page, if the account has none. A failure keeps no person from the sign-in. */
export const keepLanguage = async (
  { browsers }: Pick<Site, 'browsers'>,
  changeOwnAttributes: ChangeOwnAttributes,
  visit: Pick<Visit, 'context' | 'chosenLanguage'>,
  cookie: SessionCookie,
): Promise<void> => {
  const { context, chosenLanguage } = visit
  if (chosenLanguage === undefined) return
  const found = await browsers.session(browsers.cookies.sealSession(cookie))()
  const caller = isRight(found) ? toUndefined(found.right) : undefined
  if (caller === undefined || attributesOf(caller.user.attributes).locale !== undefined) return
  await changeOwnAttributes(context, caller, { locale: chosenLanguage })()
}

/** The cookie of a sign-in that waits for its second factor. */
export const pendingCookies = (
  cookies: BrowserCookies,
  token: string,
  next: string,
): ReadonlyArray<string> => [
  setCookie('pending', cookies.sealPending({ token, next }), SECOND_FACTOR_TTL_SECONDS),
]

/** The cookies after a sign-out. */
export const signedOutCookies = (): ReadonlyArray<string> => [
  deleteCookie('session'),
  deleteCookie('pending'),
]
