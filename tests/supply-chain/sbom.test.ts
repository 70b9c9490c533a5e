import { expect } from 'chai'
import { bomOf } from './bom.ts'
import { nameAt, packagesOf, readLock } from './lock.ts'

const lock = readLock()
const bom = bomOf(lock)

const hex = (integrity = ''): string =>
  Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')

describe('the bill of materials', () => {
  it('names what the lock does not keep for development only, by version, licence and SHA-512, and nothing else', () => {
    const wanted = packagesOf(lock)
      .filter(([, { dev }]) => !dev)
      .map(
        ([path, locked]) =>
          `${nameAt(path, locked)} ${locked.version} ${locked.license} ${hex(locked.integrity)}`,
      )
    const named = bom.components.map(
      ({ name, version, licenses = [], hashes = [] }) =>
        `${name} ${version} ${licenses.map((one) => ('expression' in one ? one.expression : one.license.id))} ${hashes.map(({ content }) => content)}`,
    )
    expect(named.length).to.be.greaterThan(50)
    expect(named).to.have.members([...new Set(wanted)])
    expect(named.join('\n')).not.to.match(/undefined|mocha|typescript/)
  })

  it('says what each of them needs, and that all of them are needed', () => {
    const needs = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
    const root = bom.metadata.component['bom-ref']
    const reached = new Set([root])
    for (const ref of reached) for (const needed of needs.get(ref) ?? []) reached.add(needed)
    expect([...needs.keys()]).to.have.members([
      root,
      ...bom.components.map((component) => component['bom-ref']),
    ])
    expect([...reached]).to.have.members([...needs.keys()])
  })
})
