import { userHandleOf } from '../../domain/passkey.ts'
import type { Asserting, Ceremony } from '../testkit/passkey-verifier/software-authenticator.ts'
import type { PageAnswer } from './pages-service.ts'
import { type SecurityDesk, type SecurityService, startSecurity } from './security-service.ts'

export const PAGES_ORIGIN = 'https://auth.example.com'

/** The settings of a service whose pages use passkeys. */
export const PAGES_WITH_PASSKEYS = {
  PUBLIC_URL: PAGES_ORIGIN,
  PASSKEY_RP_ID: 'example.com',
  THROTTLE_ADDRESS_FAILURES: '1000',
}

export const startWithPasskeys: typeof startSecurity = (store, environment, ...modules) =>
  startSecurity(store, { ...PAGES_WITH_PASSKEYS, ...environment }, ...modules)

/** The options that a button of the page carries. Undefined without a button. */
export const optionsIn = ({ html }: PageAnswer) => {
  const [, method, text = ''] = /data-passkey="(create|get)" data-options="([^"]*)"/.exec(html) ?? []
  return method === undefined ? undefined : { method, ...JSON.parse(text.replaceAll('&quot;', '"')) }
}

/** What a browser asks its authenticator for, after a press of the button of the page. */
export const ceremonyIn = (page: PageAnswer, origin = PAGES_ORIGIN): Ceremony => {
  const { challenge, rpId, rp } = optionsIn(page)
  return { challenge, rpId: rpId ?? rp.id, origin }
}

export type Device = Readonly<{
  create: (ceremony: Ceremony) => Promise<string>
  get: (ceremony: Ceremony, how?: Asserting) => Promise<string>
}>

/** Adds a passkey from the list, and returns what the page shows. */
export const addPasskey = async (browser: SecurityDesk, device: Device) =>
  browser.step('add_passkey', { credential: await device.create(ceremonyIn(await browser.list())) })

/** What a passkey of Eve says when it signs her in alone. */
export const asEve = ({ eveId }: Pick<SecurityService, 'eveId'>): Asserting => ({
  userHandle: userHandleOf(eveId),
})

/** Opens the page to sign in, and answers it with a passkey alone. */
export const signInAlone = async (browser: SecurityDesk, device: Device, how: Asserting) =>
  browser.post('/account/sign-in', {
    credential: await device.get(ceremonyIn(await browser.get('/account/sign-in')), how),
    continue: '/account/security',
  })
