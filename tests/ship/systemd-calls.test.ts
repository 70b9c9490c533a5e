import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { apiClient } from '../support/api-client.ts'
import { processWorkplace } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { needs, serviceSays } from './systemd.ts'

const TRACE = 'calls.txt'

/** The system calls of a systemd group, including nested groups. */
const callsOf = (group: string): ReadonlyArray<string> =>
  execFileSync('systemd-analyze', ['syscall-filter', '--no-pager', group], { encoding: 'utf8' })
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((word) => word !== '' && !word.startsWith('#'))
    .flatMap((word) => (word.startsWith('@') ? callsOf(word) : [word]))

/** The system calls that the unit allows. */
const allowed = (): ReadonlySet<string> => {
  const calls = new Set<string>()
  for (const line of serviceSays('SystemCallFilter')) {
    const isTaken = line.startsWith('~')
    for (const call of line.replace('~', '').split(' ').flatMap(callsOf))
      isTaken ? calls.delete(call) : calls.add(call)
  }
  return calls
}

describe('the systemd unit', function () {
  this.timeout(120_000) // strace traces every system call
  const { folder, portcullis, serve, remove } = processWorkplace((commandLine, where) => [
    ...['strace', '-D', '-f', '-qq', '-o', join(where, TRACE), '-A', ...commandLine],
  ])
  after(remove)

  it('allows every system call of the service from start to end', async function () {
    needs(this, 'strace', '-f', '-o', '/dev/null', 'true')
    needs(this, 'systemd-analyze', 'syscall-filter', '--no-pager', '@system-service')
    const environment = { PASSWORD_POLICY: 'nist' }
    const service = await serve('serve', environment)
    const { out } = await portcullis('application create --name shop --json', { environment })
    const api = apiClient(service.url)
    const { token } = (await api.issueToken(JSON.parse(out))).body
    const { send, close } = httpClient(service.url)
    const credentials = { email: 'ada@example.com', password: 'nine purple otters sing' }
    const made = await send({ method: 'POST', path: '/api/v1/users', token, body: credentials })
    expect(made.status).to.equal(201)
    const signedIn = await api.signIn(token, credentials.email, credentials.password)
    const changed = await send({
      method: 'POST',
      path: '/api/v1/profile/change_password',
      token: signedIn.body.token,
      body: {
        old_password: credentials.password,
        new_password: 'eight yellow badgers hum',
        new_password_check: 'eight yellow badgers hum',
      },
    })
    expect(changed.status).to.equal(200)
    expect((await portcullis('backup copy.db', { environment })).status).to.equal(0)
    await close()
    await api.close()
    expect(await service.end()).to.equal(0)

    const lines = readFileSync(join(folder, TRACE), 'utf8').matchAll(/^\d+ +([a-z0-9_]+)\(/gm)
    const calls = new Set([...lines].map(([, name = '']) => name))
    for (const call of ['execve', 'accept4', 'fsync']) expect([...calls]).to.include(call)
    const may = allowed()
    for (const call of ['mount', 'ptrace', 'chown']) expect(may.has(call), call).to.equal(false)
    if (process.getuid?.() === 0) calls.delete('fchown') // as root, SQLite gives its files to the store’s owner
    expect([...calls].filter((call) => !may.has(call))).to.deep.equal([])
  })
})
