import { SECURITY_PAGE } from '../../domain/page-visitor.ts'
import type { Asserting, Ceremony } from '../testkit/passkey-verifier/software-authenticator.ts'
import type { PageAnswer } from './pages-service.ts'
import { type SecurityService, startSecurity } from './security-service.ts'

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

type Device = Readonly<{
  create: (ceremony: Ceremony) => Promise<string>
  get: (ceremony: Ceremony, how?: Asserting) => Promise<string>
}>

/** Adds a passkey from a list, and returns what the page shows. */
export const addPasskey = async (page: SecurityService, list: PageAnswer, device: Device) =>
  page.step('add_passkey', list, { credential: await device.create(ceremonyIn(list)) })

/** Sends a credential to the form of a sign-in with a passkey alone. */
export const sendAlone = (page: SecurityService, credential: string) =>
  page.post({ step: 'passkey_sign_in', credential })

/** Opens the page, and signs in with a passkey alone. */
export const signInAlone = async (page: SecurityService, device: Device, how: Asserting) =>
  sendAlone(page, await device.get(ceremonyIn(await page.get(SECURITY_PAGE)), how))
