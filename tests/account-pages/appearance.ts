import type axe from 'axe-core'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { AXE } from '../support/axe.ts'

export const NARROW = { width: 320, height: 640 }
const WIDE = { width: 1280, height: 900 }

/** What a person gets of a page, seen in both schemes and at both widths. */
export type Appearance = Readonly<{
  title: string
  language: string | null
  banners: number
  mains: number
  headings: number
  /** The outline of what the first Tab focuses. */
  focused: string
  /** Moves of the layout while the page loaded, and animations. */
  moves: number
  violations: ReadonlyArray<string>
  widths: ReadonlyArray<unknown>
  grounds: ReadonlyArray<unknown>
}>

/** Only these rules depend on the scheme or on the width. */
const RULES = JSON.stringify({ runOnly: ['color-contrast', 'target-size'] })

/** Looks at the page that is open, from a narrow window in the light scheme, to which it returns. */
export const appearanceOf = async (page: Page): Promise<Appearance> => {
  const moves = await page.evaluate<number>(`new Promise((resolve) => {
    const found = []
    new PerformanceObserver((list) => found.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(found.length + document.getAnimations().length)))
  })`)
  await page.evaluate(`${AXE}; undefined`)
  const [violations, widths, grounds]: [Array<string>, Array<unknown>, Array<unknown>] = [[], [], []]
  for (const viewport of [NARROW, WIDE])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      const rules = viewport === NARROW && colorScheme === 'light' ? '{}' : RULES
      const found = await page.evaluate<axe.AxeResults>(`axe.run('html', ${rules})`)
      const where = `${colorScheme}, ${viewport.width} px`
      violations.push(
        ...found.violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target }) => `${where}: ${id}: ${target.join(' ')}`),
        ),
      )
      widths.push(await page.evaluate('document.documentElement.scrollWidth'))
      grounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
    }
  await page.setViewportSize(NARROW)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.keyboard.press('Tab')
  return {
    title: await page.title(),
    language: await page.locator('html').getAttribute('lang'),
    banners: await page.getByRole('banner').count(),
    mains: await page.getByRole('main').count(),
    headings: await page.getByRole('heading', { level: 1 }).count(),
    focused: await page.evaluate<string>(
      `document.activeElement === document.body ? 'none' : getComputedStyle(document.activeElement).outline`,
    ),
    moves,
    violations,
    widths,
    grounds,
  }
}

/** Every page looks like this. */
export const expectGoodLooks = (
  { title, focused, grounds, ...seen }: Appearance,
  state: string,
  language: 'en' | 'de',
): void => {
  expect(title, state).to.match(/^(?:Error: |Fehler: )?[A-Z][\p{L} ,-]+ – W{60}$/u)
  expect(focused, state).to.match(/^none$|solid 3px$/)
  expect(seen, state).to.deep.equal({
    language,
    banners: 1,
    mains: 1,
    headings: 1,
    moves: 0,
    violations: [],
    widths: [NARROW.width, NARROW.width, WIDE.width, WIDE.width],
  })
  expect(grounds, state).to.deep.equal([
    'rgb(255, 255, 255)',
    'rgb(20, 24, 28)',
    'rgb(244, 246, 248)',
    'rgb(29, 35, 41)',
  ])
}
