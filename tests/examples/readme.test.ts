import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'

const page = partOf(readFileSync(join(ROOT, 'README.md'), 'utf8'), '## Clients')

describe('the README on clients', () => {
  const SHOWN: ReadonlyArray<readonly [what: string, heading: string, path: string]> = [
    ['client in TypeScript', '### In TypeScript', 'typescript/client.ts'],
    ['server on Express', '### A server that takes application tokens', 'express/resource-server.ts'],
  ]
  for (const [what, heading, path] of SHOWN) {
    it(`shows the ${what} as it stands in the tests`, () => {
      const [shown] = codeIn(partOf(page, heading), 'ts')
      expect(shown).to.equal(readFileSync(join(ROOT, 'tests/examples', path), 'utf8'))
    })
  }

  it('leads to programs that there are, and starts one of them', () => {
    const targets = [...page.matchAll(/\]\((tests\/[^)]+)\)/g)].map(([, target = '']) => target)
    expect(targets).to.have.length.greaterThan(2)
    for (const target of targets) expect(existsSync(join(ROOT, target)), target).to.equal(true)
    const [commands = ''] = codeIn(page, 'sh')
    expect(targets).to.include(/(\S+)\n$/.exec(commands)?.[1])
  })

  it('names in it every variable that the client in a shell asks for', () => {
    const script = readFileSync(join(ROOT, 'tests/examples/curl/client.sh'), 'utf8')
    const names = [...script.matchAll(/\$\{([A-Z_]+):/g)].map(([, name = '']) => name)
    expect(names).to.have.lengthOf(6)
    for (const name of names) expect(page).to.match(new RegExp(`\\b${name}\\b`))
  })
})
