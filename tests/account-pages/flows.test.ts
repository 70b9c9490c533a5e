import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { browserDesk, leadsTo } from './browser-desk.ts'
import { codeOfLink, type PagesService, startPages } from './pages-service.ts'

const RECOVERED = [303, '/account/sign-in?notice=recovered']
const RECOVERED_BEFORE = [303, '/account/sign-in?notice=already_done']

onMemory('the pages for people, over a real socket', (stores) => {
  let running: PagesService
  const { log, lines } = capturedLog()
  beforeEach(async () => {
    running = await startPages(
      await stores.fresh(),
      provide(Dependency.log, () => log),
    )
  })
  afterEach(() => running.stop())

  it('change a password, exactly as typed', async () => {
    const browser = browserDesk(running)
    await browser.signIn()
    const form = {
      old_password: running.ada.password,
      new_password: ' ä+&=% ',
      new_password_check: ' ä+&=% ',
    }
    expect((await browser.post('/account/password', form)).status).to.equal(303)
    expect([await running.accepts(' ä+&=% '), await running.accepts(running.ada.password)]).to.deep.equal([
      true,
      false,
    ])
  })

  it('set a new password once with the token of a recovery', async () => {
    const token = await running.recoveryToken()
    const form = { token, new_password: 'new', new_password_check: 'new' }
    expect(leadsTo(await running.post('/account/recovery', form))).to.deep.equal(RECOVERED)
    expect(await running.accepts('new')).to.equal(true)
    const again = { ...form, new_password: 'newer', new_password_check: 'newer' }
    expect(leadsTo(await running.post('/account/recovery', again))).to.deep.equal(RECOVERED_BEFORE)
    expect([await running.accepts('new'), await running.accepts('newer')]).to.deep.equal([true, false])
  })

  it('confirm an e-mail once with the token of a confirmation', async () => {
    const token = await running.confirmationToken()
    const { status, html } = await running.post('/account/email', { token })
    expect(status).to.equal(200)
    expect(html).to.include('<h1>Your e-mail address is confirmed</h1>')
    expect(await running.isVerified()).to.equal(true)
    expect((await running.post('/account/email', { token })).html).to.equal(html)
  })

  it('and the API let exactly one of several concurrent uses of a token win', async () => {
    const token = await running.recoveryToken()
    const form = { token, new_password: 'of a page', new_password_check: 'of a page' }
    const request = { token, newPassword: 'of the API', newPasswordCheck: 'of the API' }
    const pages = Array.from({ length: 5 }, () => running.post('/account/recovery', form))
    const byApi = running.service.completeRecovery(CONTEXT, request)()
    const outcomes = [
      ...(await Promise.all(pages)).map(({ headers }) => headers.location === RECOVERED[1]),
      (await byApi)._tag === 'Right',
    ]
    expect(outcomes.filter((isSuccess) => isSuccess)).to.have.lengthOf(1)
    expect(await running.accepts('of the API')).to.equal(outcomes.at(-1))
    expect(await running.accepts('of a page')).to.equal(!outcomes.at(-1))
  })

  for (const method of ['GET', 'HEAD']) {
    it(`GET and HEAD of every link 20 times, then the person: ${method} uses no token, and the link works once`, async () => {
      const [recovery, confirmation] = [await running.recoveryToken(), await running.confirmationToken()]
      for (let each = 0; each < 20; each += 1) {
        expect((await running.send(method, `/account/recovery?token=${recovery}`)).status).to.equal(200)
        expect((await running.send(method, `/account/email?token=${confirmation}`)).status).to.equal(200)
      }
      expect(await running.isVerified()).to.equal(false)
      const { html } = await running.post('/account/email', { token: confirmation })
      expect(html).to.include('<h1>Your e-mail address is confirmed</h1>')
      expect(await running.isVerified()).to.equal(true)
      const form = { token: recovery, new_password: 'new', new_password_check: 'new' }
      expect(leadsTo(await running.post('/account/recovery', form))).to.deep.equal(RECOVERED)
      expect(await running.accepts('new')).to.equal(true)
    })
  }

  it('ignore a token in the query of a POST', async () => {
    const token = await running.confirmationToken()
    expect(codeOfLink((await running.post(`/account/email?token=${token}`, {})).html)).to.equal(1)
    expect(await running.isVerified()).to.equal(false)
  })

  it('write no query and no token to the log', async () => {
    const token = await running.recoveryToken()
    await running.get(`/account/recovery?token=${token}`, { 'x-request-id': 'with-a-token' })
    await running.post(`/account/recovery?token=${token}`, { token }, { 'x-request-id': 'with-two-tokens' })
    for (const id of ['with-a-token', 'with-two-tokens']) {
      const [line = '{}'] = lines.filter((one) => one.includes(id))
      expect(JSON.parse(line)).to.have.property('route', '/account/recovery')
    }
    expect(lines.filter((line) => line.includes(token) || line.includes('token='))).to.deep.equal([])
  })

  it('have the same bytes for a wrong password, an unknown e-mail and a disabled user', async () => {
    const withoutValues = async (form: Readonly<Record<string, string>>) => {
      const { status, headers, html } = await browserDesk(running).signIn(form)
      const { date: _, 'x-request-id': __, ...others } = headers
      return { status, others, html: html.replace(/ value="[^"]*"/g, '') }
    }
    const wrong = await withoutValues({ password: 'wrong' })
    expect(wrong.status).to.equal(422)
    expect(await withoutValues({ email: 'eve@example.com' })).to.deep.equal(wrong)
    await succeed(running.service.disableUser(CONTEXT, running.ada.email))
    expect(await withoutValues({})).to.deep.equal(wrong)
  })

  it('lead from the change-password URL of the W3C to the form', async () => {
    const { status, headers, html } = await running.get('/.well-known/change-password')
    expect([status, headers.location, html]).to.deep.equal([303, '/account/password', ''])
    expect(headers['cache-control']).to.equal('no-store')
    const missing = await running.get(
      '/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200',
    )
    expect(missing.status).to.equal(404)
  })
})

describe('the pages for people, below a prefix', () => {
  let running: PagesService
  before(async () => {
    running = await startPages({
      PUBLIC_URL: 'https://service.test/auth',
      PAGES_NAME: 'Otter <Works> & "Co"',
    })
  })
  after(() => running.stop())

  it('stand below it, with a form whose address is relative', async () => {
    const token = await running.recoveryToken()
    const { status, html } = await running.get(`/auth/account/recovery?token=${token}`)
    expect(status).to.equal(200)
    expect(html).to.include('<form method="post" action="recovery" novalidate>')
    expect((await running.get('/account/recovery')).status).to.equal(404)
  })

  for (const path of ['/.well-known/change-password', '/auth/.well-known/change-password'])
    it(`are the target of ${path}`, async () => {
      expect((await running.get(path)).headers.location).to.equal('/auth/account/password')
    })

  it('show the product name, escaped', async () => {
    const { html } = await running.get('/auth/account/sign-in')
    const escaped = 'Otter &lt;Works&gt; &amp; &quot;Co&quot;'
    expect(html).to.include(`<title>Sign in – ${escaped}</title>`)
    expect(html).to.include(`<header><p>${escaped}</p></header>`)
  })
})

describe('without ACCOUNT_PAGES=on', () => {
  for (const ACCOUNT_PAGES of ['', 'off'])
    it(`(${JSON.stringify(ACCOUNT_PAGES)}) there are no pages`, async () => {
      const running = await startPages({ ACCOUNT_PAGES })
      try {
        for (const path of [
          '/account',
          '/account/sign-in',
          '/account/recovery',
          '/account/email',
          '/.well-known/change-password',
        ])
          for (const method of ['GET', 'POST']) {
            const { status, html } = await running.send(method, path)
            expect([status, JSON.parse(html)], path).to.deep.equal([
              404,
              { success: false, code: 404, message: 'Unknown path.' },
            ])
          }
      } finally {
        await running.stop()
      }
    })
})
