import { existsSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { shared } from './shared.ts'

/** The path of Chromium: the one from Debian, or from the setting. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Resolves no names but localhost, and checks for no updates, so that all requests come from pages. */
export const FLAGS: ReadonlyArray<string> = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** A page in a browser without history, with a record of its requests. */
export type Visit = Readonly<{
  page: Page
  /** The URL of every request, allowed or blocked. */
  requests: ReadonlyArray<string>
  /** The browser's complaints: policy violations, script errors, failed responses. */
  complaints: ReadonlyArray<string>
}>

export type Visitor = (
  baseUrl: string,
  use: (visit: Visit) => Promise<void>,
  options?: BrowserContextOptions,
) => Promise<void>

/**
 * Tests in a real browser, which a parallel run shares. A visitor opens a page at an address. Other origins are blocked.
 * Without a browser the tests are skipped, and fail in CI.
 */
export const describeInBrowser = (title: string, tests: (visit: Visitor) => void): void => {
  if (!existsSync(CHROMIUM)) {
    it(`${title}: needs Chromium, and there is none at ${CHROMIUM} (make browser)`, function () {
      if (process.env.CI) throw new Error('There is no Chromium.')
      this.skip()
    })
    return
  }
  describe(title, function () {
    this.timeout(60_000)
    let browser: Browser
    before(async () => {
      const there = shared()?.browser
      browser =
        there === undefined
          ? await chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS] })
          : await chromium.connect(there)
    })
    after(() => browser?.close())

    tests(async (baseUrl, use, options = {}) => {
      const context = await browser.newContext(options)
      try {
        await use(await visit(context, new URL(baseUrl).origin))
      } finally {
        await context.close()
      }
    })
  })
}

const visit = async (context: BrowserContext, origin: string): Promise<Visit> => {
  const requests: Array<string> = []
  const complaints: Array<string> = []
  context.on('request', (request) => requests.push(request.url()))
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  await context.route(
    (url) => url.origin !== origin,
    (route) => route.abort(),
  )
  return { page: await context.newPage(), requests, complaints }
}
