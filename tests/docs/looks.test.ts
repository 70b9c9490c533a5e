import axe from 'axe-core'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 360, height: 740 }

describeInBrowser('the looks of the reference', (visit) => {
  let running: RunningService
  let docs: string
  before(async () => {
    running = await startService()
    docs = `http://127.0.0.1:${running.port}/docs`
  })
  after(() => running.stop())

  for (const [colorScheme, viewport] of [
    ['light', WIDE],
    ['light', NARROW],
    ['dark', WIDE],
    ['dark', NARROW],
  ] as const) {
    it(`are within everybody's reach, ${colorScheme}, ${viewport.width} pixels wide, all of it open`, async () => {
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

  it('are judged by what can tell: grey on grey is found', async () => {
    await visit(docs, async ({ page }) => {
      await page.goto(docs)
      await page.evaluate(`document.querySelector('h1').style.color = '#ccc'`)
      expect(await violations(page)).to.deep.equal(['color-contrast: h1'])
    })
  })

  it('are those that the reader prefers', async () => {
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

  it('need no scrolling sideways in 320 pixels', async () => {
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

  it('never move by themselves', async () => {
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

  it('come with a title, a language, landmarks and headings that do not skip a level', async () => {
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

/** What WCAG 2.2 at level AA and good practice find wrong, and where. */
const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  const { violations: found } = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run()`)
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
