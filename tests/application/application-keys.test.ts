import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import type { RotatedKey } from '../../application/applications/rotate-application-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const UNKNOWN = '018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b'
const NO_PAIR = { _tag: 'InvalidClient' }

describe('rotateApplicationKey, given a shop with a key pair', () => {
  let world: World
  let id: string
  beforeEach(async () => {
    world = await newWorld()
    id = world.shop.application.id
  })

  const rotate = (overlapSeconds: number) =>
    world.service.rotateApplicationKey(CONTEXT, { id, overlapSeconds })
  const issue = (privateApiKey: string) =>
    world.service.issueApplicationToken(CONTEXT, { publicApiKey: world.shop.publicApiKey, privateApiKey })
  const isGood = async (privateApiKey: string) => isRight(await issue(privateApiKey)())
  const rotated = async (overlapSeconds: number): Promise<RotatedKey> => succeed(rotate(overlapSeconds))

  it('when it is rotated, then the public key has a new private key', async () => {
    const made = await rotated(60)
    expect(made).to.have.all.keys('id', 'publicApiKey', 'privateApiKey', 'previousUntilSeconds')
    expect(made).to.deep.include({ id, publicApiKey: world.shop.publicApiKey })
    expect(made.privateApiKey).to.not.equal(world.shop.privateApiKey)
    expect(made.previousUntilSeconds).to.equal(Date.parse('2026-03-01T12:01:00Z') / 1000)
  })

  it('when it is rotated, then both keys work until that moment, and after it only the new one', async () => {
    const { privateApiKey } = await rotated(60)
    expect(await isGood(world.shop.privateApiKey)).to.equal(true)
    expect(await isGood(privateApiKey)).to.equal(true)
    world.clock.passSeconds(59.999)
    expect(await isGood(world.shop.privateApiKey)).to.equal(true)
    world.clock.passSeconds(0.001)
    expect(await fail(issue(world.shop.privateApiKey))).to.deep.equal(NO_PAIR)
    expect(await isGood(privateApiKey)).to.equal(true)
  })

  it('when it is rotated without an overlap, then the old key stops working at once', async () => {
    const { privateApiKey } = await rotated(0)
    expect(await fail(issue(world.shop.privateApiKey))).to.deep.equal(NO_PAIR)
    expect(await isGood(privateApiKey)).to.equal(true)
  })

  it('when it is rotated within a second, then the old key also stops working at once', async () => {
    world.clock.passSeconds(0.999)
    await rotated(0)
    expect(await fail(issue(world.shop.privateApiKey))).to.deep.equal(NO_PAIR)
  })

  it('when it is rotated without an overlap, then the old key stays invalid after the clock goes back', async () => {
    await rotated(0)
    world.clock.passSeconds(-3_600)
    expect(await fail(issue(world.shop.privateApiKey))).to.deep.equal(NO_PAIR)
  })

  it('when it is rotated twice in a row, then the first key has stopped working and the last two work', async () => {
    const second = await rotated(60)
    const third = await rotated(60)
    expect(await fail(issue(world.shop.privateApiKey))).to.deep.equal(NO_PAIR)
    expect(await isGood(second.privateApiKey)).to.equal(true)
    expect(await isGood(third.privateApiKey)).to.equal(true)
  })

  it('when it is rotated, then the tokens of the old key stay valid', async () => {
    const { token } = await succeed(issue(world.shop.privateApiKey))
    await rotated(0)
    await succeed(world.service.authenticate(CONTEXT, 'signIn', token))
  })

  it('when it is rotated, then it is noted without any key', async () => {
    const { privateApiKey } = await rotated(60)
    const found = await succeed(world.store.findApplication(id))
    const keyId = isSome(found) ? found.value.keyId : undefined
    expect(keyId).to.not.equal(world.shop.application.keyId)
    expect(await world.settledEvents()).to.deep.equal([
      {
        type: 'ApplicationKeyRotated',
        subject: { kind: 'application', id },
        actor: { kind: 'operator' },
        data: {
          key_id: keyId,
          previous_key_id: world.shop.application.keyId,
          previous_until: '2026-03-01T12:01:00.000Z',
        },
      },
    ])
    for (const secret of [privateApiKey, world.shop.privateApiKey, world.shop.application.keyDigest]) {
      expect(JSON.stringify(await world.events())).to.not.include(secret)
    }
  })

  it('when either key gets a token, then the event names that key', async () => {
    const { privateApiKey } = await rotated(60)
    await succeed(issue(world.shop.privateApiKey))
    await succeed(issue(privateApiKey))
    const found = await succeed(world.store.findApplication(id))
    const issued = (await world.settledEvents()).filter(({ type }) => type === 'ApplicationTokenIssued')
    expect(issued.map(({ data }) => 'key_id' in data && data.key_id)).to.deep.equal([
      world.shop.application.keyId,
      isSome(found) && found.value.keyId,
    ])
  })

  it('when a key is used after its overlap, then only the log distinguishes it from an unknown key', async () => {
    await rotated(60)
    world.clock.passSeconds(60)
    await fail(issue(world.shop.privateApiKey))
    await rotated(60)
    await fail(issue(world.shop.privateApiKey))
    const refused = (await world.settledEvents()).filter(({ type }) => type === 'ApplicationTokenRefused')
    expect(refused.map(({ subject, data }) => ({ subject, data }))).to.deep.equal([
      { subject: { kind: 'application', id }, data: { reason: 'previous_key_expired' } },
      { subject: { kind: 'application', id }, data: { reason: 'wrong_private_key' } },
    ])
  })

  it('when it is rotated twice concurrently, then both succeed, and the last two keys work', async () => {
    const both = await Promise.all([rotated(60), rotated(60)])
    const good = await Promise.all(both.map(({ privateApiKey }) => isGood(privateApiKey)))
    expect(good).to.deep.equal([true, true])
    expect(await isGood(world.shop.privateApiKey)).to.equal(false)
    const [first, second, ...more] = await world.settledEvents()
    expect(more.filter(({ type }) => type === 'ApplicationKeyRotated')).to.deep.equal([])
    // The second rotation read the result of the first.
    if (first?.type !== 'ApplicationKeyRotated' || second?.type !== 'ApplicationKeyRotated')
      throw new Error('not rotated twice')
    expect('key_id' in first.data && first.data.key_id).to.equal(
      'previous_key_id' in second.data && second.data.previous_key_id,
    )
  })

  it('when no application has this id, then the failure is ApplicationUnknown', async () => {
    const request = { id: UNKNOWN, overlapSeconds: 0 }
    expect(await fail(world.service.rotateApplicationKey(CONTEXT, request))).to.deep.equal({
      _tag: 'ApplicationUnknown',
    })
    expect(await world.settledEvents()).to.deep.equal([])
  })

  it('when the key to replace is given, then a request that is sent twice makes one new key', async () => {
    const { keyId } = world.shop.application
    const request = { id, overlapSeconds: 60, keyId }
    const both = await Promise.all([1, 2].map(() => world.service.rotateApplicationKey(CONTEXT, request)()))
    const made = both.flatMap((one) => (isRight(one) ? [one.right] : []))
    expect(both.filter(isLeft)).to.deep.equal([{ _tag: 'Left', left: { _tag: 'KeyReplaced' } }])
    expect(await isGood(made[0]?.privateApiKey ?? '')).to.equal(true)
    expect(await isGood(world.shop.privateApiKey)).to.equal(true)
    expect(await fail(world.service.rotateApplicationKey(CONTEXT, request))).to.deep.equal({
      _tag: 'KeyReplaced',
    })
  })
})

describe('revokeApplication, given a shop with a token', () => {
  let world: World
  let id: string
  let token: string
  beforeEach(async () => {
    world = await newWorld()
    id = world.shop.application.id
    token = (await succeed(world.service.issueApplicationToken(CONTEXT, world.shop))).token
  })

  it('when it is revoked, then its token is invalid', async () => {
    await succeed(world.service.authenticate(CONTEXT, 'signIn', token))
    expect(await succeed(world.service.revokeApplication(CONTEXT, id))).to.deep.equal({ id })
    expect(await fail(world.service.authenticate(CONTEXT, 'signIn', token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
  })

  it('when it is revoked, then neither of its keys gets another token, and the event has the reason', async () => {
    const { privateApiKey } = await succeed(
      world.service.rotateApplicationKey(CONTEXT, { id, overlapSeconds: 60 }),
    )
    await succeed(world.service.revokeApplication(CONTEXT, id))
    for (const key of [privateApiKey, world.shop.privateApiKey]) {
      const pair = { publicApiKey: world.shop.publicApiKey, privateApiKey: key }
      expect(await fail(world.service.issueApplicationToken(CONTEXT, pair))).to.deep.equal(NO_PAIR)
    }
    expect((await world.settledEvents()).slice(-3)).to.deep.equal([
      {
        type: 'ApplicationRevoked',
        subject: { kind: 'application', id },
        actor: { kind: 'operator' },
        data: {},
      },
      ...[1, 2].map(() => ({
        type: 'ApplicationTokenRefused',
        subject: { kind: 'application', id },
        actor: { kind: 'nobody' },
        data: { reason: 'application_revoked' },
      })),
    ])
  })

  it('when it is revoked twice, sequentially or concurrently, then one event is logged', async () => {
    const ids = await Promise.all([1, 2].map(() => succeed(world.service.revokeApplication(CONTEXT, id))))
    ids.push(await succeed(world.service.revokeApplication(CONTEXT, id)))
    expect(ids).to.deep.equal([{ id }, { id }, { id }])
    const revoked = (await world.settledEvents()).filter(({ type }) => type === 'ApplicationRevoked')
    expect(revoked).to.have.lengthOf(1)
  })

  it('when its key is rotated concurrently, then it is still revoked', async () => {
    await Promise.all([
      world.service.rotateApplicationKey(CONTEXT, { id, overlapSeconds: 60 })(),
      succeed(world.service.revokeApplication(CONTEXT, id)),
    ])
    expect(await fail(world.service.issueApplicationToken(CONTEXT, world.shop))).to.deep.equal(NO_PAIR)
  })

  it('when it is revoked, then the sessions it opened end, and none of their rows is written', async () => {
    const ada = await world.signIn()
    const { session } = ada.caller
    await succeed(world.service.authenticate(CONTEXT, 'getProfile', ada.token))
    await succeed(world.service.revokeApplication(CONTEXT, id))
    expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', ada.token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
    const found = await succeed(world.store.findSession(session.id))
    expect(isSome(found) && found.value.session).to.deep.equal(session)
    expect((await world.settledEvents()).slice(-2).map(({ type }) => type)).to.deep.equal([
      'UserSignedIn',
      'ApplicationRevoked',
    ])
  })

  it('when it is revoked while it signs a user in, then its session has already ended', async () => {
    const caller = await succeed(world.service.authenticate(CONTEXT, 'signIn', token))
    await succeed(world.service.revokeApplication(CONTEXT, id))
    const { email, password } = world.ada
    const late = await succeed(world.service.signIn(CONTEXT, caller, { email, password }))
    expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', late.token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
  })

  it('when no application has this id, then the failure is ApplicationUnknown', async () => {
    expect(await fail(world.service.revokeApplication(CONTEXT, UNKNOWN))).to.deep.equal({
      _tag: 'ApplicationUnknown',
    })
  })
})
