import { expect } from 'chai'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { ApplicationTokenClaims, UserTokenClaims } from '../../domain/token.ts'
import { fail, succeed } from '../support/outcome.ts'
import { aKey } from '../testkit/builders.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const DEAD = { _tag: 'InvalidToken' }

describe('authenticate, given Ada, who is signed in, and a shop', () => {
  let world: World
  let session: { token: string; claims: UserTokenClaims }
  let shop: { token: string; claims: ApplicationTokenClaims }
  let keys: Awaited<ReturnType<World['keyring']>>
  beforeEach(async () => {
    world = await newWorld()
    keys = await world.keyring()
    const user = await world.signIn()
    session = {
      token: user.token,
      claims: await succeed(pasetoUserTokens().verify(user.token, keys.user.verifying)),
    }
    const { token } = await succeed(world.service.issueApplicationToken(CONTEXT, world.shop))
    shop = { token, claims: await succeed(jwtApplicationTokens().verify(token, keys.application.verifying)) }
  })

  /** A token like the service's, with some other claims or another key. */
  const userToken = (
    claims: Partial<Pick<UserTokenClaims, 'iss' | 'sub' | 'sid' | 'iat' | 'exp'>> = {},
    key: SigningKey = keys.user.signing,
  ) => succeed(pasetoUserTokens().sign({ ...session.claims, ...claims }, key))
  const applicationToken = (
    claims: Partial<ApplicationTokenClaims> = {},
    key: SigningKey = keys.application.signing,
  ) => succeed(jwtApplicationTokens().sign({ ...shop.claims, ...claims }, key))

  const getProfile = (token: string) => world.service.authenticate(CONTEXT, 'getProfile', token)
  const signIn = (token: string) => world.service.authenticate(CONTEXT, 'signIn', token)

  it('when her token comes, then the caller is Ada with her session', async () => {
    const caller = await succeed(getProfile(await userToken()))
    expect(caller.kind).to.equal('user')
    expect(caller.user.id).to.equal(world.ada.id)
    expect(caller.session.id).to.equal(session.claims.sid)
  })

  it("when the shop's token comes, then the caller is the shop with the scope of the token", async () => {
    const caller = await succeed(signIn(await applicationToken({ scope: 'users:sign_in' })))
    expect(caller.application.id).to.equal(world.shop.application.id)
    expect(caller.scope).to.deep.equal(['users:sign_in'])
  })

  for (const garbage of [
    '',
    ' ',
    '.',
    '..',
    '...',
    'Bearer',
    'v4.public.',
    'v4.public.x.y',
    'a.b.c',
    '\0',
    'é'.repeat(9),
  ]) {
    it(`when ${JSON.stringify(garbage)} comes, then it is an invalid token`, async () => {
      expect(await fail(getProfile(garbage))).to.deep.equal(DEAD)
      expect(await fail(signIn(garbage))).to.deep.equal(DEAD)
    })
  }

  const FORGED: ReadonlyArray<readonly [name: string, token: () => Promise<string>]> = [
    ['her token of another issuer', () => userToken({ iss: 'http://other.test' })],
    ['her token from the future', () => userToken({ iat: session.claims.iat + 6 })],
    ['a token for an unknown session', () => userToken({ sid: 'no session' })],
    ['a token of her session for another user', () => userToken({ sub: 'eve' })],
    ["the shop's token of another issuer", () => applicationToken({ iss: 'http://other.test' })],
    ["the shop's token for another audience", () => applicationToken({ aud: 'http://other.test' })],
    ["the shop's token from the future", () => applicationToken({ iat: shop.claims.iat + 6 })],
    ['a token of a removed application', () => applicationToken({ sub: 'gone', client_id: 'gone' })],
    ['a token with a scope that does not exist', () => applicationToken({ scope: 'users:delete' })],
    ['a token with a scope of a space', () => applicationToken({ scope: ' ' })],
    ['her token under an unknown key', async () => userToken({}, await foreignKey('user'))],
    [
      "the shop's token under a key we do not have",
      async () => applicationToken({}, await foreignKey('application')),
    ],
  ]
  for (const [name, token] of FORGED) {
    it(`when ${name} comes, then it is an invalid token, for any operation`, async () => {
      const forged = await token()
      for (const operation of [
        'signIn',
        'registerUser',
        'signOut',
        'getProfile',
        'changePassword',
      ] as const) {
        expect(await fail(world.service.authenticate(CONTEXT, operation, forged))).to.deep.equal(DEAD)
      }
    })
  }

  const lives = { user: 43_200, application: 3_600 }
  for (const kind of ['user', 'application'] as const) {
    const check = (): Promise<string> => {
      const token = kind === 'user' ? session.token : shop.token
      const asked: Promise<{ _tag: string }> = kind === 'user' ? getProfile(token)() : signIn(token)()
      return asked.then(({ _tag }) => _tag)
    }

    it(`when the ${kind} token expires, then it stays valid for 5 s`, async () => {
      world.clock.passSeconds(lives[kind])
      expect(await check()).to.equal('Right')
      world.clock.passSeconds(4.999)
      expect(await check()).to.equal('Right')
      world.clock.passSeconds(0.001)
      expect(await check()).to.equal('Left')
    })

    it(`when the clock goes back before the issue of a ${kind} token, then 5 s are tolerated`, async () => {
      world.clock.passSeconds(-5)
      expect(await check()).to.equal('Right')
      world.clock.passSeconds(-0.001)
      expect(await check()).to.equal('Left')
    })
  }

  it('when her session has ended, then her token is invalid, cached or not', async () => {
    const caller = await succeed(world.service.authenticate(CONTEXT, 'signOut', session.token))
    await succeed(world.service.signOut(CONTEXT, caller))
    expect(await fail(getProfile(session.token))).to.deep.equal(DEAD)
  })

  it('when a token is of the wrong kind, then it is refused for this operation', async () => {
    for (const operation of ['signOut', 'getProfile', 'changePassword'] as const) {
      expect(await fail(world.service.authenticate(CONTEXT, operation, shop.token))).to.deep.equal({
        _tag: 'InsufficientScope',
        required: { kind: 'user' },
      })
    }
    expect(await fail(signIn(session.token))).to.deep.equal({
      _tag: 'InsufficientScope',
      required: { kind: 'application', scope: 'users:sign_in' },
    })
  })

  it("when the shop's token lacks the scope, then it is refused for this operation", async () => {
    expect(await fail(signIn(await applicationToken({ scope: 'users:register' })))).to.deep.equal({
      _tag: 'InsufficientScope',
      required: { kind: 'application', scope: 'users:sign_in' },
    })
  })

  it('when a token of the wrong kind has expired, then it is an invalid token', async () => {
    world.clock.passSeconds(lives.application + 5)
    expect(await fail(getProfile(shop.token))).to.deep.equal(DEAD)
  })
})

const foreignKey = async (purpose: 'application' | 'user'): Promise<SigningKey> => {
  const format = purpose === 'user' ? pasetoUserTokens() : jwtApplicationTokens()
  return aKey({ purpose, ...(await format.createKey()) })
}
