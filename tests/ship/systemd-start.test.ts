import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { pack } from '../package/packed.ts'
import { codeIn, partOf } from '../readme/page.ts'
import { apiClient } from '../support/api-client.ts'
import { processWorkplace } from '../support/command.ts'
import { CHEAP } from '../support/settings.ts'
import { COMMAND, commandSays, serviceSays } from './systemd.ts'

const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
const PASSWORD = 'nine purple otters sing'

/** The shell command that `command.sh` passes to systemd. */
const [, SHELL_COMMAND = ''] = /-- (\/bin\/sh -ec '[^']*' portcullis "\$@")\n$/.exec(COMMAND) ?? []

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const NEXT = '99.0.0'

describe('the commands of docs/deploy.md and docs/upgrade.md for systemd', function () {
  this.timeout(60_000) // passwords are hashed at production cost
  /** Its folder stands for the root of a machine. */
  const { folder, serve, remove } = processWorkplace()
  const packed = pack()
  after(() => {
    remove()
    packed.remove()
  })
  const at = (path: string) => join(folder, path)
  const onMachine = (text: string): string =>
    text.replaceAll(/(?<![\w.])\/(?=(?:etc|opt|var\/lib|usr\/local\/sbin)\/)/g, `${folder}/`)
  const script = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `#!/bin/sh\n${text}\n`)
    chmodSync(path, 0o755)
  }

  const blocksOf = (page: string, heading: string): ReadonlyArray<string> =>
    codeIn(partOf(readFileSync(join(ROOT, `docs/${page}.md`), 'utf8'), heading), 'sh')
  const [program = '', settings = '', secrets = '', unit = '', start = '', accounts = ''] = blocksOf(
    'deploy',
    '## With systemd',
  )
  const [verification = ''] = blocksOf('upgrade', '## The files of a release')
  const besides = program.replace(/^sudo ln .*\n$/m, '')
  const [replacement = ''] = blocksOf('upgrade', '## With systemd')
  const environment = () => ({
    ...parseEnv(commandSays('Environment').join(' ').replaceAll(' ', '\n')),
    ...parseEnv(readFileSync(at('etc/portcullis/portcullis.env'), 'utf8')),
  })

  /** Runs commands, except those that require systemd. */
  const paste = (commands: string, settings: NodeJS.Dict<string> = {}, cwd = at('files')): string => {
    const lines = commands.split('\n').filter((line) => !/^sudo (?:useradd|systemctl) /.test(line))
    const possible = onMachine(lines.join('\n').replaceAll('sudo ', ''))
    return execFileSync('sh', ['-e', '-c', possible], {
      cwd,
      env: { PATH: `${at('bin')}:${process.env.PATH}`, PASSWORD, ...settings },
      encoding: 'utf8',
      stdio: 'pipe', // an error includes stderr
    })
  }
  const pasteBeside = (commands: string): string =>
    paste(
      commands,
      { CREDENTIALS_DIRECTORY: at('etc/portcullis'), ...environment() },
      at(serviceSays('WorkingDirectory')[0] ?? ''),
    )

  /** Writes the files of a release into one folder. The next version has the same content. */
  const release = (released: string): void => {
    for (const [from, ending] of [
      [packed.tarball, 'tgz'],
      [join(ROOT, 'package-lock.json'), 'package-lock.json'],
    ] as const)
      copyFileSync(from, at(`files/portcullis-${released}.${ending}`))
    execFileSync('sh', ['-c', 'sha256sum portcullis-* > SHA256SUMS'], { cwd: at('files') })
  }
  const runs = (): string => readlinkSync(at('opt/portcullis'))

  before(() => {
    script(at('bin/portcullis'), `exec ${onMachine(SHELL_COMMAND)}`)
    // It checks the lock file as an installation does. The installed packages take the place of the registry’s.
    script(
      at('bin/npm'),
      `test "$1 $3 $4 $#" = '--prefix ci --omit=dev 4'
cd "$2" && "${npm}" ci --omit=dev --dry-run --offline --ignore-scripts && ln -s "${ROOT}/node_modules" node_modules`,
    )
    for (const path of ['etc/systemd/system', 'files', 'opt', 'usr/local/sbin', 'var/lib/portcullis'])
      mkdirSync(at(path), { recursive: true })
    release(version)
  })

  it('verify the files and install the program with the locked dependencies', () => {
    expect(paste(verification)).to.equal(
      `portcullis-${version}.package-lock.json: OK\nportcullis-${version}.tgz: OK\n`,
    )
    paste(program)
    expect(runs()).to.equal(`portcullis-${version}`)
    expect(
      execFileSync(at('opt/portcullis/dist/adapters/main.js'), ['--version'], { encoding: 'utf8' }),
    ).to.equal(`${version}\n`)
  })

  it('install the unit, its settings, and secrets that only root can read', () => {
    paste(settings + secrets + unit)
    for (const name of ['password-pepper', 'key-encryption-key']) {
      expect(statSync(at(`etc/portcullis/${name}`)).mode & 0o777).to.equal(0o600)
      expect(readFileSync(at(`etc/portcullis/${name}`), 'utf8')).to.match(/^2026:[0-9a-f]{64}\n$/)
    }
    expect(readFileSync(at('etc/systemd/system/portcullis.service'), 'utf8')).to.include('[Service]')
    expect(readlinkSync(at('usr/local/sbin/portcullis'))).to.equal(
      at('opt/portcullis/deploy/systemd/command.sh'),
    )
    expect(serviceSays('EnvironmentFile')).to.deep.equal(['/etc/portcullis/portcullis.env'])
  })

  it('lead to settings that the operator edits', () => {
    const file = at('etc/portcullis/portcullis.env')
    const example = readFileSync(file, 'utf8')
    expect(example).to.match(/^PUBLIC_URL=https:\/\/auth\.example\.com$/m)
    writeFileSync(file, example.replace('auth.example.com', 'auth.otterworks.shop'))
  })

  it('create accounts, and the service runs with them in its own folder', async () => {
    const [, publicKey, privateKey] = /(pk_\S+)[\s\S]*(sk_\S+)/.exec(pasteBeside(start + accounts)) ?? []
    const service = await serve('serve', {
      ...Object.fromEntries(Object.keys(CHEAP).map((name) => [name, ''])), // as the unit has it
      ...(environment() as Record<string, string>),
      PASSWORD_PEPPER_FILE: at('etc/portcullis/password-pepper'),
      KEY_ENCRYPTION_KEY_FILE: at('etc/portcullis/key-encryption-key'),
      DATABASE_URL: `sqlite:${at('var/lib/portcullis/data/portcullis.db')}`,
    })
    const api = apiClient(service.url)
    const keys = { public_api_key: publicKey ?? '', private_api_key: privateKey ?? '' }
    const { token } = (await api.issueToken(keys)).body
    expect((await api.signIn(token, 'ada@example.com', PASSWORD)).status).to.equal(200)
    await api.close()
    expect(pasteBeside('portcullis doctor'))
      .to.match(/^ok +keys .* encrypted under 2026/m)
      .and.to.match(/^ok +passwords /m)
      .and.to.match(/^ok +servers +These settings are those of the server /m)
    expect(await service.end()).to.equal(0)
  })

  it('pass on a command’s status and arguments', () => {
    expect(() => pasteBeside('portcullis user disable nobody@example.com')).to.throw()
    expect(pasteBeside('portcullis user disable ada@example.com --json')).to.include('ada@example.com')
    expect(pasteBeside('portcullis application create --name "two words" --json')).to.include('"two words"')
  })

  it('install the next version beside the running one, replace it, and go back', () => {
    release(NEXT)
    const upgraded = (block: string, to: string) => paste(block.replace(/^VERSION=.*$/m, ''), { VERSION: to })
    upgraded(besides, NEXT)
    expect(runs()).to.equal(`portcullis-${version}`)
    rmSync(at('etc/systemd/system/portcullis.service'))
    upgraded(replacement, NEXT)
    expect(runs()).to.equal(`portcullis-${NEXT}`)
    expect(existsSync(at('etc/systemd/system/portcullis.service'))).to.equal(true)
    expect(pasteBeside('portcullis user list --json')).to.include('ada@example.com')
    upgraded(replacement, version)
    expect(runs()).to.equal(`portcullis-${version}`)
    expect(pasteBeside('portcullis doctor')).to.match(/^ok +log /m)
  })

  it('show the version of package.json', () => {
    for (const block of [program, besides]) expect(block).to.match(new RegExp(`^VERSION=${version}$`, 'm'))
  })

  it('include a command that a shell can parse', () => {
    execFileSync('sh', ['-n', join(ROOT, 'deploy/systemd/command.sh')])
  })
})
