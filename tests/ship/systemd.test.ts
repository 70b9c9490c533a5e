import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { SETTINGS } from '../../adapters/config/settings.ts'
import { EXIT } from '../../adapters/driving/cli/exit.ts'
import { ROOT } from '../architecture/root.ts'
import { COMMAND, commandSays, needs, serviceSays, UNIT } from './systemd.ts'

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

describe('the unit of systemd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
  after(() => rmSync(folder, { recursive: true }))

  /** What systemd-analyze says of a unit, in whose place of the service there is a program that exists. */
  const analyzed = (unit: string, ...words: ReadonlyArray<string>) => {
    const path = join(folder, 'portcullis.service')
    writeFileSync(path, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const { status, stderr } = spawnSync('systemd-analyze', [...words, path], { encoding: 'utf8' })
    return { status, stderr }
  }

  it('is one in which systemd-analyze finds nothing, though it finds what is wrong', function () {
    needs(this, 'systemd-analyze', 'verify', '--man=no', '--version')
    expect(analyzed(UNIT, 'verify', '--man=no')).to.deep.equal({ status: 0, stderr: '' })
    const wrong = UNIT.replace('ProtectHome=', 'ProtectHmoe=').replace('@resources', '@resuorces')
    expect(analyzed(wrong, 'verify', '--man=no').stderr)
      .to.include('ProtectHmoe')
      .and.to.include('@resuorces')
  })

  it('leaves a service exposed to little, as systemd-analyze counts: 2 of 10 at most', function () {
    needs(this, 'systemd-analyze', 'security', '--offline=true', '--version')
    const words = ['security', '--offline=true', '--no-pager', '--threshold=20']
    expect(analyzed(UNIT, ...words).status).to.equal(0)
    expect(analyzed(UNIT.replaceAll(/^(?:Protect|Private)\w+=.*\n/gm, ''), ...words).status).not.to.equal(0)
  })

  it('starts the command of the package, as a user who is not root', () => {
    expect(serviceSays('ExecStart')).to.deep.equal([`/opt/portcullis/${manifest.bin.portcullis} serve`])
    expect(serviceSays('User')).to.deep.equal(['portcullis'])
  })

  it('starts it anew after a failure, but not where its settings or its words are wrong', () => {
    expect(serviceSays('Restart')).to.deep.equal(['on-failure'])
    expect(serviceSays('RestartPreventExitStatus')).to.deep.equal([
      `${EXIT.wrongUsage} ${EXIT.wrongSettings}`,
    ])
  })

  it('waits for longer than the service does for those who are being answered', () => {
    const [, longest] = /^const DRAIN_MS = (\d+)_000$/m.exec(
      readFileSync(join(ROOT, 'adapters/driving/http/server/server.ts'), 'utf8'),
    ) ?? ['', '']
    expect(Number(longest)).to.be.greaterThan(0)
    expect(Number(serviceSays('TimeoutStopSec')[0])).to.be.greaterThan(Number(longest))
  })

  it('lets Node compile, which MemoryDenyWriteExecute would not', () => {
    expect(serviceSays('MemoryDenyWriteExecute')).to.deep.equal([])
  })

  it('sets only settings that there are, and has secrets handed over by files', () => {
    const set = serviceSays('Environment')
    expect(set).to.deep.equal([
      'NODE_ENV=production PASSWORD_POLICY=nist',
      'PASSWORD_PEPPER_FILE=%d/password-pepper',
      'KEY_ENCRYPTION_KEY_FILE=%d/key-encryption-key',
    ])
    const names = set.flatMap((line) => line.split(' ')).map((pair) => pair.replace(/=.*/, ''))
    expect(SETTINGS).to.include.members(names.filter((name) => name !== 'NODE_ENV'))
    expect(serviceSays('LoadCredential')).to.deep.equal([
      'password-pepper:/etc/portcullis/password-pepper',
      'key-encryption-key:/etc/portcullis/key-encryption-key',
    ])
  })
})

describe('the command beside the unit of systemd', () => {
  for (const name of [
    'User',
    'StateDirectory',
    'StateDirectoryMode',
    'WorkingDirectory',
    'UMask',
    'EnvironmentFile',
    'LoadCredential',
  ]) {
    it(`has the same ${name}`, () => {
      expect(serviceSays(name)).not.to.deep.equal([])
      expect(commandSays(name)).to.deep.equal(serviceSays(name))
    })
  }

  it('has the same environment, for which it asks the shell where credentials are', () => {
    const plain = serviceSays('Environment').filter((line) => !line.includes('%'))
    expect(commandSays('Environment')).to.deep.equal(plain)
    const ofShell = [...COMMAND.matchAll(/export (\w+)="\$CREDENTIALS_DIRECTORY\/([a-z-]+)"/g)]
    expect(ofShell.map(([, name, file]) => `${name}=%d/${file}`)).to.deep.equal(
      serviceSays('Environment').filter((line) => line.includes('%')),
    )
  })

  it('leaves nothing for systemd to fill in, which would do so wherever there are braces behind a dollar', () => {
    expect(COMMAND).not.to.match(/\$\{|\$\$|%/)
  })
})
