import { expect } from 'chai'
import { connect, mismatchOf } from '../../adapters/stores/sqlite/driver.ts'

describe('a version of better-sqlite3', () => {
  // [Node, better-sqlite3, the version to install instead]
  const PAIRS: ReadonlyArray<readonly [string, string, number | undefined]> = [
    ['20.19.0', '12.11.1', undefined],
    ['20.20.2', '13.2.0', 12],
    ['22.23.3', '12.11.1', undefined],
    ['22.23.3', '13.2.0', undefined],
    ['24.21.0', '12.11.1', 13],
    ['24.21.0', '13.2.0', undefined],
    ['26.10.0', '12.11.1', undefined],
    ['26.10.0', '13.2.0', undefined],
  ]
  for (const [node, driver, needed] of PAIRS) {
    it(`is ${needed === undefined ? 'accepted' : 'refused with the version to install'}: ${driver} on Node ${node}`, () => {
      expect(mismatchOf(node, driver)).to.equal(
        needed &&
          `better-sqlite3 ${driver} crashes on Node ${node}. Install another version: npm install better-sqlite3@${needed}`,
      )
    })
  }

  it('is accepted if it is the installed one', () => {
    expect(connect(':memory:', {}).open).to.equal(true)
  })
})
