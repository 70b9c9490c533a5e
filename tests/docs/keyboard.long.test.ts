import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { type RunningService, startService } from '../support/running-service.ts'

/** Hundreds of round trips to a browser, also on a busy machine. */
const EVERY_OPERATION_MS = 240_000

describeInBrowser('the reference, used by keyboard', (visit) => {
  let running: RunningService
  let docs: string
  before(async () => {
    running = await startService()
    docs = `http://127.0.0.1:${running.port}/docs`
  })
  after(() => running.stop())

  const focused = (page: Page) => page.locator(':focus')

  it('starts with a link that skips the navigation', async () => {
    await visit(docs, async ({ page }) => {
      await page.goto(docs)
      await page.keyboard.press('Tab')
      expect(await focused(page).innerText()).to.equal('Skip to content')
      const { x = -1, y = -1 } = (await focused(page).boundingBox()) ?? {}
      expect([x >= 0, y >= 0]).to.deep.equal([true, true])
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      expect(await page.locator('main :focus').count()).to.equal(1)
    })
  })

  it('reaches every operation by Tab, and Enter and Space open and close it', async () => {
    await visit(docs, async ({ page }) => {
      await page.goto(docs)
      const wanted = await page.locator('.operation > summary').allInnerTexts()
      expect(wanted).to.have.length.above(10)
      const met: Array<string> = []
      for (let turn = 0; turn < MAX_TABS && met.length < wanted.length; turn += 1) {
        await page.keyboard.press('Tab')
        const summary = page.locator('.operation > summary:focus')
        if ((await summary.count()) === 0) continue
        met.push(await summary.innerText())
        const inside = page.locator('.operation:has(> summary:focus) > .inside')
        for (const [key, opens] of [
          ['Enter', true],
          ['Enter', false],
          ['Space', true],
          ['Space', false],
        ] as const) {
          await page.keyboard.press(key)
          expect(await inside.isVisible(), `${key} on ${met.at(-1)}`).to.equal(opens)
        }
      }
      expect(met).to.deep.equal(wanted)
    })
  }).timeout(EVERY_OPERATION_MS)

  it('opens an operation when Enter follows its link, and moves the focus there', async () => {
    await visit(docs, async ({ page }) => {
      await page.goto(docs)
      const links = await page.getByRole('navigation').getByRole('link').all()
      for (const link of links) {
        const name = await link.innerText()
        await link.press('Enter')
        const opened = page
          .locator('.operation')
          .filter({ has: page.getByRole('heading', { name, exact: true }) })
        expect(await opened.locator('> .inside').isVisible(), name).to.equal(true)
        await page.keyboard.press('Tab')
        expect(await opened.locator(':focus').count(), name).to.equal(1)
      }
    })
  }).timeout(EVERY_OPERATION_MS)

  it('shows the focus on every element', async () => {
    await visit(docs, async ({ page }) => {
      await page.goto(docs)
      await page.locator('.operation > summary').nth(1).press('Enter')
      await page.reload()
      for (let turn = 0; turn < 60; turn += 1) {
        await page.keyboard.press('Tab')
        const style = await page.evaluate(
          '[getComputedStyle(document.activeElement)].flatMap((one) => [one.outlineStyle, one.outlineWidth])',
        )
        expect(style).to.deep.equal(['solid', '3px'])
      }
    })
  })
})

/** More than the number of focusable elements. */
const MAX_TABS = 500
