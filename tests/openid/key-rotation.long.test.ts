import { expect } from 'chai'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { onEverySharedStore } from '../support/every-store.ts'
import type { Answer } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import type { TestClient } from './openid-service.ts'
import { renewed, type SignedIn, signedInWith } from './signed-in.ts'
import {
  authorization,
  callbackOf,
  exchange,
  type Instance,
  refresh,
  startTwoProviders,
  statusAt,
  type TwoProviders,
} from './two-providers.ts'

/** The two tokens of a client, and where their keys are published. */
const TOKENS = {
  id_token: '/.well-known/openid-jwks.json',
  access_token: '/.well-known/user-jwks.json',
} as const
type Kind = keyof typeof TOKENS
const KINDS = Object.keys(TOKENS) as ReadonlyArray<Kind>

onEverySharedStore('two OpenID providers whose keys are rotated', (stores) => {
  let providers: TwoProviders
  let client: TestClient
  let signedIn: SignedIn

  beforeEach(async () => {
    providers = await startTwoProviders(stores)
    client = await providers.newClient('shop')
    signedIn = await signedInWith(providers, await providers.newPerson(), client)
  })
  afterEach(() => providers.stop())

  /** Rotates at the other instance. This one reads its keys once a second. */
  const rotate = async (atOnce: boolean) => {
    const purposes = ['id_token', 'user_jwt'] as const
    await succeed(providers.other.service.rotateKeys(CONTEXT, { purposes, atOnce }))
    providers.passSeconds(2)
  }
  const kidOf = (token: string) => decodeProtectedHeader(token).kid
  const isVerified = async ({ send }: Instance, kind: Kind, token: string): Promise<boolean> => {
    const { body } = await send({ method: 'GET', path: TOKENS[kind] })
    const currentDate = kind === 'id_token' ? new Date() : new Date(providers.time.now)
    return jwtVerify(token, createLocalJWKSet(body), { currentDate }).then(
      () => true,
      () => false,
    )
  }
  const expectVerified = async (tokens: Readonly<Record<Kind, string>>, expected: boolean) => {
    for (const at of providers.both)
      for (const kind of KINDS) expect(await isVerified(at, kind, tokens[kind]), kind).to.equal(expected)
  }
  const tokensOf = ({ status, body }: Answer): Readonly<Record<Kind | 'refresh_token', string>> => {
    expect(status, JSON.stringify(body)).to.equal(200)
    return body
  }

  it('exchange a code from before, and sign with the new keys once every relying party knows them', async () => {
    const before = { id_token: signedIn.idToken, access_token: signedIn.access }
    await rotate(false)
    const during = tokensOf(await exchange(providers.one, client, signedIn.codes[0]))
    for (const kind of KINDS) expect(kidOf(during[kind])).to.equal(kidOf(before[kind]))
    providers.passSeconds(600)
    const after = tokensOf(await refresh(providers.other, client, during.refresh_token))
    for (const kind of KINDS) expect(kidOf(after[kind])).to.not.equal(kidOf(before[kind]))
    for (const tokens of [before, during, after]) {
      await expectVerified(tokens, true)
      for (const at of providers.both)
        expect(await statusAt(at, '/oauth2/userinfo', tokens.access_token)).to.equal(200)
    }
  })

  it('refuse what leaked keys have signed, and codes and refresh tokens go on with the new keys', async () => {
    const before = { id_token: signedIn.idToken, access_token: signedIn.access }
    await rotate(true)
    await expectVerified(before, false)
    for (const at of providers.both)
      expect(await statusAt(at, '/api/v1/profile', before.access_token)).to.equal(401)
    await expectVerified(tokensOf(await exchange(providers.one, client, signedIn.codes[0])), true)
    expect(await renewed(providers.other, signedIn)).to.equal(true)
    for (const at of providers.both)
      expect(await statusAt(at, '/api/v1/profile', signedIn.access)).to.equal(200)
  })

  it('take an ID token from before as a hint', async () => {
    await rotate(false)
    providers.passSeconds(600)
    const hinted = authorization(client, { prompt: 'none', id_token_hint: signedIn.idToken })
    for (const at of providers.both) {
      const answer = callbackOf(await signedIn.browser.turnTo(at).get(hinted))
      expect([answer.get('error'), answer.get('code') === null]).to.deep.equal([null, false])
    }
  })
})
