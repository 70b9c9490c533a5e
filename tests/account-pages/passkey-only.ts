import { userHandleOf } from '../../domain/passkey.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { permitPasskeys } from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'
import type { BrowserDesk } from './browser-desk.ts'
import type { PageAnswer, PagesService } from './pages-service.ts'

const ORIGIN = 'https://auth.example.com'

/** The settings of pages for people who have only a passkey. */
export const WITH_PASSKEYS = { PUBLIC_URL: ORIGIN, PASSKEY_RP_ID: 'example.com', SECOND_FACTORS: 'on' }

/** Registers a person without a password, whose only factor is a passkey. */
export const newPasskeyOnly = async (
  { service }: Pick<PagesService, 'service'>,
  email = 'eve@example.com',
) => {
  const device = await softwareAuthenticator()
  const request = { email, password: undefined, withoutPassword: true, emailVerified: true }
  const { id } = await succeed(service.registerUser(CONTEXT, request, OPERATOR))
  const keys = await succeed(
    service.registerApplication(CONTEXT, { name: 'tests', scope: 'users:vouch users:sign_in' }),
  )
  await permitPasskeys({ service }, ORIGIN)
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, keys))
  const portal = await succeed(service.authenticate(CONTEXT, 'vouchForUser', token))
  const vouched = await succeed(
    service.signInVouched(CONTEXT, portal, { userId: id, email: undefined, method: 'email' }),
  )
  const caller = await succeed(service.authenticate(CONTEXT, 'startEnrolment', vouched.token))
  const enrol = service.passkeys?.enrol
  if (enrol === undefined) throw new Error('no passkeys')
  const { options } = await succeed(enrol.start(caller))
  const credential = await device.create({
    challenge: options.challenge,
    rpId: options.rp.id,
    origin: ORIGIN,
  })
  await succeed(enrol.complete(CONTEXT, caller, { credential, name: undefined }))
  /** Answers the passkey button of a page. */
  const answer = ({ html }: PageAnswer) => {
    const [, text = '{}'] = /data-passkey="get" data-options="([^"]*)"/.exec(html) ?? []
    const { challenge, rpId } = JSON.parse(text.replaceAll('&quot;', '"'))
    return device.get({ challenge, rpId, origin: ORIGIN }, { userHandle: userHandleOf(id) })
  }
  return {
    id,
    answer,
    signIn: async (browser: BrowserDesk): Promise<PageAnswer> => {
      const credential = await answer(await browser.get('/account/sign-in'))
      return browser.post('/account/sign-in', { credential })
    },
  }
}
