import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'

describe('make browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-browser-'))
  before(() => {
    for (const name of ['sh', 'make', 'id']) {
      const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
      symlinkSync(found.trim(), join(folder, name))
    }
  })
  after(() => rmSync(folder, { recursive: true }))

  /** Runs make with only these programs, so that nothing is installed. */
  const make = (chromium: string, ...words: ReadonlyArray<string>) => {
    const environment = { PATH: folder, CHROMIUM: chromium }
    const options = { cwd: ROOT, env: environment, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(
      'make',
      ['--no-print-directory', ...words, 'browser'],
      options,
    )
    return { status, out: stdout, err: stderr }
  }

  it('does nothing when Chromium is installed', () => {
    expect(make(process.execPath)).to.deep.equal({ status: 0, out: '', err: '' })
  })

  it('prints one line and succeeds when Chromium is missing and cannot be installed', () => {
    const chromium = join(folder, 'chromium')
    expect(make(chromium)).to.deep.equal({
      status: 0,
      out: `There is no Chromium at ${chromium}, so no page can be tested in a browser: install one (on Debian: apt-get install chromium), or say CHROMIUM=/path/to/it.\n`,
      err: '',
    })
  })

  it('would install Debian’s Chromium with commands that a shell can parse', () => {
    const { out } = make(join(folder, 'chromium'), '--dry-run')
    expect(out).to.include(
      'DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends chromium',
    )
    expect(spawnSync('sh', ['-n'], { input: out })).to.have.property('status', 0)
  })
})
