import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { copyCheckout } from '../matrix/checkout.ts'
import { layOut } from '../package/installed.ts'
import { bomOf } from '../supply-chain/bom.ts'
import { readLock } from '../supply-chain/lock.ts'
import { linkedCopy } from '../support/linked-copy.ts'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const TARBALL = `portcullis-${version}.tgz`
const CLIENT = `portcullis-client-${version}.tgz`
const LOCK = `portcullis-${version}.package-lock.json`
const BILL = `portcullis-${version}.cdx.json`

describe('the files that make release writes', function () {
  this.timeout(600_000) // it compiles the project
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-release-'))
  const clone = join(folder, 'clone')
  const released = join(clone, 'release')
  const git = (...words: ReadonlyArray<string>): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], {
      cwd: clone,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  const make = (): void => {
    const env = { PATH: process.env.PATH, HOME: folder, npm_config_offline: 'true' }
    execFileSync('make', ['release', 'IMAGE=no'], { cwd: clone, env, stdio: 'pipe' })
  }
  const sums = (): string => readFileSync(join(released, 'SHA256SUMS'), 'utf8')
  const verify = () => spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: released }).status

  before(() => {
    copyCheckout(ROOT, clone)
    linkedCopy(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
    const installed = 'node_modules/.package-lock.json'
    rmSync(join(clone, installed)) // a link to a file that must not change
    const changelog = join(clone, 'CHANGELOG.md')
    const dated = readFileSync(changelog, 'utf8').replace(
      `## ${version} – unreleased`,
      `## ${version} – 2026-02-03`,
    )
    writeFileSync(changelog, dated)
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '--message', 'Release')
    cpSync(join(ROOT, installed), join(clone, installed)) // newer than package.json, so that make installs nothing
    make()
  })
  after(() => rmSync(folder, { recursive: true }))

  it('are both packages, the exact dependencies of the service, their bill of materials and checksums', () => {
    expect(readdirSync(released)).to.have.members(['SHA256SUMS', BILL, CLIENT, LOCK, TARBALL])
    const read = (name: string) => readFileSync(join(released, name), 'utf8')
    expect(read(LOCK)).to.equal(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
    expect(JSON.parse(read(BILL))).to.deep.equal(bomOf(readLock()))
  })

  it('are no change to the working tree', () => {
    expect(git('status', '--porcelain')).to.equal('')
  })

  it('install into an empty project that then runs the command', () => {
    const project = join(folder, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "private": true }')
    layOut(`npm install ./${TARBALL}\n`, join(released, TARBALL), project)
    const portcullis = (word: string): string =>
      execFileSync(join(project, 'node_modules/.bin/portcullis'), [word], { encoding: 'utf8' })
    expect(portcullis('--help')).to.match(/^Usage: portcullis /)
    expect(portcullis('--version')).to.equal(`${version}\n`)
  })

  it('have the same bytes when they are made again from the same commit', () => {
    const before = sums()
    make()
    expect(sums()).to.equal(before)
  })

  it('are refused by sha256sum once one of them has changed', () => {
    expect(verify()).to.equal(0)
    appendFileSync(join(released, LOCK), ' ')
    expect(verify()).to.equal(1)
  })
})
