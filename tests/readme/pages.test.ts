import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { complaintsAbout, passagesIn, runOnsIn, sentencesIn, wordsAt } from './language.ts'
import { anchorsIn, brokenLinks, lengthOf, linksIn, pagesBelow } from './markdown.ts'

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

  it('takes headings as GitHub does', () => {
    expect(anchorsIn(other)).to.deep.equal(['one', 'one-1', 'two_2--three'])
    expect(anchorsIn('# PostgreSQL’s 2nd [step](x.md): go!')).to.deep.equal(['postgresqls-2nd-step-go'])
    expect(anchorsIn('<a id="here"></a>')).to.deep.equal(['here'])
  })

  for (const target of [
    'other.md',
    'other.md#one-1',
    '#here',
    './other.md#two_2--three',
    'https://x.test/#y',
  ]) {
    it(`lets pass: ${target}`, () => {
      expect(brokenLinks('page.md', `# Here\n[to](${target})`, folder)).to.deep.equal([])
    })
  }

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

  it('leaves code alone', () => {
    expect(linksIn('`[to](none.md)` and\n```md\n[to](none.md)\n```\n')).to.deep.equal([])
  })
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

  for (const page of [
    long(25),
    `${long(20)} ${long(20)}`,
    `${long(20)} npm is a word. ${long(20)}`,
    `- ${long(20)}\n- ${long(20)}`,
    `| ${long(20)} | ${long(20)} |`,
    `## ${long(20)}\n${long(20)}`,
    `\`\`\`text\n${long(40)} nobody\n\`\`\``,
    `<!-- ${long(40)} -->`,
    `The actor is \`nobody\`, and \`${long(30)}\` is one word.`,
    `[${long(3).replace('.', '')}](${'x'.repeat(300)}).`,
    'This is for you, and for it alone. A search for it can take a minute.',
    `| a | \`tests/x.test.ts\` › ${long(30)} |`,
    `${long(20)}<br>${long(20)}`,
  ]) {
    it(`has nothing against: ${page.slice(0, 60)}`, () => {
      expect(complaintsAbout(page)).to.deep.equal([])
    })
  }

  const clause = (words: number) => long(words).replace('.', '')

  for (const page of [
    `| ${clause(16)} | ${clause(15)} |`,
    `It does:\n\n- ${clause(15)};\n- ${clause(15)}.`,
    `- ${clause(11)},\n- ${clause(10)},\n  1. ${clause(10)}`,
  ]) {
    it(`finds no full stop for too long in: ${page.replaceAll('\n', ' ').slice(0, 60)}`, () => {
      expect(runOnsIn(page)).to.have.lengthOf(1)
    })
  }

  for (const page of [
    `| ${long(16)} | ${clause(15)} |`,
    `| ${clause(20)} |\n| ${clause(20)} |`,
    `It does:\n\n- ${long(16)}\n- ${long(15)}`,
    `- ${clause(20)}:\n  \`\`\`sh\n  ${clause(40)}\n  \`\`\`\n- ${clause(20)}`,
    `Run ${clause(16)}:\n\n\`\`\`sh\nls\n\`\`\`\n\n- ${clause(15)}`,
    `- [${clause(16)}](#x)\n- [${clause(15)}](#y)`,
    `# ${clause(25)}\n- ${clause(25)}`,
    `- \`${long(40)}\` ${clause(29)}`,
  ]) {
    it(`finds a full stop soon enough in: ${page.replaceAll('\n', ' ').slice(0, 60)}`, () => {
      expect(runOnsIn(page)).to.deep.equal([])
    })
  }

  it('counts how many words nine of ten sentences have at most', () => {
    const nine = Array.from({ length: 9 }, (_, index) => long(index + 1))
    expect(wordsAt(0.9, [long(50), ...nine])).to.equal(9)
    expect(wordsAt(0.9, [long(50), long(27), ...nine])).to.equal(27)
  })

  it('reads sentences across lines, and cells one by one', () => {
    expect(sentencesIn('One `a.b`\ntwo. Three e.g. four.\n\n| five | six. seven |\n|---|---|')).to.deep.equal(
      ['One CODE two.', 'Three e.g. four.', 'five', 'six.', 'seven'],
    )
  })
})
