import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Its source, which makes `axe` in a page. */
export const AXE = axe.source

/** The violations of WCAG 2.2 level AA and of good practice within an element, with their places. */
export const violations = async (page: Page, within = 'html'): Promise<ReadonlyArray<string>> => {
  const { violations: found } = await page.evaluate<axe.AxeResults>(`${AXE}; axe.run('${within}')`)
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
