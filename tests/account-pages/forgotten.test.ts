import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { browserDesk, leadsTo, onceIn, SAME_ORIGIN } from './browser-desk.ts'
import { type MailingPages, startMailingPages } from './mailing-pages.ts'
import { codesAtFields, startPages } from './pages-service.ts'

const PATH = '/account/forgotten'
const EVE = { email: 'eve@example.com', password: 'tr0ub4dor and three' }

onMemory('the page for a forgotten password', (stores) => {
  let pages: MailingPages
  const start = async (environment: Readonly<Record<string, string>> = {}) => {
    pages = await startMailingPages({ ...(await stores.fresh()), ...environment })
  }
  afterEach(() => pages.stop())

  const ask = (email: string, headers: Readonly<Record<string, string>> = {}) =>
    pages.post(PATH, { email }, { ...SAME_ORIGIN, ...headers })

  it('recovery for known, unknown, disabled address: same bytes', async () => {
    await start()
    await succeed(pages.service.registerUser(CONTEXT, EVE, OPERATOR))
    await succeed(pages.service.disableUser(CONTEXT, EVE.email))
    const answerTo = async (email: string) => {
      const { status, headers, html } = await ask(email)
      const { date: _, 'x-request-id': __, ...same } = headers
      return { status, same, html }
    }
    const known = await answerTo(pages.ada.email)
    expect([known.status, /<h1>(.*)<\/h1>/.exec(known.html)?.[1]]).to.deep.equal([
      200,
      'Look into your mailbox',
    ])
    for (const email of ['unknown@example.com', EVE.email, 'unknown@bücher.example'])
      expect(await answerTo(email), email).to.deep.equal(known)
  })

  for (const [email, code] of [
    ['', 1],
    ['malformed', 2],
    ['a b@example.com', 2],
  ] as const)
    it(`shows the code ${code} for ${JSON.stringify(email)}, and keeps what was typed`, async () => {
      await start()
      const { status, html } = await ask(email)
      expect([status, codesAtFields(html)]).to.deep.equal([422, { email: code }])
      expect(html).to.include(`value="${email}"`)
      expect(pages.letters).to.deep.equal([])
    })

  it('mails a link in the language of the page, which sets a password', async () => {
    await start()
    const german = await pages.get(`${PATH}?ui_locales=de`)
    expect(german.html).to.include('<h1>Neues Passwort setzen</h1>').and.include('value="de"')
    await pages.post(PATH, { email: 'ada@example.com', ui_locales: 'de' }, SAME_ORIGIN)
    const link = await pages.linkTo(pages.ada.email, 'recovery')
    expect(pages.letters.map(({ language }) => language)).to.deep.equal(['de'])
    const [, token = ''] = /token=(\w+)/.exec(link) ?? []
    const form = { token, new_password: 'new', new_password_check: 'new' }
    expect((await pages.get(link)).html).to.include(`value="${token}"`)
    expect(leadsTo(await pages.post('/account/recovery', form))).to.deep.equal([
      303,
      '/account/sign-in?notice=recovered',
    ])
    expect(await pages.accepts('new')).to.equal(true)
  })

  it('`Host: evil.example` at `forgotten`: the link has PUBLIC_URL', async () => {
    await start()
    const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
    expect((await ask(pages.ada.email, evil)).status).to.equal(200)
    await pages.linkTo(pages.ada.email, 'recovery')
    expect(pages.letters.map(({ text, html }) => `${text}${html}`).join()).not.to.include('evil.example')
  })

  it('6th request mail in an hour: 429, for a known and an unknown address, with the form', async () => {
    await start()
    for (const email of [pages.ada.email, 'unknown@example.com']) {
      for (let each = 0; each < 5; each += 1) expect((await ask(email)).status).to.equal(200)
      const { status, headers, html } = await ask(email)
      expect([status, Number(headers['retry-after']) > 0]).to.deep.equal([429, true])
      expect(html).to.include('Too many').and.include('<form').and.include(`value="${email}"`)
    }
  })

  it('has the limit of the whole service, and that of a network', async () => {
    await start({ THROTTLE_MAILS: '2', THROTTLE_ADDRESS_FAILURES: '3', TRUST_PROXY: '1' })
    const statuses: Array<number> = []
    for (const [email, address] of [
      ['one@example.com', '192.0.2.1'],
      ['two@example.com', '192.0.2.2'],
      ['three@example.com', '192.0.2.1'],
    ] as const)
      statuses.push((await ask(email, { 'x-forwarded-for': address })).status)
    expect(statuses).to.deep.equal([200, 200, 429])
    await pages.stop()
    await start({ THROTTLE_MAILS: '0', THROTTLE_ADDRESS_FAILURES: '3', TRUST_PROXY: '1' })
    const of = async (count: number, address: string) =>
      (await ask(`user${count}@example.com`, { 'x-forwarded-for': address })).status
    const network = [await of(1, '192.0.2.1'), await of(2, '192.0.2.1'), await of(3, '192.0.2.1')]
    expect([...network, await of(4, '192.0.2.1'), await of(5, '192.0.2.2')]).to.deep.equal([
      200, 200, 200, 429, 200,
    ])
  })

  it('asks for one mail with a form that arrives twice', async () => {
    await start({ THROTTLE_MAILS: '1' })
    const once = onceIn(await pages.get(PATH))
    const click = () => pages.post(PATH, { once, email: pages.ada.email }, SAME_ORIGIN)
    const [first, second] = await Promise.all([click(), click()])
    expect([first.status, second.html]).to.deep.equal([200, first.html])
    expect((await ask(pages.ada.email)).status, 'another form').to.equal(429)
  })

  it('is closed once the application of the pages is revoked', async () => {
    await start()
    await succeed(pages.service.revokeApplication(CONTEXT, 'Account pages'))
    expect([(await pages.get(PATH)).status, (await ask(pages.ada.email)).status]).to.deep.equal([503, 503])
  })

  it('is linked from the sign-in and the page of the password, without any address', async () => {
    await start()
    const browser = browserDesk(pages)
    const signIn = await browser.signIn({ password: 'wrong' })
    expect(signIn.html).to.include(`<a href="${PATH}">Forgot your password?</a>`)
    await browser.signIn()
    expect((await browser.get('/account/password')).html).to.include(`<a href="${PATH}">`)
    expect((await browser.get(PATH)).html).to.include(`value="${pages.ada.email}"`)
  })
})

describe('without MAIL_URL', () => {
  it('there is no page that mails, and no link to one', async () => {
    const pages = await startPages()
    try {
      const browser = browserDesk(pages)
      for (const path of [PATH, '/account/change-email'])
        for (const answer of [await browser.get(path), await browser.post(path, {})])
          expect(answer.status, path).to.equal(404)
      const signIn = await browser.get('/account/sign-in')
      await browser.signIn()
      for (const { html } of [signIn, await browser.get('/account'), await browser.get('/account/password')])
        expect(html).not.to.match(/forgotten|change-email|mail_link/)
      const ended = await browser.get('/account/recovery?token=x')
      expect(ended.html).to.include('Return to the application and start again.')
    } finally {
      await pages.stop()
    }
  })
})
