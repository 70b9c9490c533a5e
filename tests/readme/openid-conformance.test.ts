import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

/** The tests run from the root of the project, whether compiled or not. */
const page = readFileSync('docs/openid-conformance.md', 'utf8')
const FOLDER = 'tests/openid'

const rows = [...page.matchAll(/^\| `(oidcc-[a-z0-9-]+)` \| [^|]+ \| ([a-z ]+) \|/gm)].map(
  ([, module = '', result = '']) => ({ module, result }),
)
const tests = readdirSync(FOLDER)
  .filter((name) => /^conformance-.*\.test\.ts$/.test(name))
  .map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'))
  .join('\n')
const tested = new Set([...tests.matchAll(/[`'](oidcc-[a-z0-9-]+)/g)].map(([, module = '']) => module))

describe('docs/openid-conformance.md', () => {
  it('names each module that the tests run, once, and no other as tested', () => {
    const proved = rows.filter(({ result }) => result !== 'not applicable').map(({ module }) => module)
    expect(proved).to.have.members([...tested])
  })

  it('counts its results', () => {
    const [, names = '', numbers = ''] = /^(\| met .*)\n[|-]+\n(.*)$/m.exec(page) ?? []
    const counts = names.split('|').flatMap((cell) => {
      const result = cell.trim()
      return result === '' ? [] : [rows.filter((row) => row.result === result).length]
    })
    expect(numbers.match(/\d+/g)?.map(Number)).to.deep.equal(counts)
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(rows.length)
  })
})
