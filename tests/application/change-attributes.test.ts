import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { UserCaller } from '../../domain/access.ts'
import { type Attributes, type AttributesPatch, attributesOf } from '../../domain/attributes.ts'
import { fail, succeed } from '../support/outcome.ts'
import { allEvents, CONTEXT, newWorld, type World } from './world.ts'

const HOUR = 3_600

describe('attributes, given that Ada is signed in', () => {
  let world: World
  /** As first read: each change with it meets a conflict, and is decided again. */
  let caller: UserCaller
  let token: string
  beforeEach(async () => {
    world = await newWorld()
    const signedIn = await world.signIn()
    caller = signedIn.caller
    token = signedIn.token
  })

  const changeOwn = (patch: AttributesPatch) => world.service.changeOwnAttributes(CONTEXT, caller, patch)
  const actor = () => ({ kind: 'application', id: world.caller.application.id }) as const
  const change = (patch: AttributesPatch, userId = world.ada.id) =>
    world.service.changeAttributes(CONTEXT, { userId, patch }, actor())
  const readAgain = async () => {
    caller = await succeed(world.service.authenticate(CONTEXT, 'changeOwnAttributes', token))
  }
  const stored = async (): Promise<Attributes> => {
    const user = toUndefined(await succeed(world.store.findUser(world.ada.id)))
    return attributesOf(user?.attributes ?? '')
  }
  const events = async () =>
    (await world.settledEvents()).filter(({ type }) => type === 'UserAttributesChanged')

  it('when she sets some, then they are kept, and the log has their names only', async () => {
    expect(await succeed(changeOwn({ locale: 'en' }))).to.deep.equal({ locale: 'en' })
    const both = { name: 'Ada Lovelace', locale: 'en', metadata: { tier: 'gold' } }
    expect(await succeed(changeOwn({ name: 'Ada Lovelace', metadata: { tier: 'gold' } }))).to.deep.equal(both)
    expect(await stored()).to.deep.equal(both)
    const subject = { kind: 'user', id: world.ada.id }
    expect(await events()).to.deep.equal([
      { type: 'UserAttributesChanged', subject, actor: subject, data: { fields: ['locale'] } },
      { type: 'UserAttributesChanged', subject, actor: subject, data: { fields: ['metadata', 'name'] } },
    ])
    const log = JSON.stringify(await allEvents(world.store))
    for (const value of ['Lovelace', 'gold', 'tier']) expect(log).to.not.include(value)
  })

  it('when an application changes them, also of a disabled user, then it is the actor', async () => {
    await succeed(world.service.disableUser(CONTEXT, world.ada.email))
    expect(await succeed(change({ name: 'Ada' }))).to.deep.equal({ name: 'Ada' })
    expect(await events()).to.have.deep.nested.property('[0].actor', actor())
  })

  it('when nothing changes, then nothing is written', async () => {
    await succeed(changeOwn({ name: 'Ada', metadata: { a: 1, b: 2 } }))
    await readAgain()
    const before = await world.settledEvents()
    for (const patch of [{ name: 'Ada' }, { locale: null }, { metadata: { b: 2, a: 1 } }, { metadata: {} }]) {
      expect(await succeed(changeOwn(patch))).to.deep.equal({ name: 'Ada', metadata: { a: 1, b: 2 } })
      expect(await succeed(change(patch))).to.deep.equal({ name: 'Ada', metadata: { a: 1, b: 2 } })
    }
    expect(await world.settledEvents()).to.deep.equal(before)
  })

  it('when a change is invalid, then nothing changes', async () => {
    await succeed(changeOwn({ name: 'Ada' }))
    const patch = { name: 'Eve', locale: 7 }
    const problems = { _tag: 'Invalid', problems: ['LocaleMalformed'] }
    expect(await fail(changeOwn(patch))).to.deep.equal(problems)
    expect(await fail(change(patch))).to.deep.equal(problems)
    expect(await fail(change({}, ''))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['UserIdMissing', 'AttributesMissing'],
    })
    expect(await stored()).to.deep.equal({ name: 'Ada' })
  })

  it('when different attributes are changed at once, then all are kept', async () => {
    const patches: ReadonlyArray<AttributesPatch> = [
      { name: 'Ada' },
      { given_name: 'Ada' },
      { family_name: 'Lovelace' },
      { locale: 'en' },
      { metadata: { a: 1 } },
      { metadata: { b: 2 } },
    ]
    await Promise.all(
      patches.map((patch, index) => (index % 2 === 0 ? succeed(changeOwn(patch)) : succeed(change(patch)))),
    )
    expect(await stored()).to.deep.equal({
      name: 'Ada',
      given_name: 'Ada',
      family_name: 'Lovelace',
      locale: 'en',
      metadata: { a: 1, b: 2 },
    })
  })

  it('when metadata becomes too large by another change at once, then one of them is refused', async () => {
    const half = (letter: string) => ({
      metadata: Object.fromEntries([1, 2, 3].map((index) => [`${letter}${index}`, 'x'.repeat(400)])),
    })
    const outcomes = await Promise.all([changeOwn(half('a'))(), change(half('b'))()])
    expect(outcomes.map(({ _tag }) => _tag)).to.have.members(['Left', 'Right'])
    expect(outcomes.find(({ _tag }) => _tag === 'Left')).to.deep.include({
      left: { _tag: 'Invalid', problems: ['MetadataTooLarge'] },
    })
  })

  it('when she is removed, then nothing is left of them, and an earlier decision changes nothing', async () => {
    await succeed(changeOwn({ name: 'Ada' }))
    await succeed(world.service.removeUser(CONTEXT, world.ada.email))
    expect(await fail(changeOwn({ name: 'Late' }))).to.deep.equal({ _tag: 'InvalidToken' })
    expect(await fail(change({ name: 'Late' }))).to.deep.equal({ _tag: 'Invalid', problems: ['UserUnknown'] })
    expect(toUndefined(await succeed(world.store.findUser(world.ada.id)))).to.have.property('attributes', '')
  })

  it('when her session has ended meanwhile, then her token is invalid', async () => {
    await succeed(world.service.endUserSessions(CONTEXT, world.ada.email))
    expect(await fail(changeOwn({ name: 'Late' }))).to.deep.equal({ _tag: 'InvalidToken' })
    expect(await stored()).to.deep.equal({})
  })

  it('when she makes 600 changes an hour, then further ones wait, and nothing else does', async () => {
    for (let each = 0; each < 600; each += 1) await succeed(changeOwn({ metadata: { each } }))
    world.clock.passSeconds(600)
    expect(await fail(changeOwn({ name: 'Ada' }))).to.deep.equal({
      _tag: 'Throttled',
      retryAfterSeconds: HOUR - 600,
      tooMany: 'attribute_changes',
    })
    await readAgain()
    expect(await succeed(changeOwn({ metadata: { each: 599 } }))).to.deep.equal({ metadata: { each: 599 } })
    expect(await fail(changeOwn({ name: 1 }))).to.have.property('_tag', 'Invalid')
    await succeed(change({ name: 'Ada' }))
    world.clock.passSeconds(HOUR - 600)
    await succeed(changeOwn({ locale: 'en' }))
  })
})
