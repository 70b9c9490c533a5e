import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { fail, succeed } from '../support/outcome.ts'
import { barrier } from '../support/waiting.ts'
import { type BrowserWorld, newBrowserWorld } from './browser-world.ts'
import { CONTEXT } from './world.ts'

describe('openByBrowser, given that Ada is signed in to the pages', () => {
  let world: BrowserWorld
  let ofPages: Awaited<ReturnType<BrowserWorld['signIn']>>
  beforeEach(async () => {
    world = await newBrowserWorld()
    ofPages = await world.signIn()
    world.clock.passSeconds(60)
  })
  afterEach(async () => {
    world.release()
    expect(await world.disagreements()).to.deep.equal([])
  })

  const opens = async () => (await world.events()).filter(({ type }) => type === 'UserSignedIn').slice(1)

  it('opens a session of the application, with the authentication of the pages', async () => {
    const { session, user, application } = await world.open(ofPages)
    const { browserId, methods, authenticatedAtSeconds, label } = ofPages.session
    expect(session).to.deep.include({ browserId, methods, authenticatedAtSeconds, label, cookie: none })
    expect(session.createdAtSeconds).to.equal(authenticatedAtSeconds + 60)
    expect(session.endsAtSeconds).to.equal(session.createdAtSeconds + 86_400)
    expect([user.id, application]).to.deep.equal([world.ada.id, some(world.shop)])
    const [{ actor, data } = { actor: undefined, data: {} }] = await opens()
    expect(actor).to.deep.equal({ kind: 'application', id: world.shop.id })
    expect(data).to.include({ session_id: session.id })
  })

  it('gives it the label of the caller', async () => {
    const label = 'Firefox'
    const opened = await succeed(
      world.browsers.open(CONTEXT, { visitor: ofPages, application: world.shop, label }),
    )
    expect(opened.session.label).to.deep.equal(some(label))
  })

  it('returns the session that the application has there, and writes nothing', async () => {
    const first = await world.open(ofPages)
    const written = world.changes.length
    expect(await world.open(ofPages)).to.deep.equal(first)
    expect(world.changes).to.have.length(written)
    expect((await world.open(ofPages, world.desk)).session.id).not.to.equal(first.session.id)
  })

  it('returns no session of another browser', async () => {
    const first = await world.open(ofPages)
    expect((await world.open(await world.signIn())).session.id).not.to.equal(first.session.id)
  })

  it('opens another one after a step-up on the pages, and ends the older one in the same change', async () => {
    const [first, atDesk] = [await world.open(ofPages), await world.open(ofPages, world.desk)]
    await world.stepUp(ofPages)
    const now = await world.callerOf(ofPages.session.id)
    const second = await world.open(now)
    expect(second.session.authenticatedAtSeconds).to.equal(now.session.authenticatedAtSeconds)
    expect(await world.alive(first, atDesk, second)).to.deep.equal([false, true, true])
    expect(world.changes.at(-1)).to.deep.equal(['UserSignedIn', 'UserSignedOut'])
  })

  it('opens another one a minute before the end of the older one', async () => {
    const lifetimes = { userTokenTtl: 300, idleTtl: 300, sessionTtl: 300 }
    await succeed(world.service.setApplication(CONTEXT, 'shop', lifetimes))
    const application = await world.applicationOf(world.shop.id)
    const first = await world.open(ofPages, application)
    world.clock.passSeconds(244)
    expect((await world.open(ofPages, application)).session.id).to.equal(first.session.id)
    world.clock.passSeconds(1)
    const second = await world.open(ofPages, application)
    expect(await world.alive(first, second)).to.deep.equal([false, true])
  })

  it('opens none by a session that has ended', async () => {
    await succeed(world.service.signOut(CONTEXT, ofPages))
    const ended = await world.callerOf(ofPages.session.id)
    const opening = { visitor: ended, application: world.shop }
    expect(await fail(world.browsers.open(CONTEXT, opening))).to.deep.equal({ _tag: 'InvalidToken' })
  })

  it('opens none by a session that ends meanwhile', async () => {
    const late = async () => fail(world.browsers.open(CONTEXT, { visitor: ofPages, application: world.shop }))
    const end = () => succeed(world.service.signOut(CONTEXT, ofPages))
    const failure = await world.overtake({ late, writes: 'UserSignedIn' }, end)
    expect([failure, await opens()]).to.deep.equal([{ _tag: 'InvalidToken' }, []])
  })

  it('opens none by a session of an application', async () => {
    const caller = await world.signInAtShop()
    const opening = { visitor: caller, application: world.shop }
    expect(await fail(world.browsers.open(CONTEXT, opening))).to.deep.equal({ _tag: 'InvalidToken' })
  })

  it('opens one although the session of the pages is written meanwhile', async () => {
    const late = () => world.open(ofPages)
    const opened = await world.overtake({ late, writes: 'UserSignedIn' }, () => world.stepUp(ofPages))
    const { session } = await world.callerOf(ofPages.session.id)
    expect(opened.session.authenticatedAtSeconds).to.equal(session.authenticatedAtSeconds)
  })

  for (const [what, change, failure] of [
    ['a second factor', { requireAal2: true }, 'AssuranceTooLow'],
    ['a verified e-mail', { requireVerifiedEmail: true }, 'EmailNotVerified'],
  ] as const)
    it(`opens none of an application that requires ${what}, also if it has one from before`, async () => {
      await world.open(ofPages)
      await succeed(world.service.setApplication(CONTEXT, 'shop', change))
      const application = await world.applicationOf(world.shop.id)
      const opening = { visitor: ofPages, application }
      expect(await fail(world.browsers.open(CONTEXT, opening))).to.deep.equal({ _tag: failure })
    })

  it('may open two at once, and then returns one of them', async () => {
    world.hold('UserSignedIn', barrier(2))
    const both = await Promise.all([world.open(ofPages), world.open(ofPages)])
    world.release()
    expect(await opens()).to.have.length(2)
    const ids = both.map(({ session: { id } }) => id)
    expect(ids).to.include((await world.open(ofPages)).session.id)
    expect(await opens()).to.have.length(2)
  })

  it('counts what it opens as sign-ins of the user, and not what it returns', async () => {
    world = await newBrowserWorld({ THROTTLE_SIGN_INS: '2' })
    ofPages = await world.signIn()
    for (let count = 0; count < 5; count += 1) await world.open(ofPages)
    const opening = { visitor: ofPages, application: world.desk }
    expect(await fail(world.browsers.open(CONTEXT, opening))).to.include({ _tag: 'Throttled' })
    await world.open(ofPages)
  })
})

describe('openByBrowser, given a user with as many sessions as a user may have', () => {
  it('keeps the session of the pages, although it expires first', async () => {
    const world = await newBrowserWorld()
    const ofPages = await world.signIn()
    world.clock.passSeconds(1)
    for (let count = 1; count < 100; count += 1) await world.signInAtShop()
    const opened = await world.open(ofPages)
    expect(await world.alive(ofPages, opened)).to.deep.equal([true, true])
  })
})
