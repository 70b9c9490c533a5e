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
