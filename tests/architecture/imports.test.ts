import { expect } from 'chai'
import { importsOf } from './imports.ts'
import { breaches, RULES } from './rules.ts'
import { SOURCES } from './sources.ts'

describe('the import rules', () => {
  const imports = SOURCES.flat().flatMap(importsOf)

  it('apply to existing files', () => {
    for (const found of SOURCES) expect(found).to.have.length.greaterThan(5)
  })

  for (const rule of RULES) {
    it(rule.name, () => {
      expect(imports.filter(rule.about), 'what the rule is about').to.not.have.length(0)
      expect(breaches(rule, imports)).to.deep.equal([])
    })
  }
})
