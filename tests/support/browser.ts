import { existsSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { shared } from './shared.ts'

/** Where a Chromium stands: where Debian has it, or where the setting says. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Resolves no name and asks nobody for updates, so that what it does is what pages make it do. */
export const FLAGS: ReadonlyArray<string> = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

/** A page of a browser that remembers nothing, and all that it did. */
export type Visit = Readonly<{
  page: Page
  /** What every request asked for, whether it was let through or not. */
  requests: ReadonlyArray<string>
  /** What the browser complained of: breaches of a policy, errors of scripts, answers that are none. */
  complaints: ReadonlyArray<string>
}>

export type Visitor = (
  baseUrl: string,
  use: (visit: Visit) => Promise<void>,
  options?: BrowserContextOptions,
) => Promise<void>

/**
 * Tests in a real browser, which a parallel run shares. A visitor opens a page at an address, and nothing of any other origin.
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
