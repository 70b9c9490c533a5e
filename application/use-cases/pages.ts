import { isRight } from 'fp-ts/lib/Either.js'
import { authorize, isProvedFresh, type Permission, type UserCaller } from '../../domain/access.ts'
import { completeRegistration, readRegistration } from '../accounts/complete-registration.ts'
import { mailRegistration } from '../accounts/mail-registration.ts'
import { readMailedLink } from '../accounts/read-mailed-link.ts'
import { signUserToken } from '../keys/sign-user-token.ts'
import type { CurrentAccountPages } from '../pages/account-pages.ts'
import { type BrowserCookies, browserCookies } from '../pages/browser-cookies.ts'
import {
  type BrowserSession,
  browserSession,
  type OwnerOfSession,
  ownerOfSession,
  type RenewBrowserSession,
  renewBrowserSession,
} from '../pages/browser-session.ts'
import { type IsSignInCompleted, isSignInCompleted } from '../pages/completed-sign-in.ts'
import { pageIdentities } from '../pages/page-identities.ts'
import { findReturnUrl } from '../pages/return-link.ts'
import { type EndBrowser, endBrowser } from '../sessions/end-browser.ts'
import { type OpenByBrowser, openByBrowser } from '../sessions/open-by-browser.ts'
import type { NeededByRequests } from './requests.ts'

/** What the pages need of the session of a browser. */
export type Browsers = Readonly<{
  application: CurrentAccountPages
  cookies: BrowserCookies
  session: BrowserSession
  renew: RenewBrowserSession
  /** Opens a session of an application without a page: single sign-on. */
  open: OpenByBrowser
  /** Ends all sessions of a browser. */
  end: EndBrowser
  /** Whether the user of a session may do this now, as a user with a token may. Otherwise a step-up comes first. */
  permits: (permission: Permission, caller: UserCaller) => boolean
  isSignInCompleted: IsSignInCompleted
  ownerOf: OwnerOfSession
  isProvedFresh: (caller: UserCaller) => boolean
}>

/** Every use case of the pages for people that the routes do not have, by its name for the pages. */
export type PageUseCases = ReturnType<typeof pageUseCases>

export const pageUseCases = (
  needed: NeededByRequests &
    Readonly<{
      currentAccountPages: CurrentAccountPages | undefined
      /** Whether a mail tells of each sign-in in a browser that is new. */
      marksDevices: boolean
      registers: boolean
    }>,
) => {
  const { sealing, mails, registers } = needed
  const sealed = sealing && { ...needed, sealing }
  const cookies = sealed && browserCookies(sealed, needed.marksDevices)
  /** Undefined without pages. */
  const browsers: Browsers | undefined = cookies &&
    needed.currentAccountPages && {
      application: needed.currentAccountPages,
      cookies,
      session: browserSession({ ...needed, cookies }),
      renew: renewBrowserSession({ ...needed, cookies }),
      open: openByBrowser(needed),
      end: endBrowser(needed),
      permits: (permission, caller) => isRight(authorize(permission, caller, needed.clock() / 1000)),
      isSignInCompleted: isSignInCompleted(needed),
      ownerOf: ownerOfSession(needed),
      isProvedFresh: (caller) => isProvedFresh(caller, needed.clock() / 1000),
    }
  const { identities } = needed
  return {
    /** Undefined without identity providers. */
    pageIdentities:
      identities && pageIdentities({ ...needed, identities, signUserToken: signUserToken(needed) }),
    findReturnUrl: findReturnUrl(needed),
    readMailedLink: readMailedLink(needed),
    browsers,
    /** Undefined if strangers cannot register. */
    registration:
      registers && sealed && mails
        ? {
            mail: mailRegistration({ ...needed, mails }),
            read: readRegistration(sealed),
            complete: completeRegistration({ ...sealed, signUserToken: signUserToken(needed) }),
          }
        : undefined,
  }
}
