import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

describe('the check of links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-pages-'))
  const other = '# One\n## One\n### `two_2` & three\n```sh\n# no heading\n```\n'
  before(() => writeFileSync(join(folder, 'other.md'), other))
  after(() => rmSync(folder, { recursive: true }))

  for (const target of [
    'none.md',
    'other.md#none',
    '#none',
    '../other.md',
    '/other.md',
    'other.md#no-heading',
  ]) {
    it(`finds: ${target}`, () => {
      expect(brokenLinks('page.md', `# Here\n[to](${target})`, folder)).to.have.lengthOf(1)
      expect(brokenLinks('page.md', `# Here\n[to]: ${target}`, folder)).to.have.lengthOf(1)
    })
  }
})

describe('the check of the language', () => {
  const long = (words: number) => `${Array.from({ length: words }, () => 'word').join(' ')}.`

  for (const page of [
    long(26),
    `- ${long(26)}`,
    `1. Short.\n2. ${long(13).replace('.', '')}\n   ${long(13)}`,
    `| ${long(26)} | short |`,
    `## ${long(26)}`,
    `> ${long(26)}`,
    `${long(13).replace('.', ' e.g.')} ${long(13)}`,
    long(24).replace('.', ' `code` [a link](x.md).'),
    'Whoever reads this.',
    'It is kept from nobody.',
    'What is to be done.',
    'It is long, for it has to be.',
    '| cell | somebody’s |',
    'It takes no less than a day.',
  ]) {
    it(`finds what is wrong with: ${page.slice(0, 60)}`, () => {
      expect(complaintsAbout(page)).to.have.lengthOf(1)
    })
  }
})
