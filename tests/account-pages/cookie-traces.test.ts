import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { startScreens } from '../console/screens-here.ts'
import { capturedLog } from '../support/captured-log.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { browserDesk, SAME_ORIGIN } from './browser-desk.ts'
import { pageClient, startPages } from './pages-service.ts'

const SESSION = '__Host-portcullis'

/** What must be nowhere: whole cookies, and what is inside of one. */
const secretsOf = (cookie: string) => [cookie, cookie.slice(8, 40)]

describe('the cookie of a session', () => {
  it('is in no log line, event, metric, row or export, and its digest only in the row of the session', async () => {
    const { log, lines } = capturedLog()
    const store = memoryStore()
    const pages = await startPages(
      { LOG_LEVEL: 'trace' },
      provide(Dependency.log, () => log),
      provide(Dependency.storage, () => ({ store })),
    )
    try {
      const browser = browserDesk(pages)
      await browser.signIn()
      const cookies = [browser.cookies.get(SESSION) ?? '']
      await browser.get('/account')
      await browser.post('/account/password', {
        old_password: pages.ada.password,
        new_password: 'nine purple otters',
        new_password_check: 'nine purple otters',
      })
      const cookie = `${SESSION}=${cookies[0]}x`
      await pages.get('/account', { cookie })
      await pages.post('/account/password', {}, { ...SAME_ORIGIN, cookie })
      await pages.post('/account/password', {}, { 'sec-fetch-site': 'cross-site', cookie })
      await browser.signIn({ password: 'nine purple otters' })
      cookies.push(browser.cookies.get(SESSION) ?? '')
      const rows = await succeed(store.listRows({ table: 'sessions', after: '', limit: 10 }))
      const digests = rows.flatMap((row) => (row.cookie._tag === 'Some' ? [row.cookie.value] : []))
      expect(digests).to.have.length(2)
      const exported: Array<unknown> = []
      for await (const step of pages.service.exportUsers(CONTEXT))
        exported.push(isRight(step) ? step.right : step)
      const places = {
        lines: lines.join('\n'),
        events: JSON.stringify(await succeed(store.readEvents({ after: 0, limit: 1_000 }))),
        metrics: (await pages.get('/metrics')).html,
        export: JSON.stringify(exported),
      }
      expect(places.lines).to.include('/account/password')
      for (const [place, text] of Object.entries(places))
        for (const secret of [...cookies.flatMap(secretsOf), ...digests])
          expect(text, place).not.to.include(secret)
      for (const secret of cookies.flatMap(secretsOf)) expect(JSON.stringify(rows)).not.to.include(secret)
      const checked = await succeed(checkLog({ store, clock: pages.now, digests: nodeDigests }))
      expect(checked.disagreements).to.deep.equal([])
    } finally {
      await pages.stop()
    }
  })

  it('is on no screen of the console, and neither is its digest', async () => {
    const here = await startScreens({
      environment: {
        ACCOUNT_PAGES: 'on',
        PUBLIC_URL: 'https://service.test',
        KEY_ENCRYPTION_KEY: `2026:${'key-encryption-key-of-tests-'.repeat(2)}`,
      },
    })
    const client = pageClient(`http://127.0.0.1:${await here.service.listen('127.0.0.1', 0)}`)
    try {
      const ada = { email: 'ada@example.com', password: 'correct horse battery' }
      const { id } = await succeed(here.service.registerUser(CONTEXT, ada, { kind: 'operator' }))
      const browser = browserDesk({ ...client, ada: { id, ...ada } })
      await browser.signIn()
      const [session] = await succeed(here.store.listRows({ table: 'sessions', after: '', limit: 10 }))
      const digest = session?.cookie._tag === 'Some' ? session.cookie.value : ''
      expect(digest).to.match(/^[0-9a-f]{64}$/)
      const cookie = browser.cookies.get(SESSION) ?? ''
      const shown = ['people', `person?id=${id}`, 'events', 'applications', 'today']
      const screens = await Promise.all(shown.map((link) => here.get(link)))
      expect(screens.map(({ status }) => status)).to.deep.equal(shown.map(() => 200))
      const person = screens[1]?.html ?? ''
      expect(person).to.include('Account pages')
      for (const { html } of screens)
        for (const secret of [...secretsOf(cookie), digest]) expect(html).not.to.include(secret)
    } finally {
      await client.close()
      await here.stop()
    }
  })
})
