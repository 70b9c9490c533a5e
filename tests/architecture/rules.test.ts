import { expect } from 'chai'
import { EXAMPLES } from './examples.ts'
import { importsOf } from './imports.ts'
import { breaches, RULES } from './rules.ts'

describe('the rules of who may import whom', () => {
  for (const { rule: name, path, bad, good } of EXAMPLES) {
    it(`${name}: in ${path} ${bad.length} bitten, ${good.length} let pass`, () => {
      const rule = RULES.find((each) => each.name === name)
      const bites = (text: string) => {
        const imports = importsOf({ path, text })
        expect(imports, text).to.have.length(1)
        return rule !== undefined && breaches(rule, imports).length === 1
      }
      expect(bad.filter(bites), 'bitten').to.deep.equal(bad)
      expect(good.filter(bites), 'let pass').to.deep.equal([])
    })
  }

  it('each have something they bite', () => {
    const biting = EXAMPLES.filter(({ bad }) => bad.length > 0).map(({ rule }) => rule)
    expect([...new Set(biting)].sort()).to.deep.equal(RULES.map(({ name }) => name).sort())
  })

  it('see every import of a file that has several', () => {
    const text = `
      import { a } from './a.ts'
      import type { b } from './b.ts'
      export * from './c.ts'
      export const d = 1
    `
    expect(importsOf({ path: 'domain/user.ts', text }).map(({ to, isType }) => [to, isType])).to.deep.equal([
      ['domain/a.ts', false],
      ['domain/b.ts', true],
      ['domain/c.ts', false],
    ])
  })

  it('say which import it is', () => {
    const [rule] = RULES
    const imports = importsOf({ path: 'domain/user.ts', text: `import 'node:fs'` })
    expect(rule && breaches(rule, imports)).to.deep.equal(['domain/user.ts imports node:fs'])
  })

  it('are not asked of a file that cannot be read', () => {
    expect(() => importsOf({ path: 'domain/user.ts', text: 'import {' })).to.throw('domain/user.ts')
  })
})
