import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL } from '../support/settings.ts'

/** Hundreds of round trips to a browser, also on a busy machine. */
const EVERY_OPERATION_MS = 240_000

describeInBrowser('the reference in a browser', (visit) => {
  let running: RunningService
  let docs: string
  before(async () => {
    running = await startService({ PUBLIC_URL: `${PUBLIC_URL}/auth` })
    docs = `http://127.0.0.1:${running.port}/auth/docs`
  })
  after(() => running.stop())

  /** The operations of the document with their statuses. */
  const operations = async (): Promise<
    ReadonlyArray<readonly [name: string, statuses: ReadonlyArray<string>]>
  > => {
    const { body } = await running.send({ method: 'GET', path: '/auth/openapi.json' })
    return Object.entries(body.paths).flatMap(([path, item]) =>
      Object.entries(item as Readonly<Record<string, { responses?: object }>>).flatMap(
        ([method, { responses }]) =>
          responses === undefined
            ? []
            : [[`${method.toUpperCase()} ${path}`, Object.keys(responses)] as const],
      ),
    )
  }

  const operation = (page: Page, name: string) =>
    page.locator('details.operation').filter({ has: page.getByRole('heading', { name, exact: true }) })

  it('shows every operation of the document with all its statuses', async () => {
    const all = await operations()
    expect(all).to.have.length.above(10)
    await visit(docs, async ({ page }) => {
      await page.goto(docs)
      for (const [name, statuses] of all) {
        const found = operation(page, name)
        await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
        expect(await found.getByRole('heading', { name: 'Responses' }).isVisible(), name).to.equal(true)
        expect(await found.locator('h5 .status').allInnerTexts(), name).to.deep.equal(statuses)
      }
      expect(await page.locator('details.operation').count()).to.equal(all.length)
    })
  })

  it('violates no policy and sends no other request during any interaction', async () => {
    await visit(docs, async ({ page, requests, complaints }) => {
      await page.goto(docs)
      await useAll(page)
      expect(complaints).to.deep.equal([])
      const asked = requests.filter((url) => !url.startsWith('data:'))
      expect(asked).to.deep.equal([docs])
    })
  }).timeout(EVERY_OPERATION_MS)

  it('works without JavaScript', async () => {
    await visit(
      docs,
      async ({ page }) => {
        await page.goto(docs)
        expect(await page.locator('details.operation').count()).to.equal((await operations()).length)
        await page.getByRole('link', { name: 'openapi.json' }).first().click()
        expect(new URL(page.url()).pathname).to.equal('/auth/openapi.json')
      },
      { javaScriptEnabled: false },
    )
  })
})

/** Opens all sections, follows every link within the page, and scrolls from top to bottom. */
const useAll = async (page: Page): Promise<void> => {
  const closed = page.locator('details:not([open]) > summary')
  while ((await closed.count()) > 0) await closed.first().click()
  const links = await page.locator('a[href^="#"]').all()
  const targets = new Set(await Promise.all(links.map((link) => link.getAttribute('href'))))
  for (const target of targets) await page.locator(`a[href="${target}"]`).first().press('Enter')
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
}
