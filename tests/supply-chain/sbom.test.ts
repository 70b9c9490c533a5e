import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

  it('is written the same each time, and holds no path, place of download, moment or name of the machine', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-sbom-'))
    try {
      const file = join(folder, 'bom.json')
      const isSource = import.meta.url.endsWith('.ts')
      const program = fileURLToPath(new URL(`./sbom.${isSource ? 'ts' : 'js'}`, import.meta.url))
      const node = isSource ? ['--import', 'tsx', program, file] : [program, file]
      execFileSync(process.execPath, node, {
        env: { PATH: process.env.PATH, LANG: 'sv_SE.UTF-8', TZ: 'Asia/Tokyo' },
      })
      const text = readFileSync(file, 'utf8')
      expect(text).to.equal(`${JSON.stringify(bom, null, 2)}\n`)
      expect(text.match(/https?:[^"]*/g)).to.deep.equal(['http://cyclonedx.org/schema/bom-1.5.schema.json'])
      for (const word of [
        process.cwd(),
        homedir(),
        hostname(),
        'node_modules',
        '"timestamp"',
        'serialNumber',
      ])
        expect(text.includes(word), word).to.equal(false)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('says what npm says of every package that npm names', () => {
    const printed = execFileSync(
      'npm',
      ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const ofNpm: ReadonlyArray<Component> = JSON.parse(printed).components
    expect(ofNpm.length).to.be.greaterThan(50)
    const ours = new Map(bom.components.map((component) => [component.purl, component]))
    for (const { name, version, purl, licenses, hashes } of ofNpm)
      expect(ours.get(purl), purl).to.deep.include({ name, version, licenses, hashes })
  })
})

type Component = (typeof bom.components)[number]
