import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import * as byMain from 'portcullis/client'
import * as byName from 'portcullis-client'
import { ROOT } from '../architecture/root.ts'
import { codeIn } from '../readme/page.ts'
import { CLIENT, pack } from './packed.ts'

const read = (path: string): string => readFileSync(path, 'utf8')

const manifest = JSON.parse(read(join(CLIENT, 'package.json')))
const main = JSON.parse(read(join(ROOT, 'package.json')))

/** Of the file, and of what npm makes of it. docs/install.md promises the first. */
const MOST_BYTES = { packed: 50_000, installed: 200_000 }

describe('portcullis-client', () => {
  const packed = pack(CLIENT)
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-alone-'))
  after(() => {
    packed.remove()
    rmSync(folder, { recursive: true })
  })

  it('contains the compiled client with its types, and nothing else', () => {
    const modules = readdirSync(join(ROOT, 'adapters', 'client'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.replace(/\.ts$/, ''))
    expect(modules.length).to.be.greaterThan(10)
    expect(packed.paths).to.have.members([
      'LICENSE',
      'README.md',
      'package.json',
      ...modules.flatMap((name) => [`${name}.js`, `${name}.d.ts`]),
    ])
    for (const path of packed.paths) expect(read(join(CLIENT, path)), path).not.to.include('sourceMappingURL')
  })

  it('has the version of the service, its license, and what it runs on', () => {
    const { version, license, engines } = main
    expect(manifest).to.deep.include({ name: 'portcullis-client', version, license, engines })
    expect(read(join(CLIENT, 'LICENSE'))).to.equal(read(join(ROOT, 'LICENSE')))
  })

  it('needs no other package, and runs nothing when it is installed', () => {
    expect(Object.keys(manifest).filter((key) => /dependencies$|^scripts$/i.test(key))).to.deep.equal([])
  })

  it('is small', () => {
    const bytes = packed.paths.map((path) => statSync(join(CLIENT, path)).size)
    expect(statSync(packed.tarball).size).to.be.at.most(MOST_BYTES.packed)
    expect(bytes.reduce((sum, size) => sum + size)).to.be.at.most(MOST_BYTES.installed)
  })

  it('installs alone into an empty project, as docs/install.md shows', () => {
    const commands = codeIn(read(join(ROOT, 'docs', 'install.md')), 'sh').filter(
      (block) => !/make |--save-dev/.test(block),
    )
    expect(commands).to.have.lengthOf(2) // from the path of the file, and from a copy of it
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    const env = { PATH: process.env.PATH, HOME: folder, npm_config_offline: 'true' }
    for (const command of commands)
      execFileSync('sh', ['-e', '-c', command.replace(/\/path\/to\/\S+\.tgz/, packed.tarball)], {
        cwd: folder,
        env,
        stdio: 'pipe',
      })
    const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))
    expect(installed).to.deep.equal(['portcullis-client'])
    writeFileSync(
      join(folder, 'program.js'),
      "import * as all from 'portcullis-client'\nconsole.log(...Object.keys(all))",
    )
    const printed = execFileSync(process.execPath, ['program.js'], { cwd: folder, env, encoding: 'utf8' })
    expect(printed).to.equal('PortcullisUnavailable portcullis tokenVerifier\n')
  })

  it('is the same code as portcullis/client', () => {
    expect(byMain.portcullis).to.equal(byName.portcullis)
    expect({ ...byMain }).to.deep.equal({ ...byName })
  })
})
