import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'

const folder = mkdtempSync(join(tmpdir(), 'portcullis-tools-'))
const CHROMIUM = join(folder, 'chromium')

/** What make says without the tool, and Debian's packages of it. */
const TOOLS: ReadonlyArray<readonly [target: string, missing: string, packages: string]> = [
  [
    'browser',
    `There is no Chromium at ${CHROMIUM}, so no page can be tested in a browser: install one (on Debian: apt-get install chromium), or say CHROMIUM=/path/to/it.`,
    'chromium',
  ],
  [
    'go',
    'There is no Go with golang.org/x/mod, so other code cannot verify exported logs: install it (on Debian: apt-get install golang-go golang-golang-x-mod-dev).',
    'golang-go golang-golang-x-mod-dev',
  ],
  [
    'buildah',
    'There is no buildah with mmdebstrap, so no image can be built: install them (on Debian: apt-get install buildah mmdebstrap).',
    'buildah mmdebstrap',
  ],
  [
    'pgbouncer',
    'There is no PgBouncer, so nothing can be tested through it: install one (on Debian: apt-get install pgbouncer).',
    'pgbouncer',
  ],
  [
    'prometheus',
    'There is no promtool, so alerts and dashboard cannot be evaluated: install Prometheus (on Debian: apt-get install prometheus).',
    'prometheus',
  ],
  [
    'high-availability',
    'There is no Patroni with etcd, HAProxy, PgBouncer and PostgreSQL 15, so high availability cannot be tested: install them (on Debian 12: apt-get install patroni etcd-server haproxy pgbouncer postgresql-15).',
    'patroni etcd-server haproxy pgbouncer postgresql-15',
  ],
]

const ASKED = join(folder, 'asked')
/** Writes its words and its `DEBIAN_FRONTEND` to the file, and installs nothing. */
const APT_GET = `#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >> '${ASKED}'\n`

describe('a tool of Debian for tests', () => {
  before(() => {
    for (const name of ['sh', 'make', 'id', 'env']) {
      const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
      symlinkSync(found.trim(), join(folder, name))
    }
    mkdirSync(join(folder, 'apt'))
    writeFileSync(join(folder, 'apt', 'apt-get'), APT_GET, { mode: 0o755 })
    // `sudo -n` of a user who is not root.
    writeFileSync(join(folder, 'apt', 'sudo'), '#!/bin/sh\nshift\nexec "$@"\n', { mode: 0o755 })
  })
  after(() => rmSync(folder, { recursive: true }))

  /** Runs make with only these programs, so that nothing is installed. */
  const make = (target: string, { chromium = CHROMIUM, path = folder } = {}) => {
    const options = { cwd: ROOT, env: { PATH: path, CHROMIUM: chromium }, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync('make', ['--no-print-directory', target], options)
    return { status, out: stdout, err: stderr }
  }

  for (const [target, missing, packages] of TOOLS) {
    // make finds PgBouncer outside of the path, too.
    const isThere = target === 'pgbouncer' && existsSync('/usr/sbin/pgbouncer')
    const said = { status: 0, out: isThere ? '' : `${missing}\n`, err: '' }

    it(`is missed with one line, and make ${target} succeeds`, () => {
      expect(make(target)).to.deep.equal(said)
    })

    it(`is asked of apt-get if there is one: make ${target}`, function () {
      if (isThere) this.skip()
      rmSync(ASKED, { force: true })
      expect(make(target, { path: `${folder}/apt:${folder}` })).to.deep.equal(said)
      expect(readFileSync(ASKED, 'utf8')).to.equal(
        ` -qq update\nnoninteractive -qq -y install --no-install-recommends ${packages}\n`,
      )
    })
  }

  it('is not looked for further when Chromium is installed', () => {
    expect(make('browser', { chromium: process.execPath })).to.deep.equal({ status: 0, out: '', err: '' })
  })
})
