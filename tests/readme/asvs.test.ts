import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { REQUIREMENTS } from './asvs-5.0.0.ts'
import { ASKED, isOpen, miscounted, problemsOf, type Row, rowsIn, STATES } from './asvs-table.ts'

/** The tests run from the root of the project, whether compiled or not. */
const page = readFileSync('docs/asvs.md', 'utf8')
const rows = rowsIn(page)

const wrongIn = (some: ReadonlyArray<Row>): ReadonlyArray<string> =>
  some.flatMap((row) => problemsOf(row).map((problem) => `${row.ids.join(', ')}: ${problem}`))

describe('docs/asvs.md', () => {
  it('has every requirement of ASVS 5.0.0 of level 1 and 2, each once', () => {
    expect(miscounted(rows)).to.deep.equal([])
  })

  it('has for each of them a test that there is, or a reason', () => {
    expect(wrongIn(rows)).to.deep.equal([])
  })

  it('counts them as they stand there', () => {
    const count = (state: string) =>
      rows.filter((row) => row.state === state).reduce((sum, { ids }) => sum + ids.length, 0)
    const counts = page.split('\n').find((line) => /^(?:\| \d+ )+\|$/.test(line)) ?? ''
    expect(counts.match(/\d+/g)?.map(Number)).to.deep.equal(STATES.map(count))
    expect(page).to.include(`Levels 1 and 2 have ${ASKED.length} requirements`)
    expect(page).to.include(`| ${STATES.join(' | ')} |`)
  })

  it('has nothing left to fill in', () => {
    expect(page.split('\n').filter(isOpen)).to.deep.equal([])
  })
})

describe('the list of ASVS 5.0.0', () => {
  it('has as many requirements of each level as the standard', () => {
    const levels = [1, 2, 3].map((level) => REQUIREMENTS.filter((one) => one.level === level).length)
    expect(levels).to.deep.equal([70, 183, 92])
  })
})

describe('a table that does not tell the truth', () => {
  const HERE = '`tests/readme/asvs.test.ts`'
  const GOOD = `| v5.0.0-6.2.2 | 1 | asks | met | here is said how it is met | ${HERE} › docs/asvs.md |`
  const REASON = '| v5.0.0-1.2.6 | 2 | asks | not applicable | there is nothing of this kind | |'

  it('is not one in which all is right', () => {
    expect(wrongIn(rowsIn([GOOD, REASON].join('\n')))).to.deep.equal([])
  })

  const WRONG: ReadonlyArray<readonly [what: string, row: string, said: string]> = [
    [
      'a row with neither test nor reason',
      GOOD.replace(/ › .*/, ' |').replace(HERE, ''),
      'no test proves it',
    ],
    [
      'a reason that is none',
      REASON.replace('there is nothing of this kind', 'no'),
      'neither how nor why not',
    ],
    [
      'a file that is not there',
      GOOD.replace('readme/asvs', 'readme/nothing'),
      'there is no tests/readme/nothing.test.ts',
    ],
    [
      'a sentence that is not in the file',
      GOOD.replace('› docs/asvs.md', '› says what it wants'),
      'does not say',
    ],
    ['half a word of a sentence', GOOD.replace('› docs/asvs.md', '› docs/as'), 'does not say'],
    ['something that is no test', GOOD.replace(`${HERE} › docs/asvs.md`, 'believe me'), 'names no test'],
    [
      'a test beside a reason that is not there',
      REASON.replace('| |', `| ${HERE} › nothing |`),
      'does not say',
    ],
    ['another level', GOOD.replace('| 1 |', '| 2 |'), 'the level is 1'],
    ['a requirement that there is not', GOOD.replace('6.2.2', '6.2.99'), 'there is no requirement 6.2.99'],
    ['a requirement of level 3', GOOD.replace('6.2.2', '6.3.8'), 'there is no requirement 6.3.8'],
    ['a state that there is not', GOOD.replace('met', 'almost'), 'there is no state almost'],
    ['a document that is not named', REASON.replace('not applicable', 'documented'), 'it names no place'],
  ]
  for (const [what, row, said] of WRONG) {
    it(`is found: ${what}`, () => {
      expect(wrongIn(rowsIn(row)).join()).to.include(said)
    })
  }
})
