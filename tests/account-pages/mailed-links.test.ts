import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { leakedAre } from '../support/fake-passwords.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type BrowserDesk, browserDesk, leadsTo } from './browser-desk.ts'
import { codeOfLink, type PagesService, startPages } from './pages-service.ts'

const EVE = { email: 'eve@example.com', password: 'tr0ub4dor and three' }
const NEW = { new_password: 'new', new_password_check: 'new' }
const LEAKED = 'one that is on the list'
const OTHER_MAILBOX = 'ada@lovelace.example'

onMemory('the link of a mail', (stores) => {
  let pages: PagesService
  beforeEach(async () => {
    pages = await startPages(await stores.fresh())
  })
  afterEach(() => pages.stop())

  const ofEve = async (): Promise<BrowserDesk> => {
    await succeed(pages.service.registerUser(CONTEXT, EVE, OPERATOR))
    const browser = browserDesk(pages)
    await browser.signIn(EVE)
    return browser
  }
  const link = (page: string, token: string) => `/account/${page}?token=${token}`

  it('names the account of a recovery, for the person and for a password manager', async () => {
    const { status, html } = await pages.get(link('recovery', await pages.recoveryToken()))
    expect(status).to.equal(200)
    expect(html).to.match(/<input id="username"[^>]* autocomplete="username"[^>]* value="Ada@Example.com"/)
  })

  it('names the address to confirm, and never that of the account: a stranger may read a mistyped mailbox', async () => {
    const { html } = await pages.get(link('email', await pages.confirmationToken(OTHER_MAILBOX)))
    expect(html).to.include(OTHER_MAILBOX).and.not.include(pages.ada.email)
  })

  for (const [page, make, code] of [
    ['recovery', () => pages.recoveryToken(), 4],
    ['email', () => pages.confirmationToken(OTHER_MAILBOX), 2],
  ] as const)
    it(`/account/${page} has the same bytes for every link that cannot be used`, async () => {
      const [ended, ofOtherPurpose] = [
        await make(),
        await (page === 'email' ? pages.recoveryToken() : pages.confirmationToken()),
      ]
      const { headers } = await pages.get(link(page, ended))
      expect([headers['referrer-policy'], headers['cache-control']]).to.deep.equal([
        'no-referrer',
        'no-store',
      ])
      await succeed(pages.service.disableUser(CONTEXT, pages.ada.id))
      const shown = async (token: string) => {
        const { status, headers: all, html } = await pages.get(link(page, token))
        const { date: _, 'x-request-id': __, ...same } = all
        return { status, same, html }
      }
      const unknown = await shown('made-up')
      expect([unknown.status, codeOfLink(unknown.html)]).to.deep.equal([200, code])
      expect(unknown.html).not.to.include('<form')
      for (const token of [ended, ofOtherPurpose, ended.replace(/.$/, '-'), 'x'.repeat(3_000)])
        expect(await shown(token)).to.deep.equal(unknown)
      expect((await pages.post(`/account/${page}`, { token: ended, ...NEW })).status).to.equal(422)
    })

  for (const [how, headers] of [
    ['on another device, without cookies', {}],
    ['in another language', { 'accept-language': 'de' }],
  ] as const)
    it(`works ${how}`, async () => {
      const token = await pages.recoveryToken()
      const recovery = await pages.get(link('recovery', token), headers)
      const isGerman = 'accept-language' in headers
      expect(recovery.html).to.include(isGerman ? 'Neues Passwort wählen' : 'Choose a new password')
      const confirmation = await pages.confirmationToken(OTHER_MAILBOX)
      const { html } = await pages.post('/account/email', { token: confirmation }, headers)
      expect(html).to.include(
        isGerman ? 'Ihre E-Mail-Adresse ist bestätigt' : 'Your e-mail address is confirmed',
      )
    })

  it('keeps its token when the person chooses another language', async () => {
    const token = await pages.recoveryToken()
    const { html } = await pages.get(`${link('recovery', token)}&return_to=x`)
    const [, other = ''] = /<a href="([^"]*)" lang="de"/.exec(html) ?? []
    const german = await pages.get(other.replaceAll('&amp;', '&'))
    expect(german.html).to.include(`name="token" value="${token}"`).and.include('<html lang="de">')
  })

  it('sets a password while somebody else is signed in: it names both accounts, and the other one stays signed in', async () => {
    const browser = await ofEve()
    const token = await pages.recoveryToken()
    const { html } = await browser.get(link('recovery', token))
    expect(html).to.include(`You are signed in as ${EVE.email}, and this link is for Ada@Example.com.`)
    const done = await browser.post('/account/recovery', { token, ...NEW })
    expect(leadsTo(done)).to.deep.equal([303, '/account/sign-in?notice=recovered'])
    const signIn = await browser.get('/account/sign-in?notice=recovered')
    expect(signIn.status).to.equal(200)
    expect(signIn.html).to.include('Your new password is set').and.include(`Stay signed in as ${EVE.email}`)
    expect((await browser.get('/account')).html).to.include(EVE.email)
    expect(await pages.accepts('new')).to.equal(true)
  })

  it('confirms while somebody else is signed in: it names both, and the other one stays signed in', async () => {
    const browser = await ofEve()
    const token = await pages.confirmationToken(OTHER_MAILBOX)
    const { html } = await browser.get(link('email', token))
    expect(html).to.include(`You are signed in as ${EVE.email}, and this link is for ${OTHER_MAILBOX}.`)
    expect((await browser.post('/account/email', { token })).html).to.include('is confirmed')
    expect((await browser.get('/account')).html).to.include(EVE.email)
  })

  it('names nobody else to its owner, who is signed out everywhere by the new password', async () => {
    const browser = browserDesk(pages)
    await browser.signIn()
    const token = await pages.recoveryToken()
    expect((await browser.get(link('recovery', token))).html).not.to.include('You are signed in as')
    await browser.post('/account/recovery', { token, ...NEW })
    const signIn = await browser.get('/account/sign-in?notice=recovered')
    expect(signIn.html).to.include('Your new password is set').and.not.include('Stay signed in')
    expect((await browser.get('/account')).status).to.equal(303)
  })

  it('leads to the sign-in once it has recovered the account, and works no second time', async () => {
    const token = await pages.recoveryToken()
    await pages.post('/account/recovery', { token, ...NEW })
    const again = [303, '/account/sign-in?notice=already_done']
    expect(leadsTo(await pages.get(link('recovery', token)))).to.deep.equal(again)
    const other = { new_password: 'of a thief', new_password_check: 'of a thief' }
    expect(leadsTo(await pages.post('/account/recovery', { token, ...other }))).to.deep.equal(again)
    expect((await pages.get('/account/sign-in?notice=already_done')).html).to.include(
      'This was done already. Sign in.',
    )
    expect([await pages.accepts('new'), await pages.accepts('of a thief')]).to.deep.equal([true, false])
  })

  it('shows that the e-mail is confirmed, also from the second of two mails', async () => {
    const [first, second] = [
      await pages.confirmationToken(OTHER_MAILBOX),
      await pages.confirmationToken(OTHER_MAILBOX),
    ]
    await pages.post('/account/email', { token: first })
    for (const token of [first, second]) {
      const { status, html } = await pages.get(link('email', token))
      expect([status, html.includes('Your e-mail address is confirmed')]).to.deep.equal([200, true])
      expect((await pages.post('/account/email', { token })).html).to.include('is confirmed')
    }
  })

  it('of an address that another account took meanwhile cannot be used', async () => {
    const token = await pages.confirmationToken(OTHER_MAILBOX)
    await succeed(pages.service.registerUser(CONTEXT, { ...EVE, email: OTHER_MAILBOX }, OPERATOR))
    const { status, html } = await pages.post('/account/email', { token })
    expect([status, codeOfLink(html)]).to.deep.equal([422, 2])
  })

  it('waits after too many weak passwords, with the form and its token', async () => {
    const strict = await startPages(
      { PASSWORD_POLICY: 'nist', THROTTLE_ACCOUNT_FAILURES: '2' },
      provide(Dependency.leakedPasswords, () => leakedAre(LEAKED)),
    )
    try {
      const form = { token: await strict.recoveryToken(), new_password: LEAKED, new_password_check: LEAKED }
      const answers = []
      for (let each = 0; each < 3; each += 1) answers.push(await strict.post('/account/recovery', form))
      expect(answers.map(({ status }) => status)).to.deep.equal([422, 422, 429])
      expect(answers[2]?.html).to.include(`name="token" value="${form.token}"`)
    } finally {
      await strict.stop()
    }
  })
})
