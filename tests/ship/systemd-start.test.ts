import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { settingsFrom } from '../../adapters/config/settings.ts'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'
import { apiClient } from '../support/api-client.ts'
import { main, processWorkplace } from '../support/command.ts'
import { COMMAND, environmentOf, serviceSays } from './systemd.ts'

const PASSWORD = 'nine purple otters sing'

/** What systemd-run does with the properties that `command.sh` asks for. */
const SYSTEMD_RUN = `#!/bin/sh
set -eu
export CREDENTIALS_DIRECTORY=$(mktemp -d)
while [ "$1" != -- ]; do
  case $1 in
    --property=WorkingDirectory=*) cd "\${1#*=*=}" ;;
    --property=Environment=*) export \${1#*=*=} ;;
    --property=EnvironmentFile=*) export $(grep -v '^#' "\${1#*=*=}" | xargs) ;;
    --property=LoadCredential=*) cp "\${1##*:}" "$CREDENTIALS_DIRECTORY/$(basename "\${1##*:}")" ;;
  esac
  shift
done
shift
exec "$@"`

describe('the commands of docs/deploy.md for systemd', function () {
  this.timeout(60_000) // passwords are hashed at the cost of production
  /** Its folder stands for the root of a machine. */
  const { folder, serve, remove } = processWorkplace()
  after(remove)
  const at = (path: string) => join(folder, path)
  const onMachine = (text: string): string =>
    text.replaceAll(/(?<![\w.])\/(?=(?:etc|opt|var\/lib|usr\/local\/sbin)\/)/g, `${folder}/`)
  const script = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    chmodSync(path, 0o755)
  }

  const [user = '', settings = '', secrets = '', unit = '', start = '', accounts = ''] = codeIn(
    partOf(readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8'), '## With systemd'),
    'sh',
  )
  const paste = (commands: string): string => {
    const options: ExecFileSyncOptionsWithStringEncoding = {
      cwd: ROOT,
      env: { PATH: `${at('bin')}:${at('usr/local/sbin')}:${process.env.PATH}`, PASSWORD, TMPDIR: folder },
      encoding: 'utf8',
      stdio: 'pipe', // what is said of a failure stands in the error
    }
    return execFileSync('sh', ['-e', '-c', onMachine(commands)], options)
  }

  before(() => {
    script(at('bin/sudo'), '#!/bin/sh\nexec "$@"')
    for (const name of ['useradd', 'systemctl']) script(at(`bin/${name}`), `#!/bin/sh\necho "${name} $*"`)
    script(at('bin/systemd-run'), SYSTEMD_RUN)
    script(at('opt/portcullis/deploy/systemd/command.sh'), onMachine(COMMAND))
    script(at('opt/portcullis/dist/adapters/main.js'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"`)
    for (const path of ['etc/systemd/system', 'usr/local/sbin', 'var/lib/portcullis'])
      mkdirSync(at(path), { recursive: true })
  })

  it('install the unit, its settings, and secrets that only root can read', () => {
    expect(paste(user + settings + secrets + unit)).to.match(/^useradd --system .* portcullis\n$/)
    for (const name of ['password-pepper', 'key-encryption-key']) {
      expect(statSync(at(`etc/portcullis/${name}`)).mode & 0o777).to.equal(0o600)
      expect(readFileSync(at(`etc/portcullis/${name}`), 'utf8')).to.match(/^2026:[0-9a-f]{64}\n$/)
    }
    expect(readFileSync(at('etc/systemd/system/portcullis.service'), 'utf8')).to.include('[Service]')
    expect(readlinkSync(at('usr/local/sbin/portcullis'))).to.equal(
      at('opt/portcullis/deploy/systemd/command.sh'),
    )
    expect(at(serviceSays('EnvironmentFile')[0] ?? '')).to.equal(at('etc/portcullis/portcullis.env'))
  })

  it('start it and make accounts, with which the service then runs in its own folder', async () => {
    const said = paste(start + accounts)
    expect(said).to.match(/^systemctl daemon-reload\nsystemctl enable --now portcullis\n/)
    const [, publicKey, privateKey] = /(pk_\S+)[\s\S]*(sk_\S+)/.exec(said) ?? []

    const file = readFileSync(at('etc/portcullis/portcullis.env'), 'utf8')
    // Where systemd has put the credentials, at their names.
    const environment = environmentOf(file, at('etc/portcullis'))
    const settings = settingsFrom(environment)
    if (!isRight(settings)) throw new Error(settings.left.join('\n'))
    expect(settings.right).to.deep.include({
      host: '127.0.0.1',
      publicUrl: 'https://auth.example.com',
      passwordPolicy: { kind: 'nist', minCodePoints: 15 },
      trustedProxies: 1,
    })

    const store = at(join(serviceSays('WorkingDirectory')[0] ?? '', 'data/portcullis.db'))
    const service = await serve('serve', { ...environment, DATABASE_URL: `sqlite:${store}` })
    const api = apiClient(service.url)
    const keys = { public_api_key: publicKey ?? '', private_api_key: privateKey ?? '' }
    const { token } = (await api.issueToken(keys)).body
    expect((await api.signIn(token, 'ada@example.com', PASSWORD)).status).to.equal(200)
    await api.close()
    const doctor = paste('sudo portcullis doctor')
    expect(doctor)
      .to.match(/^ok +keys .* encrypted under 2026/m)
      .and.to.match(/^ok +passwords /m)
    expect(await service.end()).to.equal(0)
  })

  it('take a command’s status and what it is told', () => {
    expect(() => paste('portcullis user disable nobody@example.com')).to.throw()
    expect(paste('portcullis user disable ada@example.com --json')).to.include('ada@example.com')
    expect(paste('portcullis application create --name "two words" --json')).to.include('"two words"')
  })
})
