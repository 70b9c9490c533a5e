import { once } from 'node:events'
import type { Server } from 'node:http'
import { expect } from 'chai'
import express from 'express'
import { decodeJwt } from 'jose'
import { type Profile, Strategy } from 'passport-openidconnect'
import { freePort } from '../support/command.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newTab, type Tab } from './tab.ts'

type SignedIn = Readonly<{ issuer: string; userinfo: Profile; claims: Profile; idToken: string }>
type Session = { user?: SignedIn }

describe('passport-openidconnect in Express as a client of the provider', () => {
  let provider: OpenIdService
  let app: Server
  let address: string
  let tab: Tab

  before(async () => {
    provider = await startOpenId()
    const port = await freePort()
    address = `http://127.0.0.1:${port}`
    // It has no PKCE.
    const client = await provider.client('shop', {
      redirectUris: [`${address}/callback`],
      logoutUris: [`${address}/bye`],
      pkce: 'optional',
    })
    app = (await shop(provider.issuer, address, client)).listen(port, '127.0.0.1')
    await once(app, 'listening')
    tab = newTab()
  })
  after(async () => {
    await tab.close()
    app.close()
    await provider.pages.stop()
  })

  it('signs a person in, and out again', async () => {
    const { email, password, id } = provider.pages.ada
    const asked = await tab.open(`${address}/`)
    expect(asked.url.origin).to.equal(provider.issuer)
    const shown = await tab.submit(asked, { email, password })
    expect(shown.url.href).to.equal(`${address}/`)
    const { issuer, userinfo, claims, idToken } = JSON.parse(shown.html) as SignedIn
    expect(issuer).to.equal(provider.issuer)
    expect([userinfo.id, claims.id]).to.deep.equal([id, id])
    expect(userinfo.emails).to.deep.equal([{ value: email }])
    expect(decodeJwt(idToken)).to.include({ acr: 'aal1', email_verified: false })

    const question = await tab.open(`${address}/logout`)
    expect(question.url.pathname).to.equal('/oauth2/end_session/confirm')
    const out = await tab.submit(question)
    expect([out.url.href, out.html]).to.deep.equal([`${address}/bye`, 'Bye.'])
    expect((await tab.open(`${address}/`)).url.pathname).to.equal('/account/sign-in')
  })
})

/** An application whose first page needs a person. Sessions of browsers are kept in memory. */
const shop = async (issuer: string, address: string, client: TestClient): Promise<express.Express> => {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`)
  const metadata = (await answer.json()) as Readonly<Record<string, string>>
  const strategy = new Strategy(
    {
      issuer: metadata.issuer,
      authorizationURL: metadata.authorization_endpoint,
      tokenURL: metadata.token_endpoint,
      userInfoURL: metadata.userinfo_endpoint,
      clientID: client.id,
      clientSecret: client.secret,
      callbackURL: `${address}/callback`,
      scope: 'email profile',
      nonce: true,
      maxAge: 300,
    },
    // It asks for userinfo only if `verify` takes all nine.
    (issuer, userinfo, claims, _context, idToken, _accessToken, _refreshToken, _answer, done) =>
      done(null, { issuer, userinfo, claims, idToken }),
  )
  const sessions = new Map<string, Session>()
  const app = express()
  app.use((request, response, next) => {
    const id = /shop=([^;]*)/.exec(request.headers.cookie ?? '')?.[1] ?? crypto.randomUUID()
    const session = sessions.get(id) ?? {}
    sessions.set(id, session)
    response.cookie('shop', id)
    Object.assign(request, { session })
    next()
  })
  app.get('/', (request, response, next) => {
    const { user } = sessionOf(request)
    if (user === undefined) authenticate(strategy, request, response, next)
    else response.json(user)
  })
  app.get('/callback', (request, response, next) => authenticate(strategy, request, response, next))
  app.get('/logout', (request, response) => {
    const session = sessionOf(request)
    const hint = new URLSearchParams({
      id_token_hint: session.user?.idToken ?? '',
      post_logout_redirect_uri: `${address}/bye`,
    })
    delete session.user
    response.redirect(`${metadata.end_session_endpoint}?${hint}`)
  })
  app.get('/bye', (_, response) => {
    response.send('Bye.')
  })
  return app
}

/** What Passport does with a strategy, whose outcomes are functions on a copy of it. */
const authenticate = (
  strategy: Strategy,
  request: express.Request,
  response: express.Response,
  next: express.NextFunction,
): void => {
  const asked = Object.create(strategy) as Strategy
  Object.assign(asked, {
    redirect: (to: string) => response.redirect(to),
    success: (user: SignedIn) => {
      sessionOf(request).user = user
      response.redirect('/')
    },
    fail: (challenge: unknown, status = 401) => response.status(status).json(challenge),
    error: next,
  })
  asked.authenticate(request)
}

const sessionOf = (request: express.Request): Session => (request as unknown as { session: Session }).session
