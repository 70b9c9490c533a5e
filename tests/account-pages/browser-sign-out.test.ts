import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { heldCommits } from '../support/held-commits.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type BrowserDesk, browserDesk, hiddenIn, leadsTo } from './browser-desk.ts'
import { startTwoPages, type TwoPages } from './two-pages.ts'

const SESSION = '__Host-portcullis'
const EVE = { email: 'eve@example.com', password: 'tr0ub4dor and three' }

/** Who is signed in to the pages in the browser. */
const visitorOf = async ({ pages, browser }: TwoPages) => {
  const { browsers } = pages.service
  if (browsers === undefined) throw new Error('There are no pages.')
  const visitor = toUndefined(await succeed(browsers.session(browser.cookies.get(SESSION))))
  if (visitor === undefined) throw new Error('Nobody is signed in.')
  return { browsers, visitor }
}

onEverySharedStore('a browser through which an application has a session, at two instances', (stores) => {
  const { front, overtake, release } = heldCommits()
  let both: TwoPages
  let elsewhere: BrowserDesk
  let opened: string

  /** Opens a session of a new application by that of the pages. */
  const open = async (name: string): Promise<string> => {
    const { service } = both.pages
    const { browsers, visitor } = await visitorOf(both)
    const made = await succeed(service.registerApplication(CONTEXT, { name, scope: 'users:sign_in' }))
    const application = toUndefined(await succeed(both.store.findApplication(made.application.id)))
    if (application === undefined) throw new Error('There is no application.')
    return (await succeed(browsers.open(CONTEXT, { visitor, application }))).session.id
  }

  beforeEach(async () => {
    both = await startTwoPages(stores, front)
    elsewhere = browserDesk(both.pages)
    await elsewhere.signIn()
    await both.browser.signIn()
    opened = await open('shop')
  })
  afterEach(async () => {
    release()
    const clock = () => both.time.now
    const { disagreements } = await succeed(checkLog({ ...both, clock, digests: nodeDigests }))
    expect(disagreements).to.deep.equal([])
    await both.stop()
  })

  /** The sessions that Ada's other browser lists. */
  const listed = async (): Promise<ReadonlyArray<string>> =>
    [...(await elsewhere.get('/account')).html.matchAll(/id="session-([^"]+)"/g)].map(([, id = '']) => id)
  const isSignedIn = async (cookie: string) =>
    (await both.browser.get('/account', { cookie: `${SESSION}=${cookie}` })).status === 200

  it('is signed out of both by one click, at both instances', async () => {
    const cookie = both.browser.cookies.get(SESSION) ?? ''
    expect(await listed())
      .to.have.length(3)
      .and.to.include(opened)
    both.turnTo('other')
    expect(leadsTo(await both.browser.post('/account/sign-out', {}))[0]).to.equal(303)
    expect(await listed()).to.have.length(1)
    for (const instance of ['one', 'other'] as const) {
      both.turnTo(instance)
      expect(await isSignedIn(cookie)).to.equal(false)
    }
    const ended = (await both.data('UserSignedOut')).map(({ session_id }) => session_id)
    expect(ended).to.have.length(2).and.to.include(opened)
  })

  it('is signed out also of what is opened while the sign-out decides', async () => {
    both.turnTo('other')
    const late = () => both.browser.post('/account/sign-out', {})
    const answer = await overtake({ late, writes: 'UserSignedOut' }, () => open('desk'))
    expect(leadsTo(answer)).to.deep.equal([303, '/account/sign-in?notice=signed_out'])
    expect(await listed()).to.have.length(1)
  })

  it('keeps the session of the application, if that of the pages ends from elsewhere', async () => {
    const { session } = (await visitorOf(both)).visitor
    await elsewhere.post('/account', { step: 'end_session', session_id: session.id })
    expect(await listed())
      .to.have.length(2)
      .and.to.include(opened)
    expect((await both.browser.get('/account')).status).to.equal(303)
  })

  it('keeps it, if the same person signs in again there, and a sign-out then ends it', async () => {
    await both.browser.signIn()
    expect(await listed())
      .to.have.length(3)
      .and.to.include(opened)
    both.turnTo('other')
    await both.browser.post('/account/sign-out', {})
    expect(await listed()).to.have.length(1)
  })

  it('has nothing of the first person any longer, once another one is signed in', async () => {
    await succeed(both.pages.service.registerUser(CONTEXT, EVE, OPERATOR))
    const asked = await both.browser.signIn(EVE)
    expect(asked.status).to.equal(422)
    expect(await listed()).to.include(opened)
    const replaces = hiddenIn(asked, 'replaces')
    both.turnTo('other')
    expect(leadsTo(await both.browser.signIn({ ...EVE, replaces }))).to.deep.equal([303, '/account'])
    expect(await listed()).to.have.length(1)
  })
})
