import { isProvedFresh, type UserCaller } from '../../domain/access.ts'
import { completeRegistration, readRegistration } from '../accounts/complete-registration.ts'
import { mailRegistration } from '../accounts/mail-registration.ts'
import { enrolOnPage, enrolPasskeyOnPage } from '../factors/enrol-on-page.ts'
import { passkeysOn } from '../factors/passkey-ceremony.ts'
import { provePasskey } from '../factors/passkey-on-page.ts'
import { provePassword, proveSecondStep } from '../factors/prove-on-page.ts'
import { securityPage } from '../factors/security-page.ts'
import { resumeTotpEnrolment } from '../factors/start-totp-enrolment.ts'
import { signUserToken } from '../keys/sign-user-token.ts'
import type { CurrentAccountPages } from '../pages/account-pages.ts'
import { browserCookies } from '../pages/browser-cookies.ts'
import { browserSession, ownerOfSession, renewBrowserSession } from '../pages/browser-session.ts'
import type { NeededByRequests, RequestUseCases } from './requests.ts'

/** Every use case of the pages for people that the routes do not have, by its name for the pages. */
export type PageUseCases = ReturnType<typeof pageUseCases>

/** @param ofRequests those that the pages share with the routes */
export const pageUseCases = (
  needed: NeededByRequests &
    Readonly<{
      currentAccountPages: CurrentAccountPages | undefined
      /** Whether a mail tells of each sign-in in a browser that is new. */
      marksDevices: boolean
      registers: boolean
    }>,
  { enrolTotp, removeFactor, renameFactor, renewRecoveryCodes }: RequestUseCases,
) => {
  const { sealing, settings, mails, registers } = needed
  const sealed = sealing && { ...needed, sealing }
  const passkeys = passkeysOn(needed.passkeys, settings.pagesOrigin)
  const cookies = sealed && browserCookies(sealed, needed.marksDevices)
  return {
    /** Undefined without pages. */
    browsers: cookies &&
      needed.currentAccountPages && {
        application: needed.currentAccountPages,
        cookies,
        session: browserSession({ ...needed, cookies }),
        renew: renewBrowserSession({ ...needed, cookies }),
        ownerOf: ownerOfSession(needed),
        isProvedFresh: (caller: UserCaller) => isProvedFresh(caller, needed.clock() / 1000),
      },
    /** Undefined if strangers cannot register. */
    registration:
      registers && sealed && mails
        ? {
            mail: mailRegistration({ ...needed, mails }),
            read: readRegistration(sealed),
            complete: completeRegistration({ ...sealed, signUserToken: signUserToken(needed) }),
          }
        : undefined,
    /** Undefined without a key to seal the proofs of its visitors: the page does not exist. */
    securityPage:
      sealed &&
      securityPage({
        ...sealed,
        provePassword: provePassword(needed),
        proveSecondStep: proveSecondStep({ ...needed, passkeys }),
        renameFactor,
        removeFactor,
        renewRecoveryCodes,
        enrolTotp: enrolTotp && {
          start: enrolTotp.start,
          resume: resumeTotpEnrolment(sealed),
          complete: enrolOnPage(sealed),
        },
        passkeys: passkeys && {
          at: passkeys,
          prove: provePasskey({ ...needed, passkeys }),
          enrol: enrolTotp && enrolPasskeyOnPage({ ...needed, passkeys }),
        },
      }),
  }
}
