import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { TestClient } from './openid-service.ts'
import {
  authorization,
  callbackOf,
  codeWith,
  exchange,
  type Instance,
  type Person,
  refresh,
  signInFor,
  statusAt,
  type TurningBrowser,
  type TwoProviders,
} from './two-providers.ts'

/** A person who is signed in at a client in one browser, with all that a client and a browser then have. */
export type SignedIn = {
  readonly person: Person
  readonly browser: TurningBrowser
  readonly client: TestClient
  /** The session of the client. */
  readonly sessionId: string
  readonly idToken: string
  /** Codes of this session that are not exchanged, one for each instance. */
  readonly codes: readonly [string, string]
  access: string
  refresh: string
}

/** What can end, as the columns of the table of all ends. */
export const PARTS = ['code', 'access', 'userinfo', 'refresh', 'sso'] as const
export type Part = (typeof PARTS)[number]

export const signedInWith = async (
  { one, newBrowser }: TwoProviders,
  person: Person,
  client: TestClient,
): Promise<SignedIn> => {
  const browser = newBrowser(person)
  const { status, body } = await exchange(one, client, await signInFor(browser, client))
  expect(status, JSON.stringify(body)).to.equal(200)
  return {
    person,
    browser,
    client,
    sessionId: String(decodeJwt(body.id_token).sid),
    idToken: body.id_token,
    codes: [await codeWith(browser, client), await codeWith(browser, client)],
    access: body.access_token,
    refresh: body.refresh_token,
  }
}

/** Refreshes at an instance, and keeps the new tokens. */
export const renewed = async (at: Instance, signedIn: SignedIn): Promise<boolean> => {
  const { status, body } = await refresh(at, signedIn.client, signedIn.refresh)
  if (status !== 200) {
    expect([
      [400, 'invalid_grant'],
      [401, 'invalid_client'],
    ]).to.deep.include([status, body.error])
    return false
  }
  signedIn.access = body.access_token
  signedIn.refresh = body.refresh_token
  return true
}

/** What has ended of it, at each instance. `elsewhere` is another client in the browser. */
export const endedOf = async (
  { one, other }: TwoProviders,
  signedIn: SignedIn,
  elsewhere: TestClient,
): Promise<ReadonlyArray<ReadonlyArray<Part>>> => {
  const found: Array<ReadonlyArray<Part>> = []
  for (const [at, code] of [
    [other, signedIn.codes[1]],
    [one, signedIn.codes[0]],
  ] as const) {
    const lives: Readonly<Record<Part, boolean>> = {
      access: (await statusAt(at, '/api/v1/profile', signedIn.access)) === 200,
      userinfo: (await statusAt(at, '/oauth2/userinfo', signedIn.access)) === 200,
      code: (await exchange(at, signedIn.client, code)).status === 200,
      refresh: await renewed(at, signedIn),
      sso: (await silently(at, signedIn, elsewhere)) === signedIn.person.id,
    }
    found.push(PARTS.filter((part) => !lives[part]))
  }
  return found
}

/** Who is signed in in the browser, as another client learns without a page. */
const silently = async (at: Instance, { browser }: SignedIn, elsewhere: TestClient): Promise<unknown> => {
  const callback = callbackOf(await browser.turnTo(at).get(authorization(elsewhere, { prompt: 'none' })))
  const code = callback.get('code')
  if (code === null) {
    expect(callback.get('error')).to.equal('login_required')
    return undefined
  }
  const { body } = await exchange(at, elsewhere, code)
  return decodeJwt(body.id_token).sub
}
