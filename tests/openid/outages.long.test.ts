import { expect } from 'chai'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { eventsOf } from '../support/events.ts'
import type { Answer } from '../support/http-client.ts'
import { onSqlite } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { answerLost, away, type Failing, type Fault, faults, requestLost } from './faults.ts'
import type { TestClient } from './openid-service.ts'
import { renewed, type SignedIn, signedInWith } from './signed-in.ts'
import {
  authorization,
  callbackOf,
  codeWith,
  exchange,
  refresh,
  revoke,
  startTwoProviders,
  statusAt,
  type TwoProviders,
} from './two-providers.ts'

onSqlite('an OpenID provider whose store fails', (stores) => {
  const { front, module, next, left, mend } = faults()
  let providers: TwoProviders
  let client: TestClient
  let signedIn: SignedIn

  before(async () => {
    providers = await startTwoProviders(stores, {
      front,
      environment: { USER_TOKEN_TTL: '600', SESSION_IDLE_TTL: '1800', SESSION_TTL: '43200' },
      modules: [module],
    })
    client = await providers.newClient('shop')
  })
  beforeEach(async () => {
    signedIn = await signedInWith(providers, await providers.newPerson(), client)
  })
  afterEach(async () => {
    mend()
    const { store, time } = providers
    const { disagreements } = await succeed(checkLog({ store, clock: () => time.now, digests: nodeDigests }))
    expect(disagreements).to.deep.equal([])
  })
  after(() => providers.stop())

  /** So that the keys are read again, and a refresh renews the session. */
  const passTime = () => providers.passSeconds(1_000)

  const expect503 = ({ status, headers, body }: Answer, outcome = 'none') => {
    expect([status, body.outcome, body.error]).to.deep.equal([503, outcome, 'temporarily_unavailable'])
    expect(Number(headers['retry-after'])).to.be.greaterThan(0)
  }

  const REQUESTS: Readonly<Record<string, () => Promise<Answer>>> = {
    'an exchange of a code': () => exchange(providers.one, client, signedIn.codes[0]),
    'a refresh': () => refresh(providers.other, client, signedIn.refresh),
  }

  const FAILING: ReadonlyArray<readonly [what: string, name: Failing, of?: string]> = [
    ['its client', 'findApplication'],
    ['its keys', 'listSigningKeys'],
    ['the token', 'find'],
    ['its session', 'findSession'],
    ['the renewal of its session', 'commit', 'a refresh'],
    ['the next refresh token', 'replace'],
  ]
  for (const [request, send] of Object.entries(REQUESTS)) {
    for (const [what, name, of = request] of FAILING)
      if (of === request)
        it(`answers 503 to ${request} without ${what}, and the same request succeeds afterwards`, async () => {
          passTime()
          next(name, away)
          expect503(await send())
          expect(left()).to.deep.equal([])
          const { status, body } = await send()
          expect(status, JSON.stringify(body)).to.equal(200)
          expect(await statusAt(providers.one, '/oauth2/userinfo', body.access_token)).to.equal(200)
        })

    it(`reads no keys after ${request} has written, so that a client never loses both tokens`, async () => {
      next('replace', async (run) => {
        const replaced = await run()
        passTime()
        next('listSigningKeys', away)
        return replaced
      })
      const { status, body } = await send()
      expect(status, JSON.stringify(body)).to.equal(200)
      expect(left()).to.deep.equal(['listSigningKeys'])
    })

    for (const [what, ...some] of [
      ['the answer to a write', answerLost],
      ['a write', requestLost],
      ['two answers to a write', answerLost, answerLost],
    ] as ReadonlyArray<readonly [string, ...ReadonlyArray<Fault>]>)
      it(`answers ${request} although the store has lost ${what}`, async () => {
        next('replace', ...some)
        const { status, body } = await send()
        expect(status, JSON.stringify(body)).to.equal(200)
        expect(left()).to.deep.equal([])
        expect((await refresh(providers.one, client, body.refresh_token)).status).to.equal(200)
      })

    it(`says that the outcome of ${request} is unknown if the store never answers the write`, async () => {
      next('replace', requestLost, requestLost, requestLost)
      expect503(await send(), 'unknown')
      expect((await send()).status).to.equal(200)
    })
  }

  it('answers 503 to userinfo and a revocation without its entries, and nothing ends', async () => {
    next('find', away)
    expect(await statusAt(providers.one, '/oauth2/userinfo', signedIn.access)).to.equal(503)
    next('find', away)
    expect503(await revoke(providers.one, client, signedIn.refresh))
    expect(await renewed(providers.other, signedIn)).to.equal(true)
  })

  for (const [what, name] of [
    ['its client', 'findApplication'],
    ['the session of the pages', 'findSession'],
    ['a session of the client', 'commit'],
    ['the scopes', 'put'],
  ] as const)
    it(`shows a page with 503 for an authorization without ${what}, and opens one session afterwards`, async () => {
      const blog = await providers.newClient('blog')
      const { browser } = signedIn
      const opened = async () => (await eventsOf(providers.store, 'UserSignedIn')).length
      const before = await opened()
      next(name, away)
      const shown = await browser.get(authorization(blog, { prompt: 'none' }))
      expect([shown.status, shown.headers.location]).to.deep.equal([503, undefined])
      expect(Number(shown.headers['retry-after'])).to.be.greaterThan(0)
      expect(shown.html).to.include('<h1')
      expect(left()).to.deep.equal([])
      const { status } = await exchange(providers.other, blog, await codeWith(browser, blog))
      expect([status, (await opened()) - before]).to.deep.equal([200, 1])
    })

  it('shows a page with 503 for an authorization if the code is not kept', async () => {
    const { browser } = signedIn
    next('put', (run) => run(), away)
    expect((await browser.get(authorization(client))).status).to.equal(503)
    expect(callbackOf(await browser.get(authorization(client))).get('code')).to.be.a('string')
  })
})
