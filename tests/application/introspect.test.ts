import { expect } from 'chai'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import type { KeyPurpose, SigningKey } from '../../domain/signing-key.ts'
import type { ApplicationTokenClaims, UserTokenClaims } from '../../domain/token.ts'
import { fail, succeed } from '../support/outcome.ts'
import { aKey } from '../testkit/builders.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const NOW_SECONDS = Date.parse('2026-03-01T12:00:00Z') / 1000

describe('introspect, given Ada, who is signed in, and a shop', () => {
  let world: World
  let keys: Awaited<ReturnType<World['keyring']>>
  let session: { token: string; claims: UserTokenClaims }
  let shop: { token: string; claims: ApplicationTokenClaims }
  beforeEach(async () => {
    world = await newWorld()
    keys = await world.keyring()
    const { token } = await world.signIn()
    session = { token, claims: await succeed(pasetoUserTokens().verify(token, keys.user.verifying)) }
    const issued = await succeed(world.service.issueApplicationToken(CONTEXT, world.shop))
    const { verifying } = keys.application
    shop = { ...issued, claims: await succeed(jwtApplicationTokens().verify(issued.token, verifying)) }
  })

  /** A token like the service's, with some other claims or another key. */
  const userToken = (
    claims: Partial<Pick<UserTokenClaims, 'iss' | 'sub' | 'sid' | 'iat' | 'exp'>>,
    key: SigningKey = keys.user.signing,
  ) => succeed(pasetoUserTokens().sign({ ...session.claims, ...claims }, key))
  const shopToken = (claims: Partial<ApplicationTokenClaims>, key: SigningKey = keys.application.signing) =>
    succeed(jwtApplicationTokens().sign({ ...shop.claims, ...claims }, key))

  const introspect = (token: string) => succeed(world.service.introspect(token))

  it('when it gets her token, then the answer has its claims and her e-mail as registered', async () => {
    expect(await introspect(session.token)).to.deep.equal({
      active: true,
      token_type: 'Bearer',
      kind: 'user',
      iss: 'http://service.test',
      sub: world.ada.id,
      sid: session.claims.sid,
      iat: NOW_SECONDS,
      exp: NOW_SECONDS + 43_200,
      jti: session.claims.jti,
      auth_time: NOW_SECONDS,
      acr: 'aal1',
      amr: ['pwd'],
      client_id: world.shop.application.id,
      username: 'Ada@Example.com',
    })
  })

  it("when it gets the shop's token, then the answer has its claims and scopes", async () => {
    const { id } = world.shop.application
    expect(await introspect(shop.token)).to.deep.equal({
      active: true,
      token_type: 'Bearer',
      kind: 'application',
      iss: 'http://service.test',
      sub: id,
      client_id: id,
      aud: 'http://service.test',
      iat: NOW_SECONDS,
      exp: NOW_SECONDS + 3_600,
      jti: shop.claims.jti,
      scope: 'users:sign_in users:register',
    })
  })

  it('when a token has fewer scopes than its application, then the answer has those of the token', async () => {
    const narrow = await introspect(await shopToken({ scope: 'users:register' }))
    expect(narrow).to.include({ active: true, scope: 'users:register' })
  })

  it('when the shop loses and gets scopes, then its earlier tokens follow at once, within what they were issued for', async () => {
    const { service } = world
    const { id } = world.shop.application
    const SIGN_IN = 'users:sign_in'
    for (const [scope, left, may] of [
      [SIGN_IN, SIGN_IN, [true, false]],
      ['users:register users:read', 'users:register', [false, true]],
      ['users:read', '', [false, false]],
      ['users:sign_in users:register users:read', 'users:sign_in users:register', [true, true]],
    ] as const) {
      await succeed(service.setApplication(CONTEXT, id, { scope }))
      expect(await introspect(shop.token)).to.include({ active: true, scope: left })
      const outcomes = [
        (await service.authenticate(CONTEXT, 'signIn', shop.token)())._tag,
        (await service.authenticate(CONTEXT, 'registerUser', shop.token)())._tag,
      ]
      expect(outcomes.map((tag) => tag === 'Right')).to.deep.equal(may)
      expect(await introspect(session.token), 'sessions stay').to.include({ active: true })
    }
  })

  const changePassword = async (): Promise<void> => {
    const { caller } = await world.signIn()
    const request = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(world.service.changePassword(CONTEXT, caller, request))
  }
  const rotateAtOnce = async (purpose: KeyPurpose): Promise<void> => {
    await succeed(world.service.rotateKeys(CONTEXT, { purposes: [purpose], atOnce: true }))
    world.clock.passSeconds(1)
  }
  const foreignKey = async (purpose: KeyPurpose): Promise<SigningKey> => {
    const format = purpose === 'user' ? pasetoUserTokens() : jwtApplicationTokens()
    return aKey({ purpose, ...(await format.createKey()) })
  }

  const signOut = async (): Promise<void> => {
    const caller = await succeed(world.service.authenticate(CONTEXT, 'signOut', session.token))
    await succeed(world.service.signOut(CONTEXT, caller))
  }

  const isInactive = async (token: string): Promise<void> => {
    expect(await introspect(token)).to.deep.equal({ active: false })
    for (const operation of ['getProfile', 'signIn'] as const) {
      const failure = await fail(world.service.authenticate(CONTEXT, operation, token))
      expect(failure, 'the same result').to.deep.equal({ _tag: 'InvalidToken' })
    }
  }

  const NEVER_GOOD: ReadonlyArray<readonly [what: string, token: () => Promise<string>]> = [
    ['a text that is not a token', async () => 'nonsense'],
    ['her token with a trailing space', async () => `${session.token} `],
    ["the shop's token with a line feed behind it", async () => `${shop.token}\n`],
    ['her token under an unknown key', async () => userToken({}, await foreignKey('user'))],
    [
      "the shop's token under a key we do not have",
      async () => shopToken({}, await foreignKey('application')),
    ],
    ['her token of another issuer', () => userToken({ iss: 'http://other.test' })],
    ["the shop's token of another issuer", () => shopToken({ iss: 'http://other.test' })],
    ["the shop's token for another audience", () => shopToken({ aud: 'http://other.test' })],
    ['her expired token', () => userToken({ exp: NOW_SECONDS - 5 })],
    ["the shop's token after its end", () => shopToken({ exp: NOW_SECONDS - 5 })],
    ['a token for an unknown session', () => userToken({ sid: 'no session' })],
    ['a token of her session for another user', () => userToken({ sub: 'eve' })],
    ['a token of a removed application', () => shopToken({ sub: 'gone', client_id: 'gone' })],
    ['a token with a scope that does not exist', () => shopToken({ scope: 'users:delete' })],
    ['a token with a scope of a space', () => shopToken({ scope: ' ' })],
  ]
  for (const [what, make] of NEVER_GOOD) {
    it(`when it gets ${what}, then it is inactive, and the answer contains nothing else`, async () => {
      await isInactive(await make())
    })
  }

  const ENDED: ReadonlyArray<readonly [kind: KeyPurpose, why: string, end: () => Promise<unknown>]> = [
    ['user', 'she has signed out', signOut],
    ['user', 'she has changed her password elsewhere', changePassword],
    ['user', 'its key has leaked', () => rotateAtOnce('user')],
    [
      'application',
      'the shop is revoked',
      () => succeed(world.service.revokeApplication(CONTEXT, world.shop.application.id)),
    ],
    ['application', 'its key has leaked', () => rotateAtOnce('application')],
  ]
  for (const [kind, why, end] of ENDED) {
    it(`when ${why}, then the ${kind} token is inactive, and the answer contains nothing else`, async () => {
      const { token } = kind === 'user' ? session : shop
      expect(await introspect(token), 'before').to.include({ active: true })
      await end()
      await isInactive(token)
    })
  }

  for (const [whose, of, lives] of [
    ['her', () => session, 43_200],
    ["the shop's", () => shop, 3_600],
  ] as const) {
    it(`when ${whose} token expires, then it stays active for 5 s`, async () => {
      world.clock.passSeconds(lives + 4.999)
      expect(await introspect(of().token)).to.include({ active: true })
      world.clock.passSeconds(0.001)
      expect(await introspect(of().token)).to.deep.equal({ active: false })
    })
  }

  it('when she changed her password with it, then her token is still active', async () => {
    const { token, caller } = await world.signIn()
    const request = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(world.service.changePassword(CONTEXT, caller, request))
    expect(await introspect(token)).to.include({ active: true })
  })

  it('when it gets valid and invalid tokens, then nothing is logged', async () => {
    const before = await world.settledEvents()
    for (const token of [session.token, shop.token, 'nonsense', await userToken({ exp: 0 })]) {
      await introspect(token)
    }
    expect(await world.settledEvents()).to.deep.equal(before)
  })
})
