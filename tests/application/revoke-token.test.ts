import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import type { ApplicationTokenClaims, UserTokenClaims } from '../../domain/token.ts'
import { fail, succeed } from '../support/outcome.ts'
import { aKey } from '../testkit/builders.ts'
import { recordsOf } from './records.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('revokeToken, given that the shop signed Ada in, and another application', () => {
  let world: World
  let session: { token: string; id: string }
  let shopToken: string
  let shopClaims: ApplicationTokenClaims
  let other: { id: string; token: string }
  beforeEach(async () => {
    world = await newWorld()
    const { token, caller } = await world.signIn()
    session = { token, id: caller.session.id }
    shopToken = await issue(world.shop)
    const { verifying } = (await world.keyring()).application
    shopClaims = await succeed(jwtApplicationTokens().verify(shopToken, verifying))
    const made = await succeed(
      world.service.registerApplication(CONTEXT, { name: 'other', scope: 'users:sign_in' }),
    )
    other = { id: made.application.id, token: await issue(made) }
  })

  const issue = async (keys: { publicApiKey: string; privateApiKey: string }) =>
    (await succeed(world.service.issueApplicationToken(CONTEXT, keys))).token
  const shopId = () => world.shop.application.id
  const revoke = (applicationId: string, token: string) =>
    succeed(world.service.revokeToken(CONTEXT, applicationId, token))
  const isGood = async (token: string): Promise<boolean> =>
    (await succeed(world.service.introspect(token))).active
  const last = async () => {
    const { id, position, at, ...noted } = (await world.events()).at(-1) ?? { id: '', position: 0, at: '' }
    return noted
  }

  it("when the shop revokes Ada's token, then her session has ended, and it is noted that the shop did it", async () => {
    await revoke(shopId(), session.token)
    expect(await isGood(session.token)).to.equal(false)
    expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', session.token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
    const found = await succeed(world.store.findSession(session.id))
    expect(isSome(found) && found.value.session).to.include({ signedOut: true, version: 2 })
    expect(await last()).to.deep.equal({
      type: 'UserSignedOut',
      version: 1,
      subject: { kind: 'user', id: world.ada.id },
      actor: { kind: 'application', id: shopId() },
      request_id: 'request-1',
      data: { session_id: session.id },
    })
  })

  it("when the shop revokes Ada's token, then another session of hers stays alive", async () => {
    const { token } = await world.signIn()
    await revoke(shopId(), session.token)
    expect(await isGood(token)).to.equal(true)
  })

  it('when the shop revokes a token of its own, then it is invalid everywhere, and it is noted', async () => {
    await revoke(shopId(), shopToken)
    expect(await isGood(shopToken)).to.equal(false)
    for (const operation of ['signIn', 'registerUser', 'getProfile'] as const)
      expect(await fail(world.service.authenticate(CONTEXT, operation, shopToken))).to.deep.equal({
        _tag: 'InvalidToken',
      })
    expect(await last()).to.deep.equal({
      type: 'ApplicationTokenRevoked',
      version: 1,
      subject: { kind: 'application', id: shopId() },
      actor: { kind: 'application', id: shopId() },
      request_id: 'request-1',
      data: { token_id: shopClaims.jti },
    })
    expect((await recordsOf(world.store)).revoked_tokens).to.deep.equal([
      { id: shopClaims.jti, applicationId: shopId(), expiresAtSeconds: shopClaims.exp, version: 1 },
    ])
  })

  it('when the shop revokes a token of its own, then its other tokens are valid, and it gets new ones', async () => {
    const another = await issue(world.shop)
    await revoke(shopId(), shopToken)
    expect(await isGood(another)).to.equal(true)
    expect(await isGood(await issue(world.shop))).to.equal(true)
    expect(await isGood(other.token)).to.equal(true)
  })

  const claimsOfAda = async (): Promise<UserTokenClaims> =>
    succeed(pasetoUserTokens().verify(session.token, (await world.keyring()).user.verifying))
  const signed = async (claims: Partial<Pick<UserTokenClaims, 'iss' | 'sub' | 'sid' | 'iat' | 'exp'>>) =>
    succeed(
      pasetoUserTokens().sign({ ...(await claimsOfAda()), ...claims }, (await world.keyring()).user.signing),
    )
  const signedForShop = async (claims: Partial<ApplicationTokenClaims>) =>
    succeed(
      jwtApplicationTokens().sign({ ...shopClaims, ...claims }, (await world.keyring()).application.signing),
    )
  const forged = async () => {
    const format = jwtApplicationTokens()
    return succeed(format.sign(shopClaims, aKey({ purpose: 'application', ...(await format.createKey()) })))
  }

  /** The token, and the application that revokes it. */
  const NOTHING_TO_DO: ReadonlyArray<
    readonly [what: string, show: () => Promise<readonly [applicationId: string, token: string]>]
  > = [
    ['a text that is not a token', async () => [shopId(), 'nonsense']],
    ['a token under an unknown key', async () => [shopId(), await forged()]],
    ["another application's token", async () => [shopId(), other.token]],
    ["Ada's token, by another application", async () => [other.id, session.token]],
    ["the shop's token, by another application", async () => [other.id, shopToken]],
    ["Ada's token, without an application", async () => ['', session.token]],
    [
      "Ada's token whose session has expired",
      async () => {
        world.clock.passSeconds(43_205)
        return [shopId(), session.token]
      },
    ],
    [
      "Ada's token that has expired, by another application",
      async () => [other.id, await signed({ iat: 1, exp: 2 })],
    ],
    ["the shop's token that has expired", async () => [shopId(), await signedForShop({ iat: 1, exp: 2 })]],
    ['a token of another issuer', async () => [shopId(), await signedForShop({ iss: 'http://other.test' })]],
    [
      "Ada's token that was revoked already",
      async () => {
        await revoke(shopId(), session.token)
        return [shopId(), session.token]
      },
    ],
    [
      "Ada's token after she has signed out",
      async () => {
        const caller = await succeed(world.service.authenticate(CONTEXT, 'signOut', session.token))
        await succeed(world.service.signOut(CONTEXT, caller))
        return [shopId(), session.token]
      },
    ],
    [
      "the shop's token after the shop was revoked",
      async () => {
        await succeed(world.service.revokeApplication(CONTEXT, shopId()))
        return [shopId(), shopToken]
      },
    ],
  ]
  for (const [what, show] of NOTHING_TO_DO) {
    it(`when it gets ${what}, then it succeeds and changes nothing`, async () => {
      const shown = await show()
      await world.background.settle()
      const before = [await recordsOf(world.store), await world.events()]
      await revoke(...shown)
      await world.background.settle()
      expect([await recordsOf(world.store), await world.events()]).to.deep.equal(before)
    })
  }

  for (const which of ['user', 'application'] as const) {
    it(`when 50 revoke one token of an ${which} concurrently, then all succeed, and one event is logged`, async () => {
      const token = which === 'user' ? session.token : shopToken
      const { findSession, findTokenHolder } = world.store
      const all = afterAll(50)
      Object.assign(world.store, {
        findSession: (id: string) => all(findSession(id)),
        findTokenHolder: (id: string, tokenId: string) => all(findTokenHolder(id, tokenId)),
      })
      await Promise.all(Array.from({ length: 50 }, () => revoke(shopId(), token)))
      expect(await isGood(token)).to.equal(false)
      const types = (await world.events()).map(({ type }) => type)
      const noted = types.filter((type) => type === 'UserSignedOut' || type === 'ApplicationTokenRevoked')
      expect(noted).to.have.lengthOf(1)
    })
  }

  it('when a password change races it, then the session has ended in either order', async () => {
    const caller = await succeed(world.service.authenticate(CONTEXT, 'changePassword', session.token))
    const change = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await Promise.all([
      world.service.changePassword(CONTEXT, caller, change)(),
      revoke(shopId(), session.token),
    ])
    expect(await isGood(session.token)).to.equal(false)
  })

  it('when it gets many malformed tokens, then no client is throttled', async () => {
    const call = { ...CONTEXT, address: () => '192.0.2.1' }
    for (let guess = 0; guess < 400; guess += 1)
      await succeed(world.service.revokeToken(call, shopId(), `guess ${guess}`))
    expect(await fail(world.service.authenticate(call, 'getProfile', 'guess'))).to.deep.equal({
      _tag: 'InvalidToken',
    })
  })

  it('when the token is about to expire, then it can still be revoked', async () => {
    world.clock.passSeconds(3_600 + 4)
    await revoke(shopId(), shopToken)
    expect((await recordsOf(world.store)).revoked_tokens).to.have.lengthOf(1)
    expect(await isGood(shopToken)).to.equal(false)
  })
})

/** Holds the first responses back until this many calls have read. Later calls do not wait. */
const afterAll = (count: number) => {
  let missing = count
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return <A>(read: Task<A>): Task<A> =>
    async () => {
      const found = await read()
      missing -= 1
      if (missing === 0) open()
      await opened
      return found
    }
}
