import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { refusingHasher } from '../application/fakes.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { browserDesk, SAME_ORIGIN } from './browser-desk.ts'
import { type PageAnswer, type PagesService, startPages } from './pages-service.ts'
import { expectStrictPage } from './strict-page.ts'

const PATHS = ['/account/recovery', '/account/email']

describe('the protection of pages for people', () => {
  let running: PagesService
  before(async () => {
    running = await startPages(FACTOR_SETTINGS)
  })
  after(() => running.stop())

  for (const path of PATHS) {
    it(`has the same headers on every answer of ${path}`, async () => {
      const token = await running.confirmationToken()
      const answers = [
        await running.get(path),
        await running.post(path, {}),
        await running.post(path, { token }), // a success on /account/email
        await running.post(path, {}, { 'sec-fetch-site': 'cross-site' }),
        await running.post(path, 'a=%'),
        await running.post(path, 'a'.repeat(17_000)),
        await running.post(path, '{}', { 'content-type': 'application/json' }),
      ]
      for (const answer of answers) expectStrictPage(answer)
      expect(answers.map(({ status }) => status)).to.deep.equal([
        200,
        422,
        path === '/account/email' ? 200 : 422,
        403,
        400,
        413,
        415,
      ])
    })

    it(`answers HEAD and other methods of ${path}`, async () => {
      const head = await running.send('HEAD', path)
      expect([head.status, head.html, head.headers['content-type']]).to.deep.equal([
        200,
        '',
        'text/html; charset=utf-8',
      ])
      const { status, headers } = await running.send('DELETE', path)
      expect([status, headers.allow]).to.deep.equal([405, 'GET, HEAD, POST, OPTIONS'])
    })
  }

  for (const [site, status] of [
    [undefined, 200],
    ['same-origin', 200],
    ['same-site', 403],
    ['cross-site', 403],
    ['none', 403],
    ['', 403],
    ['Same-Origin', 403],
    ['same-origin, same-origin', 403],
  ] as const) {
    it(`answers a form with Sec-Fetch-Site ${JSON.stringify(site)} with ${status}`, async () => {
      const token = await running.confirmationToken()
      const headers = site === undefined ? undefined : { 'sec-fetch-site': site }
      expect((await running.post('/account/email', { token }, headers)).status).to.equal(status)
      if (status === 403) expect((await running.post('/account/email', { token })).status).to.equal(200) // it is unused
    })
  }

  for (const [language, sentence] of [
    ['en', 'Forms are accepted only from pages at https://service.test.'],
    ['de', 'Formulare werden nur von Seiten unter https://service.test angenommen.'],
  ] as const)
    it(`names the origin that a form must come from, in the language ${language}`, async () => {
      const sent = { origin: 'http://localhost:8080', 'accept-language': language }
      const answer = await running.post('/account/sign-in', {}, sent)
      expect([answer.status, answer.html.includes(sentence)]).to.deep.equal([403, true])
    })

  for (const [headers, status] of [
    [{ ...SAME_ORIGIN, origin: 'null' }, 200],
    [{ ...SAME_ORIGIN, origin: 'https://service.test' }, 200],
    [{ origin: 'null' }, 200],
    [{ origin: 'https://service.test' }, 200],
    [{ ...SAME_ORIGIN, origin: 'https://elsewhere.test' }, 403],
    [{ origin: 'https://elsewhere.test' }, 403],
    [{ 'sec-fetch-site': 'cross-site', origin: 'null' }, 403],
  ] as const)
    it(`answers a form with ${JSON.stringify(headers)} with ${status}: its page sends no referrer`, async () => {
      const token = await running.confirmationToken()
      expect((await running.post('/account/email', { token }, headers)).status).to.equal(status)
    })

  for (const site of ['cross-site', 'none'])
    it(`shows the form to a GET with Sec-Fetch-Site ${site}: a link in a mail`, async () => {
      expect((await running.get('/account/email?token=a', { 'sec-fetch-site': site })).status).to.equal(200)
    })
})

describe('the protection of the page to sign in', () => {
  it('has the same headers on every answer', async () => {
    const running = await startPages(FACTOR_SETTINGS)
    try {
      const path = '/account/sign-in'
      const answers = [
        await running.get(path),
        await running.post(path, {}, SAME_ORIGIN),
        await running.post(path, {}, { 'sec-fetch-site': 'cross-site' }),
        await running.post(path, 'a=%', SAME_ORIGIN),
        await running.post(path, 'a'.repeat(17_000), SAME_ORIGIN),
        await running.post(path, '{}', { ...SAME_ORIGIN, 'content-type': 'application/json' }),
      ]
      for (const answer of answers) expectStrictPage(answer, 'same-origin')
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 422, 403, 400, 413, 415])
    } finally {
      await running.stop()
    }
  })
})

describe('every answer of the pages with a session', () => {
  const SIGNED_IN = ['/account', '/account/password', '/account/step-up', '/account/sign-out']

  it('is not kept by a cache, and says its language and what it depends on', async () => {
    const running = await startPages(FACTOR_SETTINGS)
    const browser = browserDesk(running)
    const german = { 'accept-language': 'de' }
    try {
      const answers = [
        await browser.get('/account', german),
        await browser.get('/account/sign-in', german),
        await browser.get('/account/second-factor', german),
        await browser.post('/account/sign-in', {}, german),
        await browser.signIn(),
      ]
      for (const path of SIGNED_IN) {
        answers.push(await browser.get(path, german))
        answers.push(await browser.post(path, {}, { ...german, 'sec-fetch-site': 'cross-site' }))
        if (path !== '/account/sign-out') answers.push(await browser.post(path, {}, german))
      }
      for (const { status, headers, html } of answers) {
        expect(headers['cache-control']).to.equal('no-store')
        if (status === 303) continue
        expect(headers).to.include({ 'content-language': 'de', vary: 'Accept-Language, Cookie' })
        expect(html).to.include('<html lang="de">')
      }
      expect(answers.map(({ status }) => status)).to.deep.equal([
        ...[303, 200, 303, 422, 303],
        ...[200, 403, 303],
        ...[200, 403, 422],
        ...[200, 403, 422],
        ...[200, 403],
      ])
    } finally {
      await running.stop()
    }
  })
})

describe('pages for people, when the service refuses work', () => {
  const PATH = '/account/sign-in'
  const form = { email: 'ada@example.com', password: 'wrong' }

  it('answer too many failures of an account with 429 and the form, for each e-mail alike', async () => {
    const running = await startPages({ THROTTLE_ACCOUNT_FAILURES: '2' })
    try {
      for (const email of ['ada@example.com', 'eve@example.com']) {
        const answers: Array<PageAnswer> = []
        for (let each = 0; each < 3; each += 1)
          answers.push(await running.post(PATH, { ...form, email }, SAME_ORIGIN))
        expect(answers.map(({ status }) => status)).to.deep.equal([422, 422, 429])
        const [, , refused] = answers
        if (refused === undefined) throw new Error('no answer')
        expectStrictPage(refused, 'same-origin')
        expect(refused.headers['retry-after']).to.equal('30')
        expect(refused.html).to.include('Wait 30 seconds, then try again.')
        expect(refused.html).to.include(`value="${email}"`)
      }
    } finally {
      await running.stop()
    }
  })

  it('answer too many failures of a network with 429, and count wrong passwords of every e-mail there', async () => {
    const running = await startPages({ THROTTLE_ADDRESS_FAILURES: '3', TRUST_PROXY: '1' })
    try {
      const from = (address: string, email: string) =>
        running.post(PATH, { ...form, email }, { ...SAME_ORIGIN, 'x-forwarded-for': address })
      const statuses: Array<number> = []
      for (let each = 0; each < 4; each += 1)
        statuses.push((await from('192.0.2.1', `user${each}@example.com`)).status)
      expect(statuses).to.deep.equal([422, 422, 422, 429])
      expect((await from('192.0.2.2', form.email)).status).to.equal(422)
    } finally {
      await running.stop()
    }
  })

  it('answer overload with 503 and the form', async () => {
    const hasher = refusingHasher({ _tag: 'Overloaded', retryAfterSeconds: 7 })
    const running = await startPages(
      {},
      provide(Dependency.passwordHasher, () => hasher),
    )
    try {
      hasher.refusing = true
      const answer = await running.post(PATH, form, SAME_ORIGIN)
      expectStrictPage(answer, 'same-origin')
      expect([answer.status, answer.headers['retry-after']]).to.deep.equal([503, '7'])
      expect(answer.html).to.include('The service is busy').and.include('<form')
    } finally {
      await running.stop()
    }
  })

  for (const [outcome, words] of [
    [undefined, 'The service is busy'],
    ['unknown', 'The outcome is unknown'],
  ] as const)
    it(`answer a store that fails (outcome: ${outcome}) with 503: ${words}`, async () => {
      let isBroken = false
      const store = memoryStore()
      const commit: typeof store.commit = (change) => async () =>
        isBroken
          ? left({ _tag: 'StoreUnavailable', reason: 'lost', ...(outcome && { outcome }) })
          : store.commit(change)()
      const running = await startPages(
        {},
        provide(Dependency.storage, () => ({ store: { ...store, commit } })),
      )
      try {
        isBroken = true
        const answer = await running.post(PATH, { ...form, password: running.ada.password }, SAME_ORIGIN)
        expectStrictPage(answer, 'same-origin')
        expect(answer.status).to.equal(503)
        expect(answer.html).to.include(words)
      } finally {
        await running.stop()
      }
    })
})
