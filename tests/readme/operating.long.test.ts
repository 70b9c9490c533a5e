import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { main, processWorkplace } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { httpClient } from '../support/http-client.ts'
import { jsonLines } from '../support/json-lines.ts'
import { codeIn, partOf } from './page.ts'

/** The commands of one part of a page, as they stand there, without those of its subsections. */
const commandsOf = (page: string, heading: string): ReadonlyArray<string> => {
  const [part = ''] = partOf(readFileSync(`docs/${page}.md`, 'utf8'), heading).split(/^#+ /m)
  const blocks = codeIn(part, 'sh')
  if (blocks.length === 0) throw new Error(`docs/${page}.md has no commands under ${heading}`)
  return blocks
}

describe('the commands of the pages for operators', () => {
  const { folder, portcullis, serve, remove } = processWorkplace()
  after(remove)

  /** Runs a block as a shell would; `portcullis` is the command line under test there. */
  const paste = (commands: string): string => {
    const command = join(folder, 'portcullis')
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
    chmodSync(command, 0o700)
    const env = { PATH: `${folder}:${process.env.PATH}`, PASSWORD: 'set anew' }
    return execFileSync('sh', ['-e', '-c', commands], { cwd: folder, env, encoding: 'utf8' })
  }

  it('back up beside a server at work and restore what was backed up', async () => {
    const [backUp = ''] = commandsOf('operate', '## Back up and restore')
    const restore = commandsOf('operate', '### Restore')
    expect(restore).to.have.lengthOf(3)
    const server = await serve()
    await portcullis('user create --email ada@example.com --password-stdin', { input: 'before' })
    paste(backUp)
    await portcullis('user create --email bob@example.com --password-stdin', { input: 'after' })
    expect(statSync(join(folder, 'portcullis-backup.db')).mode & 0o777).to.equal(0o600)
    expect(await server.end()).to.equal(0)

    expect(paste(restore.join(''))).to.match(/^ok +log /m)
    expect((await portcullis('user list --json')).out).to.match(/^.*"ada@example.com".*\n$/)
    const [undone = ''] = commandsOf('operate', '### After a restore')
    const [last, inAside] = undone.split('\n')
    const position = /^\d+/.exec(paste(last ?? ''))?.[0] ?? 'none'
    expect(paste((inAside ?? '').replace('1234', position))).to.match(/^\d+ .*UserRegistered.*\n$/)
    expect(statSync(join(folder, 'data', 'portcullis.db')).mode & 0o777).to.equal(0o600)
    const again = await serve()
    const { send, close } = httpClient(again.url)
    expect((await send({ method: 'GET', path: '/readyz' })).status).to.equal(200)
    await close()
    expect(await again.end()).to.equal(0)
  })

  it('set a password that was forgotten', async () => {
    const [command = ''] = commandsOf('operate', '## A forgotten password')
    expect(paste(command)).to.include('ada@example.com')
    expect(
      (await portcullis('events list --type PasswordSet --json')).out.trim().split('\n'),
    ).to.have.lengthOf(1)
  })

  it('make a list of leaked passwords that is one', async () => {
    const [command = ''] = commandsOf('keys-and-passwords', '### The list of leaked passwords')
    writeFileSync(
      join(folder, 'leaked.txt'),
      'leaked but good otherwise\r\nanother leaked one\nétrangement connu\n',
    )
    paste(command)
    const environment = { PASSWORD_POLICY: 'nist', PASSWORD_LEAKED_FILE: 'leaked.sha1' }
    const set = (input: string) =>
      portcullis('user set-password ada@example.com --password-stdin', { input, environment })
    for (const leaked of ['leaked but good otherwise', 'another leaked one', 'étrangement connu']) {
      expect(await set(leaked)).to.deep.equal({
        status: 1,
        out: '',
        err: 'The password is on the list of leaked passwords.\n',
      })
    }
    expect((await set('nine purple otters sing')).status).to.equal(0)
  })

  it('rotate signing keys', async () => {
    const [rotate = '', leaked = ''] = commandsOf('keys-and-passwords', '## Rotate signing keys')
    expect(paste(rotate).trim().split('\n')).to.have.lengthOf(4)
    expect(paste(leaked).trim().split('\n')).to.have.lengthOf(2) // one for each purpose
  })

  it('encrypt the signing keys, change what they are encrypted under, and go on without it', async () => {
    const PAGE = 'keys-and-passwords'
    const [make = '', check = ''] = commandsOf(PAGE, '## Encrypt the signing keys')
    const [change = ''] = commandsOf(PAGE, '### Rotate the key-encryption key')
    const [replace = ''] = commandsOf(PAGE, '### If the key-encryption key is lost')
    const keyEncryptionKey = join(folder, 'key-encryption-key')
    const encrypts = async (id: string): Promise<void> => {
      const server = await serve('serve', { KEY_ENCRYPTION_KEY_FILE: keyEncryptionKey })
      await eventually(`keys under ${id}`, async () => {
        const { out } = await portcullis('events list --type SigningKeyReencrypted --json')
        return jsonLines(out).at(-1)?.data.key_encryption_key_id === id ? true : undefined
      })
      expect(await server.end()).to.equal(0)
      expect(paste(check)).to.match(new RegExp(`^ok +keys .* encrypted under ${id}\\.$`, 'm'))
      expect(statSync(keyEncryptionKey).mode & 0o777).to.equal(0o600)
    }
    paste(make)
    await encrypts('2026')
    paste(change)
    await encrypts('2027')
    expect((await portcullis('serve')).err).to.include('key-encryption key 2027, and KEY_ENCRYPTION_KEY is')
    expect(paste(replace).trim().split('\n')).to.have.lengthOf(2)
    expect(await (await serve('serve')).end()).to.equal(0)
  })

  it('set the passwords without a pepper, and no other', async () => {
    const environment = { PASSWORD_PEPPER: `2026:${'p'.repeat(32)}` }
    await portcullis('user create --email old@example.com --password-stdin', { input: 'pw' })
    const eve = 'user create --email eve@example.com --password-stdin'
    expect(await portcullis(eve, { input: 'pw', environment })).to.have.property('status', 0)
    const [command = ''] = commandsOf('keys-and-passwords', '### Passwords without a pepper')
    const before = jsonLines((await portcullis('events list --json')).out).length
    paste(`export PASSWORD_PEPPER=${environment.PASSWORD_PEPPER}\n${command}`)
    const set = jsonLines((await portcullis('events list --json')).out).slice(before)
    const users = jsonLines((await portcullis('user list --json')).out)
    const others = users.filter(({ email }) => email !== 'eve@example.com').map(({ id }) => id)
    expect(set.map(({ type }) => type)).to.deep.equal(others.map(() => 'PasswordSet'))
    expect(set.map(({ subject }) => subject.id)).to.deep.equal(others)
    for (const { password_scheme } of users) expect(password_scheme).to.match(/ pepper=2026$/)
  })
})
