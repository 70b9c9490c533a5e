import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'

describe('make browser', () => {
  let folder: string
  let chromium: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-browser-'))
    chromium = join(folder, 'chromium')
    for (const name of ['sh', 'make', 'touch', 'chmod', 'env']) symlinkSync(pathOf(name), join(folder, name))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** A program of this machine's own, which has nothing else. */
  const has = (name: string, lines: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${lines}\n`)
    chmodSync(join(folder, name), 0o700)
  }
  const make = () => {
    const environment = { PATH: folder, CHROMIUM: chromium }
    const options = { cwd: ROOT, env: environment, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync('make', ['--no-print-directory', 'browser'], options)
    return { status, out: stdout, err: stderr }
  }
  const aptGet = (touches: string) =>
    has(
      'apt-get',
      `echo "$DEBIAN_FRONTEND $*" >> '${folder}/asked'\ncase "$*" in *install*) ${touches} ;; esac`,
    )
  const INSTALLS = () => `touch '${chromium}'; chmod +x '${chromium}'`
  const asked = () => execFileSync('cat', [join(folder, 'asked')], { encoding: 'utf8' })

  it('says nothing and does nothing where there is one', () => {
    has('chromium', '')
    expect(make()).to.deep.equal({ status: 0, out: '', err: '' })
  })

  it('installs one from Debian where there is none, as root', () => {
    has('id', 'echo 0')
    aptGet(INSTALLS())
    expect(make()).to.deep.equal({ status: 0, out: '', err: '' })
    expect(asked()).to.equal(' -qq update\nnoninteractive -qq -y install --no-install-recommends chromium\n')
  })

  it('installs one by sudo, where that asks for no password', () => {
    has('id', 'echo 1000')
    has('sudo', `[ "$1" = -n ] && shift && echo "as root: $*" >> '${folder}/asked' && exec "$@"`)
    has('true', '')
    aptGet(INSTALLS())
    expect(make()).to.deep.equal({ status: 0, out: '', err: '' })
    expect(asked()).to.match(/^as root: apt-get -qq update$/m)
  })

  for (const [what, prepare] of [
    ['there is no apt-get', () => has('id', 'echo 0')],
    [
      'it may not',
      () => {
        has('id', 'echo 1000')
        has('sudo', 'exit 1')
        aptGet(INSTALLS())
      },
    ],
    [
      'that fails',
      () => {
        has('id', 'echo 0')
        aptGet('exit 100')
      },
    ],
  ] as const) {
    it(`says in one line what is missing, and that alone is no failure, where ${what}`, () => {
      prepare()
      expect(make()).to.deep.equal({
        status: 0,
        out: `There is no Chromium at ${chromium}, so no page can be tested in a browser: install one (on Debian: apt-get install chromium), or say CHROMIUM=/path/to/it.\n`,
        err: '',
      })
    })
  }
})

const pathOf = (name: string): string =>
  execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
