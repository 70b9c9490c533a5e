import { createHash } from 'node:crypto'
import { Agent, request } from 'node:http'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { Dependency, provide } from '../../adapters/index.ts'
import type { BrowserDesk } from '../account-pages/browser-desk.ts'
import { capturedLog } from '../support/captured-log.ts'
import { AUTHORIZATION, changed, type Fields, LOGOUT, TOKEN } from './fuzzed-requests.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newBrowser } from './relying-party.ts'

/** Marks in values of requests. None may be in a log line. */
const STATE = 'state-of-the-request'
const VERIFIER = 'verifier'.repeat(6)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

describe('a random request to the provider', () => {
  const agent = new Agent({ keepAlive: true })
  const { log, lines } = capturedLog()
  const secrets = new Set<string>()
  let provider: OpenIdService
  let shop: TestClient
  let app: TestClient
  let browser: BrowserDesk

  before(async () => {
    provider = await startOpenId(
      { THROTTLE_SIGN_INS_PER_MINUTE: '100000' },
      provide(Dependency.log, () => log),
    )
    shop = await provider.client('shop')
    app = await provider.client('app', { client: 'public' })
    browser = newBrowser(provider)
    await browser.signIn()
    for (const secret of [shop.secret, app.secret, provider.pages.ada.email, provider.pages.ada.password])
      secrets.add(secret)
  })
  after(async () => {
    agent.destroy()
    await provider.pages.stop()
  })

  type Answer = Readonly<{ status: number; location: string; text: string }>

  /** Unlike other clients, it sends the path and the headers as they are. */
  const send = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(provider.issuer)
      const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
        const parts: Array<Buffer> = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            location: `${response.headers.location ?? ''} ${response.headers.refresh ?? ''}`,
            text: Buffer.concat(parts).toString(),
          }),
        )
      })
      sent.on('error', reject)
      sent.end(body)
    })

  const cookies = () => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  const authorization = (client: TestClient): Fields => [
    ['client_id', client.id],
    ['redirect_uri', client.redirectUri],
    ['response_type', 'code'],
    ['scope', 'openid email'],
    ['state', STATE],
    ['nonce', `nonce-${STATE}`],
    ['code_challenge', CHALLENGE],
    ['code_challenge_method', 'S256'],
  ]

  const toText = (fields: Fields): string => {
    const all = new URLSearchParams()
    for (const [name, value] of fields) all.append(name, value)
    return `${all}`
  }

  const newCode = async (client: TestClient): Promise<string> => {
    const { location } = await send('GET', `/oauth2/authorize?${toText(authorization(client))}`, {
      cookie: cookies(),
    })
    const code = /[?&]code=([^&]*)/.exec(location)?.[1] ?? ''
    secrets.add(code)
    return code
  }

  const exchange = (client: TestClient, code: string): Fields => [
    ['grant_type', 'authorization_code'],
    ['code', code],
    ['redirect_uri', client.redirectUri],
    ['code_verifier', VERIFIER],
    ['client_id', client.id],
  ]

  const tokensOf = async (client: TestClient) => {
    const fields = exchange(client, await newCode(client))
    const { text } = await send('POST', '/oauth2/token', { 'content-type': FORM }, toText(fields))
    const tokens: Readonly<Record<string, string>> = JSON.parse(text)
    for (const name of ['access_token', 'refresh_token', 'id_token']) secrets.add(tokens[name] ?? '')
    return tokens
  }

  const verify = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ) => {
    const answer = await send(method, path, headers, body)
    const shown = `${method} ${path} ${body}: ${JSON.stringify(answer).slice(0, 2_000)}`
    expect(answer.status, shown).to.be.within(200, 499)
    expect(`${answer.location} ${answer.text}`, shown).not.to.match(
      /server_error|oops|node_modules|at [\w.]+ \(|TypeError|SyntaxError/,
    )
    return answer
  }

  it('never reaches a fault at authorize', async () => {
    await fc.assert(
      fc.asyncProperty(
        changed(AUTHORIZATION),
        fc.boolean(),
        fc.boolean(),
        async (change, isSignedIn, isPost) => {
          const query = change(authorization(shop))
          const headers = {
            ...(isSignedIn && { cookie: cookies() }),
            ...(isPost && { 'content-type': FORM }),
          }
          const { location } = isPost
            ? await verify('POST', '/oauth2/authorize', headers, query)
            : await verify('GET', `/oauth2/authorize?${inTarget(query)}`, headers)
          expect(location).to.match(HARMLESS)
        },
      ),
      { numRuns: 600 },
    )
  })

  it('never reaches a fault with a pushed request', async () => {
    await fc.assert(
      fc.asyncProperty(changed(AUTHORIZATION), async (change) => {
        const headers = { 'content-type': FORM }
        const { text } = await verify('POST', '/oauth2/par', headers, change(authorization(app)))
        const { request_uri: name = 'x' } = JSON.parse(text)
        const query = toText([
          ['client_id', app.id],
          ['request_uri', name],
        ])
        await verify('GET', `/oauth2/authorize?${query}`, { cookie: cookies() })
        await verify('GET', `/oauth2/authorize?${query}`, {})
      }),
      { numRuns: 200 },
    )
  })

  it('never reaches a fault at the token endpoint', async () => {
    await fc.assert(
      fc.asyncProperty(changed(TOKEN), fc.boolean(), async (change, isRefresh) => {
        const fields: Fields = isRefresh
          ? [
              ['grant_type', 'refresh_token'],
              ['refresh_token', (await tokensOf(app)).refresh_token ?? ''],
              ['client_id', app.id],
            ]
          : exchange(app, await newCode(app))
        await verify('POST', '/oauth2/token', { 'content-type': FORM }, change(fields))
      }),
      { numRuns: 200 },
    )
  })

  it('never reaches a fault at the logout', async () => {
    const { id_token: hint = '' } = await tokensOf(app)
    const fields: Fields = [
      ['id_token_hint', hint],
      ['client_id', app.id],
      ['post_logout_redirect_uri', app.logoutUri],
      ['state', STATE],
    ]
    await fc.assert(
      fc.asyncProperty(changed(LOGOUT), fc.boolean(), async (change, isSignedIn) => {
        const query = change(fields)
        const headers = isSignedIn ? { cookie: cookies() } : {}
        await verify('GET', `/oauth2/end_session?${inTarget(query)}`, {})
        await verify('POST', '/oauth2/end_session', { 'content-type': FORM }, query)
        const { location } = await verify('GET', `/oauth2/end_session/confirm?${inTarget(query)}`, headers)
        expect(location).to.match(HARMLESS)
      }),
      { numRuns: 200 },
    )
  })

  it('leaves no secret and nothing about the person in the log', () => {
    expect(lines.length).to.be.greaterThan(1_000)
    const all = lines.join('\n')
    for (const secret of [...secrets, STATE, VERIFIER, CHALLENGE])
      if (secret !== '') expect(all).not.to.include(secret)
    expect(all).not.to.match(/"level":(?:50|60)/)
  })
})

const FORM = 'application/x-www-form-urlencoded'

/** A redirect leads to a client, or to a page of ours, in printable ASCII. */
const HARMLESS =
  /^(?:(?:https:\/\/(?:shop|app)\.example\.com\/(?:callback|bye)[?#]?|\/account\/|\/oauth2\/)[!-~]*)? $/

/** Node refuses other characters in a request target before they are sent. */
const inTarget = (query: string): string =>
  Buffer.from(query)
    .toString('latin1')
    .replace(/[^!-~\x80-\xff]/g, '')
