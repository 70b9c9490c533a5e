import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'

describe('make go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-go-'))
  before(() => {
    for (const name of ['sh', 'make', 'id']) {
      const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
      symlinkSync(found.trim(), join(folder, name))
    }
  })
  after(() => rmSync(folder, { recursive: true }))

  /** Runs make with only these programs, so that nothing is installed. */
  const make = (...words: ReadonlyArray<string>) => {
    const options = { cwd: ROOT, env: { PATH: folder }, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync('make', ['--no-print-directory', ...words, 'go'], options)
    return { status, out: stdout, err: stderr }
  }

  it('prints one line and succeeds when Go is missing and cannot be installed', () => {
    expect(make()).to.deep.equal({
      status: 0,
      out: 'There is no Go with golang.org/x/mod, so other code cannot verify exported logs: install it (on Debian: apt-get install golang-go golang-golang-x-mod-dev).\n',
      err: '',
    })
  })

  it('would install Debian’s Go with commands that a shell can parse', () => {
    const { out } = make('--dry-run')
    expect(out).to.include(
      'DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends golang-go golang-golang-x-mod-dev',
    )
    expect(spawnSync('sh', ['-n'], { input: out })).to.have.property('status', 0)
  })
})
