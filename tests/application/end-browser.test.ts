import { expect } from 'chai'
import { MAX_SESSIONS } from '../../domain/session.ts'
import { fail, succeed } from '../support/outcome.ts'
import { type BrowserWorld, newBrowserWorld } from './browser-world.ts'
import { CONTEXT } from './world.ts'

describe('endBrowser, given that Ada uses two applications through a browser', () => {
  let world: BrowserWorld
  let ofPages: Awaited<ReturnType<BrowserWorld['signIn']>>
  let opened: ReadonlyArray<Awaited<ReturnType<BrowserWorld['open']>>>
  beforeEach(async () => {
    world = await newBrowserWorld()
    ofPages = await world.signIn()
    opened = [await world.open(ofPages), await world.open(ofPages, world.desk)]
  })
  afterEach(async () => {
    world.release()
    expect(await world.disagreements()).to.deep.equal([])
  })

  const end = () => succeed(world.browsers.end(CONTEXT, ofPages))
  const aliveNow = () => world.alive(ofPages, ...opened)
  const NONE = [false, false, false]

  it('ends all three in one change, by the user', async () => {
    await end()
    expect(await aliveNow()).to.deep.equal(NONE)
    expect(world.changes.at(-1)).to.deep.equal(['UserSignedOut', 'UserSignedOut', 'UserSignedOut'])
    for (const { actor, data } of (await world.events()).slice(-3)) {
      expect(actor).to.deep.equal({ kind: 'user', id: world.ada.id })
      expect(data).not.to.have.property('displaced_by')
    }
  })

  it('leaves her sessions elsewhere', async () => {
    const elsewhere = [await world.signIn(), await world.signInAtShop()]
    await end()
    expect(await world.alive(...elsewhere)).to.deep.equal([true, true])
  })

  it('finds the session ended the second time', async () => {
    await end()
    expect(await fail(world.browsers.end(CONTEXT, ofPages))).to.deep.equal({ _tag: 'InvalidToken' })
  })

  it('ends all although one is written meanwhile', async () => {
    const [first = ofPages] = opened
    await world.overtake({ late: end, writes: 'UserSignedOut' }, () => world.stepUp(first))
    expect(await aliveNow()).to.deep.equal(NONE)
  })

  it('ends the others although one ends meanwhile, also that of the pages', async () => {
    const early = () => succeed(world.service.signOut(CONTEXT, ofPages))
    await world.overtake({ late: end, writes: 'UserSignedOut' }, early)
    expect(await aliveNow()).to.deep.equal(NONE)
  })

  it('ends what is opened meanwhile', async () => {
    const third = await world.newApplication('third')
    await world.overtake({ late: end, writes: 'UserSignedOut' }, async () => {
      opened = [...opened, await world.open(ofPages, third)]
    })
    expect(await aliveNow()).to.deep.equal([...NONE, false])
  })

  it('ends the session that replaces hers meanwhile in the same browser', async () => {
    let after = ofPages
    await world.overtake({ late: end, writes: 'UserSignedOut' }, async () => {
      after = await world.signInAgain(ofPages)
    })
    expect(await world.alive(ofPages, ...opened, after)).to.deep.equal([...NONE, false])
  })

  it('ends two that were opened at once', async () => {
    const both = await Promise.all([world.signInAgain(ofPages), world.signInAgain(ofPages)])
    const [newest = ofPages] = both
    await succeed(world.browsers.end(CONTEXT, newest))
    expect(await world.alive(ofPages, ...opened, ...both)).to.deep.equal([...NONE, false, false])
  })

  it('ends as many as a user may have', async () => {
    for (let count = 1 + opened.length; count < MAX_SESSIONS; count += 1) {
      await world.open(ofPages, await world.newApplication(`application ${count}`))
      world.clock.passSeconds(1)
    }
    await end()
    expect(world.changes.at(-1)).to.deep.equal(Array.from({ length: MAX_SESSIONS }, () => 'UserSignedOut'))
  })

  const OTHER_ENDS: Readonly<Record<string, () => Promise<unknown>>> = {
    'a sign-out with its token': () => succeed(world.service.signOut(CONTEXT, ofPages)),
    'its end in the list of another session': async () => {
      const caller = await world.signInAtShop()
      await succeed(world.service.endSession(CONTEXT, caller, { sessionId: ofPages.session.id }))
    },
  }
  for (const [what, endOne] of Object.entries(OTHER_ENDS))
    it(`is no other end of the session of the pages: ${what} leaves the applications`, async () => {
      await endOne()
      expect(await aliveNow()).to.deep.equal([false, true, true])
    })
})
