import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect } from 'chai'
import { importsOf, type Source } from './imports.ts'
import { ROOT } from './root.ts'
import { breaches, RULES } from './rules.ts'

describe('who may import whom', () => {
  const sources = ['domain', 'application', 'adapters'].map(sourcesIn)
  const imports = sources.flat().flatMap(importsOf)

  it('is asked of files that are there', () => {
    for (const found of sources) expect(found).to.have.length.greaterThan(5)
  })

  for (const rule of RULES) {
    it(rule.name, () => {
      expect(imports.filter(rule.about), 'what the rule is about').to.not.have.length(0)
      expect(breaches(rule, imports)).to.deep.equal([])
    })
  }
})

function sourcesIn(folder: string): ReadonlyArray<Source> {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      path: [folder, ...name.split(sep)].join('/'),
      text: readFileSync(join(ROOT, folder, name), 'utf8'),
    }))
}
