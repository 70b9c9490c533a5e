import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { eventsOf } from '../support/events.ts'
import { succeed } from '../support/outcome.ts'
import { userOf } from '../support/second-factors.ts'
import { sqliteFiles } from '../support/sqlite-files.ts'
import type { Place } from '../support/store-kind.ts'
import {
  aFactor,
  anApplication,
  aSession,
  aUser,
  change,
  changeBy,
  enrolled,
  registered,
  registeredApplication,
  signedIn,
} from '../testkit/builders.ts'
import { ADA, type ConsoleGiven, type ConsoleHere, OPERATOR_NAME, startConsole } from './console-here.ts'

describeInBrowser('the console in a browser', (visit) => {
  let place: Place
  let here: ConsoleHere
  beforeEach(async () => {
    place = await sqliteFiles.layOut()
  })
  afterEach(async () => {
    await here.stop()
    await place.remove()
  })
  const start = async (given: ConsoleGiven = {}) => {
    here = await startConsole({ DATABASE_URL: place.url }, { write: true, ...given })
  }

  it('takes its own forms: a user is disabled, and the page says so', async () => {
    await start()
    await visit(here.origin, async ({ page, complaints }) => {
      await page.goto(`${here.origin}${here.target}`)
      await page.getByRole('link', { name: 'People' }).click()
      await page.getByRole('link', { name: ADA.email }).click()
      await page.getByRole('link', { name: 'Disable' }).click()
      await page.getByRole('button', { name: 'Disable' }).click()
      expect(await page.getByRole('status').innerText()).to.include('Disabled')
      expect(complaints).to.deep.equal([])
      await page.goto(`${here.origin}${here.target}`)
      expect(new URL(page.url()).pathname).to.equal(`${here.path}/today`)
    })
    const [entry] = await eventsOf(here.operations.store, 'UserDisabled')
    expect(entry).to.deep.include({
      subject: { kind: 'user', id: here.user },
      actor: { kind: 'operator', id: OPERATOR_NAME },
    })
  })

  for (const [name, console, attacker] of [
    ['another port of 127.0.0.1', '127.0.0.1', '127.0.0.1'],
    ['another port of localhost', 'localhost', 'localhost'],
    ['another site', '127.0.0.1', 'localhost'],
  ] as const)
    it(`gives a page of ${name} nothing, even if it knows the path: no text, no frame, no window, no change, no cookie`, async () => {
      await start()
      const { server, port, received } = await attackersServer()
      const base = `http://${console}:${here.port}${here.path}`
      const evil = `http://${attacker}:${port}`
      try {
        await visit(evil, async ({ page }) => {
          const context = page.context()
          await context.unrouteAll()
          await page.goto(`http://${console}:${here.port}${here.target}`)
          expect(await page.locator('h1').innerText()).to.equal('The last 24 hours')
          const before = await sqliteFiles.contents(place.url)

          await page.goto(`${evil}/`)
          const form = `action=disable&id=${here.user}`
          expect(await page.evaluate(attempts(base, form))).to.deep.equal({
            read: 'TypeError',
            'read an opaque response': 'TypeError',
            'post a form': 'TypeError',
            'post with a header of its own': 'TypeError',
            'load as a script': 'error',
            'hold a window': 'closed',
          })
          await page.setContent(`<iframe src="${base}/today"></iframe>`)
          expect(page.frames()).to.have.lengthOf(2)
          await page.frames()[1]?.waitForURL('chrome-error://chromewebdata/', { waitUntil: 'commit' })
          await submit(page, `${base}/change`, form)
          expect(await page.locator('h1').innerText()).to.equal(
            console === attacker
              ? 'The form came from another page'
              : 'The console is not open in this browser',
          )
          for (const path of ['/', '/today', '/open', '/a/b']) await page.goto(`${evil}${path}`)
          expect(await sqliteFiles.contents(place.url)).to.deep.equal(before)

          await page.goto(`${base}/today`)
          expect(await page.locator('h1').innerText()).to.equal('The last 24 hours')
        })
        expect(received.length).to.be.greaterThan(5)
        expect(received.join()).to.include('marker=1').and.not.to.include('portcullis_console')
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })

  it('shows hostile text as text, on every screen', async () => {
    const findings = [{ name: 'log', ok: false, detail: STORED }]
    await start({ operator: STORED, storeText: STORED, findings })
    const { store } = here.operations
    const user = aUser({ email: STORED })
    const application = anApplication({ name: STORED })
    const { id } = application
    const evil = { actor: { kind: 'operator', id: STORED }, requestId: STORED } as const
    const factor = aFactor({ userId: user.id, name: STORED })
    await succeed(store.commit(changeBy(evil, registeredApplication(application), registered(user))))
    await succeed(store.commit(change(enrolled(factor, user))))
    const { passwordVersion, sessionsVersion } = await userOf(store, user.id)
    const labelled = { label: some(STORED), applicationId: id }
    const session = aSession({ userId: user.id, passwordVersion, sessionsVersion, ...labelled })
    await succeed(store.commit(changeBy({ actor: { kind: 'application', id } }, signedIn(session))))

    const q = encodeURIComponent(HOSTILE)
    const all = ['user', 'application', 'type', 'reason', 'since', 'until'].map((name) => `${name}=${q}`)
    const paths = [
      ...['today', `today?day=${q}`, 'people', `people?user=${q}&status=${q}`, `people?after=${q}`],
      ...[`person?id=${user.id}`, `person?id=${q}`, `person?id=${user.id}&done=${q}`],
      ...['events', `events?${all.join('&')}`, `events?application=${id}&follow=on`, `events?before=${q}`],
      ...['applications', `applications?after=${q}`, `${q}?${q}=${q}`],
      ...[
        `confirm?action=remove&id=${user.id}`,
        `confirm?action=rotate&id=${id}`,
        `confirm?action=${q}&id=${q}`,
      ],
    ]
    await visit(here.origin, async ({ page, complaints }) => {
      await page.goto(`${here.origin}${here.target}`)
      for (const path of paths) {
        await page.goto(`${here.origin}${here.path}/${path}`)
        const shown = await page.evaluate(SHOWN)
        expect(shown, path).to.deep.equal({ isShown: true, elements: [], notIsolated: [] })
      }
      expect(complaints.filter((words) => !/status of 4\d\d/.test(words))).to.deep.equal([])
    })
  })
})

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(1)>"'><x-evil onclick=alert(1)>&lt;\u202Egpj.exe\u2066\u200F`
const STORED = `${HOSTILE}${'W'.repeat(2_000)}`

/** Whether a page shows the hostile text, which elements or handlers came of it, and where it could reorder the text around it. */
const SHOWN = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (texts.nextNode()) if (texts.currentNode.data.includes('\\u202E')) found.push(texts.currentNode)
  const isIsolated = ({ data, parentElement: parent }) =>
    parent.matches('bdi, h1, option') ||
    (getComputedStyle(parent).unicodeBidi.includes('isolate') &&
      [${JSON.stringify(HOSTILE)}, ${JSON.stringify(STORED)}].includes(data.trim()))
  const elements = [...document.querySelectorAll('*')].filter((element) =>
    element.matches('script, img, x-evil') || [...element.attributes].some(({ name }) => name.startsWith('on')))
  return {
    isShown: found.some(({ data }) => data.includes(${JSON.stringify(HOSTILE)})),
    elements: elements.map(({ outerHTML }) => outerHTML),
    notIsolated: found.filter((text) => !isIsolated(text)).map(({ parentElement }) => parentElement.outerHTML),
  }
})()`

/** What a page tries on the console, and how each attempt ends. */
const attempts = (base: string, form: string): string => `(async () => {
  const outcome = (url, options) => fetch(url, { credentials: 'include', ...options }).then(({ type }) => type, ({ name }) => name)
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const post = { method: 'POST', body: '${form}' }
  const script = (url) => new Promise((resolve) => document.head.append(
    Object.assign(document.createElement('script'), { src: url, onload: () => resolve('load'), onerror: () => resolve('error') })))
  const opened = window.open('${base}/today')
  for (let looks = 0; looks < 200 && !opened.closed; looks += 1) await new Promise((resolve) => setTimeout(resolve, 10))
  return {
    read: await outcome('${base}/today'),
    'read an opaque response': await outcome('${base}/today', { mode: 'no-cors' }),
    'post a form': await outcome('${base}/change', { ...post, headers, mode: 'no-cors' }),
    'post with a header of its own': await outcome('${base}/change', { ...post, headers: { ...headers, 'X-Own': '1' } }),
    'load as a script': await script('${base}/today'),
    'hold a window': opened.closed ? 'closed' : 'open',
  }
})()`

/** Submits a form of the page to another place, and waits for the answer. */
const submit = async (page: Page, action: string, fields: string): Promise<void> => {
  await page.setContent(`<form method="post" action="${action}"></form>`)
  await page.evaluate(`for (const [name, value] of new URLSearchParams('${fields}'))
    document.forms[0].append(Object.assign(document.createElement('input'), { name, value }))`)
  await Promise.all([page.waitForURL(action), page.evaluate('document.forms[0].submit()')])
}

/** The server of an attacker. It keeps the cookies that it gets. */
const attackersServer = async () => {
  const received: Array<string> = []
  const server = createServer(({ headers }, response) => {
    received.push(headers.cookie ?? '')
    response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'marker=1; Path=/' }).end('<p>evil')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, received, port: (server.address() as AddressInfo).port }
}
