import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { COMMAND, commandSays, needs, serviceSays, UNIT } from './systemd.ts'

describe('the systemd unit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
  after(() => rmSync(folder, { recursive: true }))

  /** The result of systemd-analyze for a unit whose program is replaced by an existing one. */
  const analyzed = (unit: string, ...words: ReadonlyArray<string>) => {
    const path = join(folder, 'portcullis.service')
    writeFileSync(path, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const { status, stderr } = spawnSync('systemd-analyze', [...words, path], { encoding: 'utf8' })
    return { status, stderr }
  }

  it('has no findings of systemd-analyze, which finds errors in a wrong unit', function () {
    needs(this, 'systemd-analyze', 'verify', '--man=no', '--version')
    expect(analyzed(UNIT, 'verify', '--man=no')).to.deep.equal({ status: 0, stderr: '' })
    const wrong = UNIT.replace('ProtectHome=', 'ProtectHmoe=').replace('@resources', '@resuorces')
    expect(analyzed(wrong, 'verify', '--man=no').stderr)
      .to.include('ProtectHmoe')
      .and.to.include('@resuorces')
  })

  it('has an exposure level of at most 2 of 10 in systemd-analyze', function () {
    needs(this, 'systemd-analyze', 'security', '--offline=true', '--version')
    const words = ['security', '--offline=true', '--no-pager', '--threshold=20']
    expect(analyzed(UNIT, ...words).status).to.equal(0)
    expect(analyzed(UNIT.replaceAll(/^(?:Protect|Private)\w+=.*\n/gm, ''), ...words).status).not.to.equal(0)
  })
})

describe('the command beside the systemd unit', () => {
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

  it('has the same environment and gets the credentials’ folder from the shell', () => {
    // Only the server names the command in messages.
    const plain = serviceSays('Environment').filter((line) => !/%|PORTCULLIS_COMMAND/.test(line))
    expect(commandSays('Environment')).to.deep.equal(plain)
    const ofShell = [...COMMAND.matchAll(/export (\w+)="\$CREDENTIALS_DIRECTORY\/([a-z-]+)"/g)]
    expect(ofShell.map(([, name, file]) => `${name}=%d/${file}`)).to.deep.equal(
      serviceSays('Environment').filter((line) => line.includes('%')),
    )
  })

  it('passes on the name of the operator for the event log', () => {
    const passedOn = [...COMMAND.matchAll(/ --setenv=(\S+)/g)].map(([, name]) => name)
    expect(passedOn).to.deep.equal(['OPERATOR', 'SUDO_USER'])
  })
})
