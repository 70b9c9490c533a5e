import { expect } from 'chai'
import { EXAMPLES } from './examples.ts'
import { importsOf } from './imports.ts'
import { breaches, RULES } from './rules.ts'

describe('the definitions of the import rules', () => {
  for (const { rule: name, path, bad, good } of EXAMPLES) {
    it(`${name}: in ${path} ${bad.length} refused, ${good.length} allowed`, () => {
      const rule = RULES.find((each) => each.name === name)
      const refuses = (text: string) => {
        const imports = importsOf({ path, text })
        expect(imports, text).to.have.length(1)
        return rule !== undefined && breaches(rule, imports).length === 1
      }
      expect(bad.filter(refuses), 'refused').to.deep.equal(bad)
      expect(good.filter(refuses), 'allowed').to.deep.equal([])
    })
  }

  it('each refuse an example', () => {
    const biting = EXAMPLES.filter(({ bad }) => bad.length > 0).map(({ rule }) => rule)
    expect([...new Set(biting)].sort()).to.deep.equal(RULES.map(({ name }) => name).sort())
  })

  it('see every import of a file with several imports', () => {
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

  it('name the import that breaks them', () => {
    const [rule] = RULES
    const imports = importsOf({ path: 'domain/user.ts', text: `import 'node:fs'` })
    expect(rule && breaches(rule, imports)).to.deep.equal(['domain/user.ts imports node:fs'])
  })

  it('reject a file with a syntax error', () => {
    expect(() => importsOf({ path: 'domain/user.ts', text: 'import {' })).to.throw('domain/user.ts')
  })
})
