import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { partOf } from './page.ts'

/** The tests run from the root of the project, whether compiled or not. */
const page = readFileSync('CONTRIBUTING.md', 'utf8')
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))

describe('CONTRIBUTING.md', () => {
  it('gives a reason for every dependency, and names no other', () => {
    const rows = [...partOf(page, '## Dependencies').matchAll(/^\| (@?[a-z0-9./-]+) \| (.{5,}) \|$/gm)]
    const named = rows.map(([, name]) => name).filter((name) => name !== 'package')
    const { dependencies, optionalDependencies, devDependencies } = manifest
    expect(named).to.have.members(
      Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }),
    )
  })

  it('explains every target of the Makefile', () => {
    const table = partOf(page, '## Make targets')
    const targets = [...readFileSync('Makefile', 'utf8').matchAll(/^([a-z-]+):.*## /gm)]
    expect(targets.length).to.be.greaterThan(10)
    for (const [, target] of targets) expect(table).to.include(`| \`make ${target}\` |`)
  })

  it('names every folder of tests', () => {
    const table = partOf(page, '## How tests are organised')
    for (const folder of readdirSync('tests', { withFileTypes: true }).filter((one) => one.isDirectory()))
      expect(table).to.include(`\`tests/${folder.name}\``)
  })
})
