import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { map, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as oidc from 'openid-client'
import { jwtUserTokens } from '../../adapters/credentials/jwt/user-tokens.ts'
import { Dependency, memoryProtocolState, provide } from '../../adapters/index.ts'
import type { ProtocolState } from '../../application/ports/protocol-state.ts'
import type { BrowserDesk } from '../account-pages/browser-desk.ts'
import { capturedLog } from '../support/captured-log.ts'
import { type OpenIdService, startOpenId } from './openid-service.ts'
import { newBrowser, type RelyingParty, relyingParty } from './relying-party.ts'

const STATE = memoryProtocolState()
const JWTS = jwtUserTokens()

describe('a provider with a fault', () => {
  const { log, lines } = capturedLog()
  const state = { ...STATE }
  const jwts = { ...JWTS }
  let provider: OpenIdService
  let shop: RelyingParty
  let browser: BrowserDesk
  let seen = 0

  before(async () => {
    provider = await startOpenId(
      {},
      provide(Dependency.protocolState, () => some(state)),
      provide(Dependency.log, () => log),
      provide(Dependency.userJwts, () => jwts),
    )
    shop = await relyingParty(provider.issuer, await provider.client())
    browser = newBrowser(provider)
    await browser.signIn()
  })
  beforeEach(() => {
    Object.assign(state, STATE)
    seen = lines.length
  })
  after(() => provider.pages.stop())

  const code = async () => String((await browser.get(await shop.begin())).headers.location)
  const faults = () => lines.slice(seen).filter((line) => line.includes('a request failed unexpectedly'))

  const corrupt: ProtocolState['find'] = (kind, id) =>
    TE.map(map((entry: object) => ({ ...entry, content: '{' })))(STATE.find(kind, id)) as ReturnType<
      ProtocolState['find']
    >

  it('does not blame the client at authorize, and writes a log line', async () => {
    await code()
    Object.assign(state, { find: corrupt })
    expect((await browser.get(await shop.begin())).status).to.equal(500)
    expect(faults()).to.have.lengthOf(1)
  })

  it('does not blame the client at the token endpoint, and writes a log line', async () => {
    const callback = await code()
    Object.assign(state, { find: corrupt })
    const failure = await shop.complete(callback).catch((error: Error) => error)
    expect(failure).to.have.nested.property('cause.status', 500)
    expect(faults()).to.have.lengthOf(1)
  })

  it('asks for a later try while its state is unavailable, and the code then still works', async () => {
    const callback = await code()
    const fails = () => async () => left({ _tag: 'StoreUnavailable', reason: 'test' })
    for (const method of ['find', 'replace'] as const) {
      Object.assign(state, STATE, { [method]: fails })
      const failure = await shop.complete(callback).catch((error: Error) => error)
      expect(failure, method).to.have.nested.property('cause.status', 503)
    }
    Object.assign(state, STATE)
    expect((await shop.complete(callback)).claims()?.sub).to.equal(provider.pages.ada.id)
  })

  it('keeps a refresh token whose access token cannot be signed', async () => {
    const { refresh_token: token = '' } = await shop.complete(await code())
    Object.assign(jwts, { sign: () => async () => left({ _tag: 'KeyUnusable', reason: 'test' }) })
    const failure = await oidc.refreshTokenGrant(shop.config, token).catch((error: Error) => error)
    expect(failure).to.have.nested.property('cause.status', 503)
    Object.assign(jwts, JWTS)
    const renewed = await oidc.refreshTokenGrant(shop.config, token)
    expect(renewed.refresh_token).to.be.a('string').and.not.equal(token)
  })
})
