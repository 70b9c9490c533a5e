import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { violations } from '../support/axe.ts'
import { describeInBrowser } from '../support/browser.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 360, height: 740 }

describeInBrowser('the appearance of the reference', (visit) => {
  let running: RunningService
  let docs: string
  before(async () => {
    running = await startService()
    docs = `http://127.0.0.1:${running.port}/docs`
  })
  after(() => running.stop())

  for (const [colorScheme, viewport] of [
    ['light', WIDE],
    ['dark', NARROW],
  ] as const) {
    it(`has no accessibility violations in the ${colorScheme} scheme, ${viewport.width} pixels wide, fully opened`, async () => {
      await visit(
        docs,
        async ({ page }) => {
          await page.goto(docs)
          await openAll(page)
          expect(await violations(page)).to.deep.equal([])
        },
        { colorScheme, viewport },
      )
    })
  }

  it('follows the reader’s color scheme', async () => {
    const grounds: Array<unknown> = []
    for (const colorScheme of ['light', 'dark'] as const)
      await visit(
        docs,
        async ({ page }) => {
          await page.goto(docs)
          grounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
        },
        { colorScheme },
      )
    expect(grounds).to.deep.equal(['rgb(255, 255, 255)', 'rgb(20, 24, 28)'])
  })

  it('needs no horizontal scrolling at 320 pixels', async () => {
    await visit(
      docs,
      async ({ page }) => {
        await page.goto(docs)
        await openAll(page)
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(320)
      },
      { viewport: { width: 320, height: 700 } },
    )
  })

  it('has no animations', async () => {
    await visit(docs, async ({ page }) => {
      await page.goto(docs)
      await openAll(page)
      expect(await page.evaluate('document.getAnimations().length')).to.equal(0)
      const moving = `[...document.querySelectorAll('*')].filter((one) => {
        const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(one)
        return transitionDuration !== '0s' || animationName !== 'none' || scrollBehavior !== 'auto'
      }).length`
      expect(await page.evaluate(moving)).to.equal(0)
    })
  })

  it('has a title, a language, landmarks and headings without skipped levels', async () => {
    await visit(docs, async ({ page }) => {
      await page.goto(docs)
      expect(await page.title()).to.equal('Portcullis: HTTP reference')
      expect(await page.locator('html').getAttribute('lang')).to.equal('en')
      for (const landmark of ['banner', 'navigation', 'main'] as const)
        expect(await page.getByRole(landmark).count(), landmark).to.equal(1)
      await openAll(page)
      const levels = await page.evaluate<ReadonlyArray<number>>(
        `[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((one) => Number(one.tagName.slice(1)))`,
      )
      expect(levels.filter((level) => level === 1)).to.have.length(1)
      expect(levels[0]).to.equal(1)
      levels.forEach((level, index) => {
        expect(level).to.be.at.most((levels[index - 1] ?? 0) + 1)
      })
    })
  })
})

const openAll = (page: Page): Promise<unknown> =>
  page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)
