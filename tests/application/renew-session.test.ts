import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import type { NewApplication } from '../../application/applications/register-application.ts'
import { fail, succeed } from '../support/outcome.ts'
import { claimsOf } from '../support/token-claims.ts'
import { CONTEXT, NOW, newWorld, type World } from './world.ts'

const TTL = 1_000
const SESSION_TTL = 2_500
const START = Date.parse(NOW) / 1000
const UNUSABLE = { _tag: 'Invalid', problems: ['TokenUnusable'] }

describe('renewSession, given Ada, who is signed in', () => {
  let world: World
  let token: string
  beforeEach(async () => {
    world = await newWorld({ environment: { USER_TOKEN_TTL: `${TTL}`, SESSION_TTL: `${SESSION_TTL}` } })
    token = (await world.signIn()).token
  })

  const callerOf = async (shop: NewApplication = world.shop) => {
    const issued = await succeed(world.service.issueApplicationToken(CONTEXT, shop))
    return succeed(world.service.authenticate(CONTEXT, 'renewSession', issued.token))
  }
  const renew = async (of: string | undefined, shop?: NewApplication) =>
    world.service.renewSession(CONTEXT, await callerOf(shop), { token: of })
  const isGood = async (of: string) =>
    (await world.service.authenticate(CONTEXT, 'getProfile', of)())._tag === 'Right'
  const renewals = async () => (await world.events()).filter(({ type }) => type === 'SessionRenewed')
  const expectAgreement = async () =>
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])

  it('when it is renewed, then a new token of the session lives as long as one of a sign-in, and it is noted', async () => {
    world.clock.passSeconds(900)
    const { token: newer, ...rest } = await succeed(await renew(token))
    expect(rest).to.deep.equal({
      sessionId: claimsOf(token).sid,
      expiresInSeconds: TTL,
      sessionExpiresInSeconds: TTL,
      userId: world.ada.id,
      emailVerified: false,
      roles: [],
      acr: 'aal1',
      amr: ['pwd'],
    })
    const [before, after] = [claimsOf(token), claimsOf(newer)]
    expect(after).to.deep.equal({ ...before, iat: START + 900, exp: START + 1_900, jti: after.jti })
    expect(after.jti).to.not.equal(before.jti)
    const [noted, ...more] = await renewals()
    expect(more).to.deep.equal([])
    expect(noted).to.deep.include({
      subject: { kind: 'user', id: world.ada.id },
      actor: { kind: 'application', id: world.shop.application.id },
      data: { session_id: before.sid, expires_at: '2026-03-01T12:31:40.000Z' },
    })
    const caller = await succeed(world.service.authenticate(CONTEXT, 'listSessions', newer))
    const [listed] = await succeed(world.service.listSessions(caller))
    expect(listed).to.deep.include({
      renewedAtSeconds: some(START + 900),
      expiresAtSeconds: START + 1_900,
      endsAtSeconds: START + SESSION_TTL,
    })
    world.clock.passSeconds(TTL - 1)
    expect([await isGood(newer), await isGood(token)], 'each token has its own expiry').to.deep.equal([
      true,
      false,
    ])
    await expectAgreement()
  })

  it('when it is renewed again and again, then each token ends with the session, and the last is not renewed', async () => {
    for (const lifetime of [TTL, 700]) {
      world.clock.passSeconds(900)
      const renewed = await succeed(await renew(token))
      expect(renewed.expiresInSeconds).to.equal(lifetime)
      token = renewed.token
    }
    world.clock.passSeconds(700)
    expect(await isGood(token), 'clocks may differ by seconds').to.equal(true)
    expect(await fail(await renew(token))).to.deep.equal(UNUSABLE)
    await expectAgreement()
  })

  it('when it was renewed within the last minute, then nothing is written, and the same expiry is signed again', async () => {
    await succeed(await renew(token))
    world.clock.passSeconds(59)
    const again = await succeed(await renew(token))
    expect(again.expiresInSeconds).to.equal(TTL - 59)
    expect(await isGood(again.token)).to.equal(true)
    expect(await renewals()).to.have.lengthOf(1)
  })

  const UNUSABLE_TOKENS: ReadonlyArray<readonly [what: string, make: () => Promise<string>]> = [
    ['no token at all', async () => 'renew me'],
    ['a forged one', async () => `${token.slice(0, -8)}AAAAAAAA`],
    [
      "the shop's own token",
      async () => (await succeed(world.service.issueApplicationToken(CONTEXT, world.shop))).token,
    ],
    [
      'one whose session was signed out',
      async () => {
        const { token: out, caller } = await world.signIn()
        await succeed(world.service.signOut(CONTEXT, caller))
        return out
      },
    ],
    [
      'an expired one',
      async () => {
        world.clock.passSeconds(TTL + 5)
        return token
      },
    ],
  ]
  for (const [what, make] of UNUSABLE_TOKENS)
    it(`when it gets ${what}, then that is unusable, and nothing is noted`, async () => {
      expect(await fail(await renew(await make()))).to.deep.equal(UNUSABLE)
      expect(await renewals()).to.deep.equal([])
    })

  it('when another application asks, then the token is unusable: it could prolong a session that it merely sees', async () => {
    const other = await succeed(
      world.service.registerApplication(CONTEXT, { name: 'other', scope: 'users:sign_in' }),
    )
    expect(await fail(await renew(token, other))).to.deep.equal(UNUSABLE)
  })

  it('when its application has lifetimes of its own, then they count for it alone, and changed ones from then on, but no end moves', async () => {
    const { service, clock, ada } = world
    const own = { name: 'bank', scope: 'users:sign_in', userTokenTtl: 900, sessionTtl: 2_000 }
    const bank = await succeed(service.registerApplication(CONTEXT, own))
    const signIn = async () =>
      succeed(service.signIn(CONTEXT, await callerOf(bank), { email: ada.email, password: ada.password }))
    const open = await signIn()
    expect(open.expiresInSeconds).to.equal(900)
    const changed = { userTokenTtl: 1_500, sessionTtl: 7_200 }
    await succeed(service.setApplication(CONTEXT, bank.application.id, changed))
    clock.passSeconds(300)
    expect((await succeed(await renew(token))).expiresInSeconds, 'of the shop').to.equal(TTL)
    const renewed = await succeed(await renew(open.token, bank))
    expect(renewed.expiresInSeconds).to.equal(1_500)
    clock.passSeconds(1_200)
    expect((await succeed(await renew(renewed.token, bank))).expiresInSeconds, 'to its end').to.equal(500)
    expect((await signIn()).expiresInSeconds).to.equal(1_500)
  })
})
