import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { generateKeyPair, SignJWT } from 'jose'
import { onceIn } from '../account-pages/browser-desk.ts'
import { formOf, type Sent } from './code-flow.ts'
import { type ConformanceDesk, conformanceDesk } from './conformance-desk.ts'
import { type OpenIdService, startOpenId } from './openid-service.ts'

/** As long as the one of the suite. */
const STATE = randomBytes(64).toString('base64url')

const ERROR = 'The application sent a wrong request'

type Logout = Readonly<{ status: number; to: string | undefined; html: string }>

describe('RP-Initiated Logout OP of the OpenID conformance suite', () => {
  let provider: OpenIdService
  let desk: ConformanceDesk
  let idToken: string
  before(async () => {
    provider = await startOpenId()
  })
  after(() => provider.pages.stop())
  beforeEach(async () => {
    desk = await conformanceDesk(provider)
    idToken = (await desk.flow()).tokens.id_token
  })

  /** Sends the browser to the logout of a right request, changed, and confirms it on the page that asks. */
  const logOut = async (more: Sent = {}): Promise<Logout> => {
    const sent = {
      id_token_hint: idToken,
      post_logout_redirect_uri: desk.client.logoutUri,
      state: STATE,
      ...more,
    }
    const start = await desk.browser.get(`/oauth2/end_session?${formOf(sent)}`)
    expect(start.status).to.equal(303)
    const page = await desk.browser.get(String(start.headers.location))
    if (page.status !== 200) return { status: page.status, to: undefined, html: page.html }
    const hidden = Object.fromEntries(
      [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(
        ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')],
      ),
    )
    expect(onceIn(page)).not.to.equal('')
    const done = await desk.browser.post('/oauth2/end_session/confirm', hidden)
    const to = /^0; url=(.*)$/.exec(String(done.headers.refresh))?.[1] ?? done.headers.location
    return { status: done.status, to: to === undefined ? undefined : String(to), html: done.html }
  }

  const errorAtPromptNone = async () => (await desk.authorize({ prompt: 'none' })).told.error

  it('oidcc-rp-initiated-logout', async () => {
    const { to = '' } = await logOut()
    expect(to.split('?')[0]).to.equal(desk.client.logoutUri)
    expect(Object.fromEntries(new URL(to).searchParams)).to.deep.equal({ state: STATE })
    expect(await errorAtPromptNone()).to.equal('login_required')
  })

  it('oidcc-rp-initiated-logout-no-state', async () => {
    expect((await logOut({ state: undefined })).to).to.equal(desk.client.logoutUri)
    expect(await errorAtPromptNone()).to.equal('login_required')
  })

  const NONE = { id_token_hint: undefined, post_logout_redirect_uri: undefined, state: undefined }
  for (const [module, more] of [
    ['oidcc-rp-initiated-logout-no-params', NONE],
    ['oidcc-rp-initiated-logout-only-state', { ...NONE, state: STATE }],
    ['oidcc-rp-initiated-logout-no-post-logout-redirect-uri', { post_logout_redirect_uri: undefined }],
  ] as const)
    it(`${module} ends with a page that says so`, async () => {
      const { to = '' } = await logOut(more)
      expect(to).to.equal('/account/sign-in?notice=signed_out')
      expect((await desk.browser.get(to)).html).to.include('You are signed out.')
      expect(await errorAtPromptNone()).to.equal('login_required')
    })

  const unsigned = (token: string): string =>
    `${Buffer.from('{"alg": "none"}').toString('base64url')}.${token.split('.')[1]}.`

  /** An ID token with the claims and the key id of a right one, and the signature of a stranger. */
  const forged = async (): Promise<string> => {
    const { privateKey } = await generateKeyPair('RS256')
    const [header = '', claims = ''] = idToken
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString())
    return new SignJWT(JSON.parse(claims)).setProtectedHeader(JSON.parse(header)).sign(privateKey)
  }

  for (const [module, more] of [
    [
      'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
      async () => ({ post_logout_redirect_uri: 'https://suite.example.com/random' }),
    ],
    [
      'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
      async () => ({ post_logout_redirect_uri: `${desk.client.logoutUri}?foo=bar` }),
    ],
    ['oidcc-rp-initiated-logout-modified-id-token-hint', async () => ({ id_token_hint: unsigned(idToken) })],
    ['oidcc-rp-initiated-logout-bad-id-token-hint', async () => ({ id_token_hint: await forged() })],
    ['oidcc-rp-initiated-logout-no-id-token-hint', async () => ({ id_token_hint: undefined })],
  ] as const)
    it(`${module} gets an error page, and nobody is signed out`, async () => {
      const { status, to, html } = await logOut(await more())
      expect([status, to]).to.deep.equal([422, undefined])
      expect(html).to.include(ERROR)
      expect(await errorAtPromptNone()).to.equal(undefined)
    })
})
