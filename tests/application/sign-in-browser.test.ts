import { expect } from 'chai'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import type { EventType } from '../../domain/event.ts'
import { succeed } from '../support/outcome.ts'
import { type BrowserWorld, EVE, newBrowserWorld } from './browser-world.ts'
import { CONTEXT } from './world.ts'

describe('a sign-in in a browser', () => {
  let world: BrowserWorld
  beforeEach(async () => {
    world = await newBrowserWorld()
  })
  afterEach(async () => {
    world.release()
    expect(await world.disagreements()).to.deep.equal([])
  })

  it('gives the browser an id, which the log and the row have', async () => {
    const { session } = await world.signIn()
    const [signedIn] = (await world.events()).slice(-1)
    expect(isSome(session.browserId)).to.equal(true)
    expect(signedIn?.data).to.include({
      browser_id: isSome(session.browserId) && session.browserId.value,
    })
    expect((await world.signIn()).session.browserId, 'another browser').not.to.deep.equal(session.browserId)
  })

  it('on the API gives none', async () => {
    const caller = await world.signInAtShop()
    expect(caller.session.browserId).to.deep.equal(none)
  })

  it('of the same user takes over its id, and ends the session of the pages alone', async () => {
    const before = await world.signIn()
    const opened = await world.open(before)
    const after = await world.signInAgain(before)
    expect(after.session.browserId).to.deep.equal(before.session.browserId)
    expect(await world.alive(before, opened, after)).to.deep.equal([false, true, true])
  })

  it('after the end of the session before gives it another id', async () => {
    const before = await world.signIn()
    await succeed(world.service.signOut(CONTEXT, before))
    const after = await world.signInAgain(before)
    expect(after.session.browserId).not.to.deep.equal(before.session.browserId)
  })

  it('of another user ends all that the first one has there, in the same change', async () => {
    const elsewhere = await world.signIn()
    const before = await world.signIn()
    const opened = [await world.open(before), await world.open(before, world.desk)]
    const after = await world.signInAgain(before, EVE)
    expect(after.session.browserId).not.to.deep.equal(before.session.browserId)
    expect(await world.alive(before, ...opened, elsewhere, after)).to.deep.equal([
      false,
      false,
      false,
      true,
      true,
    ])
    const ends: ReadonlyArray<EventType> = ['UserSignedOut', 'UserSignedOut', 'UserSignedOut']
    expect(world.changes.at(-1)).to.deep.equal(['UserSignedIn', ...ends])
    const ended = (await world.events()).slice(-3)
    for (const { subject, data } of ended) {
      expect(subject.id).to.equal(world.ada.id)
      expect(data).to.include({ displaced_by: after.session.id })
    }
  })

  it('of another user ends them although one is written meanwhile', async () => {
    const before = await world.signIn()
    const opened = await world.open(before)
    const late = () => world.signInAgain(before, EVE)
    const after = await world.overtake({ late, writes: 'UserSignedIn' }, () => world.stepUp(opened))
    expect(await world.alive(before, opened, after)).to.deep.equal([false, false, true])
  })

  it('of another user ends what is opened there meanwhile', async () => {
    const before = await world.signIn()
    const late = () => world.signInAgain(before, EVE)
    const opened: Array<Awaited<ReturnType<BrowserWorld['open']>>> = []
    const after = await world.overtake({ late, writes: 'UserSignedIn' }, async () => {
      opened.push(await world.open(before))
    })
    expect(await world.alive(before, ...opened, after)).to.deep.equal([false, false, true])
  })

  it('of another user is written although the session before ends meanwhile', async () => {
    const before = await world.signIn()
    const opened = await world.open(before)
    const late = () => world.signInAgain(before, EVE)
    const end = () => succeed(world.browsers.end(CONTEXT, before))
    const after = await world.overtake({ late, writes: 'UserSignedIn' }, end)
    expect(await world.alive(before, opened, after)).to.deep.equal([false, false, true])
  })

  it('of the same user takes over the id also from a session that ends meanwhile', async () => {
    const before = await world.signIn()
    const late = () => world.signIn({ former: some(before) })
    const end = () => succeed(world.browsers.end(CONTEXT, before))
    const after = await world.overtake({ late, writes: 'UserSignedIn' }, end)
    expect(after.session.browserId).to.deep.equal(before.session.browserId)
  })
})
