import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { adaptersPage, partOf } from './page.ts'

describe('docs/adapters.md', () => {
  it('leads to the test that swaps adapters, which has fourteen lines', () => {
    const part = partOf(adaptersPage(), '## Swap an adapter in a test')
    const [, path = ''] = /\((\.\.\/tests\/.*\.test\.ts)\) is a complete test/.exec(part) ?? []
    const body = readFileSync(`docs/${path}`, 'utf8').split('async () => {\n')[1]?.split('\n  })')[0] ?? ''
    expect(body.split('\n').length).to.equal(14)
  })
})
