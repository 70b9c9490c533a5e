import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'

describe('make buildah', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-buildah-'))
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
    const { status, stdout, stderr } = spawnSync(
      'make',
      ['--no-print-directory', ...words, 'buildah'],
      options,
    )
    return { status, out: stdout, err: stderr }
  }

  it('prints one line and succeeds when buildah is missing and cannot be installed', () => {
    expect(make()).to.deep.equal({
      status: 0,
      out: 'There is no buildah with mmdebstrap, so no image can be built: install them (on Debian: apt-get install buildah mmdebstrap).\n',
      err: '',
    })
  })

  it('would install Debian’s packages with commands that a shell can parse', () => {
    const { out } = make('--dry-run')
    expect(out).to.include(
      'DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends buildah mmdebstrap',
    )
    expect(spawnSync('sh', ['-n'], { input: out })).to.have.property('status', 0)
  })
})
