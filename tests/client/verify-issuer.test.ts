import { expect } from 'chai'
import type { VerifiedToken } from '../../adapters/client/client.ts'
import { ISSUER, type KeyServer, keyServer, METADATA } from './key-server.ts'
import { jwtClaims, pasetoClaims, type Signer, signer } from './signer.ts'
import { thrownBy } from './thrown-by.ts'

const INVALID: VerifiedToken = { ok: false, refusal: 'invalid_token' }
const ACTUAL = 'https://login.example.com'

describe('verify of a token with another issuer', () => {
  const key = signer()
  let server: KeyServer
  beforeEach(() => {
    server = keyServer(key)
  })
  const tokensOf = (one: Signer, more: object = {}, issuer = ACTUAL): ReadonlyArray<string> => [
    one.paseto({ ...pasetoClaims(issuer, server.time.now()), ...more }),
    one.jwt({ ...jwtClaims(issuer, server.time.now()), ...more }),
  ]
  const token = (): string => tokensOf(key)[1] ?? ''
  const verified = (one: string) => server.auth.verify(one)
  const questions = () => server.fetched.filter((path) => path === METADATA).length
  const actual = () => Response.json({ issuer: ACTUAL })

  it('throws WrongIssuer if the service calls itself otherwise than the program says', async () => {
    server.nextIssuers(actual)
    for (const one of tokensOf(key)) {
      const error = await thrownBy(verified(one))
      expect(error).to.be.instanceOf(Error).and.include({ name: 'WrongIssuer' })
      expect(error).to.have.property('message').that.includes(ACTUAL).and.includes(ISSUER)
    }
  })

  it('refuses it if the program is right: the PUBLIC_URL was another one', async () => {
    for (const one of tokensOf(key)) expect(await verified(one)).to.deep.equal(INVALID)
  })

  it('asks once for 50 concurrent calls, and again after 30 s', async () => {
    server.nextIssuers(actual)
    const all = await Promise.all(Array.from({ length: 50 }, () => thrownBy(verified(token()))))
    for (const error of all) expect(error).to.include({ name: 'WrongIssuer' })
    server.time.pass(29_999)
    await thrownBy(verified(token()))
    expect(questions()).to.equal(1)
    server.time.pass(1)
    expect(await verified(token())).to.deep.equal(INVALID)
    expect(questions()).to.equal(2)
  })

  it('asks nothing for a token that is forged, expired or incomplete', async () => {
    const forger = signer(key.kid)
    const past = { exp: 1, nbf: 'soon' }
    for (const one of [...tokensOf(forger), ...tokensOf(key, past), ...tokensOf(key, { sid: undefined })])
      expect(await verified(one)).to.deep.equal(INVALID)
    expect(questions()).to.equal(0)
  })

  for (const [name, answer] of [
    ['500', () => new Response('', { status: 500 })],
    ['404', () => new Response('', { status: 404 })],
    ['no issuer', () => Response.json({})],
    ['an issuer that is no text', () => Response.json({ issuer: null })],
    ['HTML', () => new Response('<h1>Proxy</h1>')],
  ] as const)
    it(`refuses it after ${name}: it is not acceptable, whatever the answer`, async () => {
      server.nextIssuers(answer)
      expect(await verified(token())).to.deep.equal(INVALID)
    })

  it('refuses it without an answer in time, and ends with the signal', async () => {
    server.nextIssuers(() => new Promise(() => {}))
    const late = verified(token())
    await server.time.waits(10_000)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const aborted = thrownBy(server.auth.verify(token(), { signal: AbortSignal.timeout(20) }))
    expect(await aborted).to.include({ name: 'TimeoutError' })
    server.time.pass(10_000)
    expect(await late).to.deep.equal(INVALID)
  })
})
