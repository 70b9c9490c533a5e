import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { complaintsAbout, passagesIn, runOnsIn, wordsAt } from './language.ts'
import { brokenLinks, lengthOf, pagesBelow } from './markdown.ts'

/** The tests run from the root of the project, whether compiled or not. */
const PAGES = pagesBelow('.').map((path) => ({ path, page: readFileSync(path, 'utf8') }))

/** How many lines a page may have: as many as one reads at a sitting. */
const MOST_LINES = 400
const most = (path: string): number => (path === 'README.md' ? 200 : MOST_LINES)

describe('the pages', () => {
  it('are found: the way in, and those that it leads to', () => {
    const paths = PAGES.map(({ path }) => path)
    expect(paths).to.include.members(['README.md', 'SECURITY.md', 'docs/adapters.md'])
    expect(paths.filter((path) => path.includes('node_modules'))).to.deep.equal([])
  })

  for (const { path, page } of PAGES) {
    it(`has links that lead somewhere: ${path}`, () => {
      expect(brokenLinks(path, page)).to.deep.equal([])
    })

    it(`is short: ${path}`, () => {
      expect(lengthOf(page)).to.be.at.most(most(path))
    })

    if (path.startsWith('docs/'))
      it(`says first what it is for and who needs it: ${path}`, () => {
        const [, first = ''] = /^# .+\n\n([\s\S]+?)\n\n/.exec(page) ?? []
        expect(first).to.match(/^\w?.*\b[Ff]or \w+/s)
      })

    it(`is written in short sentences and plain words: ${path}`, () => {
      expect(complaintsAbout(page)).to.deep.equal([])
    })

    if (path !== 'CHANGELOG.md')
      it(`has a full stop often enough in its tables and lists: ${path}`, () => {
        expect(runOnsIn(page)).to.deep.equal([])
      })
  }

  it('sentences have at most 26 words at the 90th percentile over all pages', () => {
    const pages = PAGES.filter(({ path }) => path !== 'CHANGELOG.md')
    expect(
      wordsAt(
        0.9,
        pages.flatMap(({ page }) => passagesIn(page)),
      ),
    ).to.be.at.most(26)
  })
})
