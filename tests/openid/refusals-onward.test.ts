import { expect } from 'chai'
import type { BrowserDesk } from '../account-pages/browser-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { authorization, later, newTokens, type Sent, STATE, toldClient } from './code-flow.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newBrowser } from './relying-party.ts'

const UNKNOWN = '01a222c1-f0ec-7391-9f1f-f86dfb59e08f'

let provider: OpenIdService
let shop: TestClient
let browser: BrowserDesk
const start = async () => {
  provider = await startOpenId()
  shop = await provider.client()
  browser = newBrowser(provider)
  await browser.signIn()
}
const stop = () => provider.pages.stop()

describe('an authorization with an id_token_hint', () => {
  const EVE = { email: 'eve@example.com', password: 'tr0ub4dor and three' }
  let hint: string
  let hintOfEve: string
  before(async () => {
    await start()
    hint = (await newTokens(provider, browser, shop)).id_token
    await succeed(provider.pages.service.registerUser(CONTEXT, EVE, OPERATOR))
    const browserOfEve = newBrowser(provider)
    await browserOfEve.signIn(EVE)
    hintOfEve = (await newTokens(provider, browserOfEve, shop)).id_token
  })
  after(stop)
  const withHint = (id_token_hint: string, more: Sent = {}) =>
    browser.get(authorization(shop, { id_token_hint, ...more }))

  it('answers if it has expired: only its signature counts', async () => {
    const answer = await later(3_600, () => withHint(hint, { prompt: 'none' }))
    expect(toldClient(answer, shop)).to.have.property('code')
  })

  it('asks for the other user whom it names', async () => {
    const { headers } = await withHint(hintOfEve)
    const to = new URL(String(headers.location), provider.issuer)
    expect([to.pathname, to.searchParams.get('notice')]).to.deep.equal(['/account/sign-in', 'other_account'])
    const silent = await withHint(hintOfEve, { prompt: 'none' })
    expect(toldClient(silent, shop)).to.include({ error: 'login_required', state: STATE })
  })

  const FORGED: ReadonlyArray<readonly [what: string, forge: (token: string) => string]> = [
    ['another signature', (token) => `${token.slice(0, -6)}AAAAAA`],
    ['alg none', (token) => `${encoded({ alg: 'none' })}.${token.split('.')[1]}.`],
    [
      'other claims',
      (token) => {
        const [header, , signature] = token.split('.')
        return `${header}.${encoded({ aud: shop.id, sub: UNKNOWN })}.${signature}`
      },
    ],
  ]
  for (const [what, forge] of FORGED)
    it(`refuses one with ${what}`, async () => {
      const told = toldClient(await withHint(forge(hint)), shop)
      expect(told).to.include({ error: 'invalid_request', state: STATE, iss: provider.issuer })
    })

  it('refuses one of another client', async () => {
    const other = await provider.client('other')
    const answer = await browser.get(authorization(other, { id_token_hint: hint }))
    expect(toldClient(answer, other)).to.include({ error: 'invalid_request', state: STATE })
  })
})

describe('an authorization with a continued that belongs to another request', () => {
  before(start)
  after(stop)
  const AN_HOUR = 3_600
  /** The request as it goes on after its page. */
  const onward = async (more: Sent): Promise<string> => {
    const { headers } = await browser.get(authorization(shop, more))
    return new URL(String(headers.location), provider.issuer).searchParams.get('continue') ?? ''
  }
  const sealOf = (path: string) => /&continued=(.*)$/.exec(path)?.[1] ?? ''
  const withSeal = (path: string, seal: string) => path.replace(/&continued=.*$/, `&continued=${seal}`)
  const STEP_UP = /^\/account\/step-up\?/

  const SEALS: ReadonlyArray<readonly [what: string, seal: (path: string) => Promise<string>]> = [
    ['of a request with other parameters', () => onward({ max_age: '1', state: 'other' }).then(sealOf)],
    ['with one other character', async (path) => `A${sealOf(path).slice(1)}`],
    ['cut off', async (path) => sealOf(path).slice(0, -1)],
    ['empty', async () => ''],
    ['that is no text of ours', async () => 'e30'],
  ]
  for (const [what, seal] of SEALS)
    it(`asks the person again: ${what}`, () =>
      later(600, async () => {
        const path = await onward({ prompt: 'login' })
        const { headers } = await browser.get(withSeal(path, await seal(path)))
        expect(headers.location).to.match(STEP_UP)
      }))

  it('asks the person again if nobody has signed in since', () =>
    later(600, async () => {
      expect((await browser.get(await onward({ prompt: 'login' }))).headers.location).to.match(STEP_UP)
    }))

  it('asks the person again after an hour', async () => {
    const path = await onward({ prompt: 'login' })
    expect(toldClient(await browser.get(path), shop), 'just signed in').to.have.property('code')
    const answer = await later(AN_HOUR + 1, () => browser.get(path))
    expect(answer.headers.location).to.match(STEP_UP)
  })
})

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
