import { expect } from 'chai'
import { map } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import type { SessionFacts } from '../../domain/session.ts'
import { onMemory } from '../support/one-store.ts'
import { type BrowserDesk, browserDesk, leadsTo } from './browser-desk.ts'
import { type MailingPages, startMailingPages } from './mailing-pages.ts'

const LINK = 'Mail me a link to set a password'

/** A person who is signed in has no password. An import, or an application that vouches, makes such accounts. */
const withoutPassword = (store: Store): Store => ({
  ...store,
  findSession: (id) =>
    TE.map(map((facts: SessionFacts) => ({ ...facts, user: { ...facts.user, passwordRecord: '' } })))(
      store.findSession(id),
    ),
})

onMemory('a person without a password, who has no passkey either', (stores) => {
  let pages: MailingPages
  let browser: BrowserDesk
  let now = Date.now()
  beforeEach(async () => {
    const { environment, modules } = await stores.lasting(withoutPassword)
    pages = await startMailingPages(
      environment,
      ...modules,
      provide(Dependency.clock, () => () => now),
    )
    browser = browserDesk(pages)
    await browser.signIn()
  })
  afterEach(() => pages.stop())

  for (const path of ['/account/password', '/account/step-up'])
    it(`gets a password by a mail to the own address, which ${path} offers`, async () => {
      const { html } = await browser.get(path)
      expect(html).to.include('Your account has no password.').and.include(LINK)
      expect(html).not.to.include('type="password"')
      const [, action] = /<form method="post" action="([^"]*)"/.exec(html) ?? []
      expect(action).to.equal('password')
      const sent = await browser.post('/account/password', { step: 'mail_link', email: 'eve@example.com' })
      expect([sent.status, sent.html.includes('Look into your mailbox')]).to.deep.equal([200, true])
      const link = await pages.linkTo(pages.ada.email, 'recovery')
      expect(pages.letters).to.have.length(1)
      const [, token = ''] = /token=(\w+)/.exec(link) ?? []
      const form = { token, new_password: 'new', new_password_check: 'new' }
      expect(leadsTo(await pages.post('/account/recovery', form))[0]).to.equal(303)
      expect(await pages.accepts('new')).to.equal(true)
    })

  it('changes the e-mail while the session is fresh, and else confirms first who that is', async () => {
    const path = '/account/change-email'
    expect((await browser.get(path)).html).not.to.include('type="password"')
    const form = { email: 'ada@lovelace.example' }
    expect((await browser.post(path, form)).html).to.include('Look into the mailbox of ada@lovelace.example')
    now += 11 * 60_000
    expect((await browser.get(path)).html).to.include('confirm that it is you')
    const stepUp = `/account/step-up?continue=${encodeURIComponent(path)}`
    expect(leadsTo(await browser.post(path, form))).to.deep.equal([303, stepUp])
    expect((await browser.get(stepUp)).html).to.include(LINK)
  })
})
