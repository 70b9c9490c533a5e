import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
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

describe('a tool of Debian for tests', () => {
  before(() => {
    for (const name of ['sh', 'make', 'id']) {
      const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
      symlinkSync(found.trim(), join(folder, name))
    }
  })
  after(() => rmSync(folder, { recursive: true }))

  /** Runs make with only these programs, so that nothing is installed. */
  const make = (words: ReadonlyArray<string>, chromium = CHROMIUM) => {
    const options = { cwd: ROOT, env: { PATH: folder, CHROMIUM: chromium }, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync('make', ['--no-print-directory', ...words], options)
    return { status, out: stdout, err: stderr }
  }

  for (const [target, missing, packages] of TOOLS) {
    it(`is missed with one line, and make ${target} succeeds`, () => {
      // make finds PgBouncer outside of the path, too.
      const isThere = target === 'pgbouncer' && existsSync('/usr/sbin/pgbouncer')
      expect(make([target])).to.deep.equal({ status: 0, out: isThere ? '' : `${missing}\n`, err: '' })
    })

    it(`would be installed by commands that a shell can parse: make ${target}`, () => {
      const { out } = make(['--dry-run', target])
      expect(out).to.include(
        `DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends ${packages}`,
      )
      expect(spawnSync('sh', ['-n'], { input: out })).to.have.property('status', 0)
    })
  }

  it('is not looked for further when Chromium is installed', () => {
    expect(make(['browser'], process.execPath)).to.deep.equal({ status: 0, out: '', err: '' })
  })
})
