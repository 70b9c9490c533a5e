import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { adaptersPage, codeIn, partOf } from './page.ts'

describe('docs/adapters.md', () => {
  it('shows the test that swaps adapters as it stands in the tests, in fourteen lines', () => {
    const test = readFileSync('tests/readme/swap-an-adapter.test.ts', 'utf8')
    const [beginning = '', rest = ''] = test.split('\ndescribe(')
    const body = rest.split('async () => {\n')[1]?.split('\n  })')[0] ?? ''
    const [imports, shown = ''] = codeIn(partOf(adaptersPage(), '## Swap an adapter in a test'), 'ts')
    expect(imports).to.equal(beginning)
    expect(shown.trimEnd()).to.equal(body.replaceAll(/^ {4}/gm, ''))
    expect(body.split('\n').length).to.equal(14)
  })
})
