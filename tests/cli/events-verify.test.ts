import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'

const SECRET = 'e'.repeat(64)
const A_KEY = `example.com+00000000+${'A'.repeat(44)}`
const SETTINGS = { EVENT_LOG_KEY: `2026:${SECRET}`, PUBLIC_URL: 'https://id.example.com/auth' }

onSqlite('portcullis events checkpoint, verify, export and key', (stores) => {
  const { portcullis, folder, remove } = stores.workplace()
  let origin = ''

  before(async () => {
    await portcullis('application create --name shop')
    const { err } = await portcullis('events list')
    origin = `id.example.com/auth/api/v1/log/${/--after ([0-9a-f]{8}):/.exec(err)?.[1]}`
  })
  after(remove)

  const run = (words: string, environment: Readonly<Record<string, string>> = SETTINGS) =>
    portcullis(words, { environment })
  const keep = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  const register = (email: string) =>
    portcullis(`user create --email ${email} --password-stdin`, { input: 'secret' })

  it('prints a signed checkpoint, and the key that verifies it', async () => {
    const { status, out, err } = await run('events checkpoint')
    expect(status, err).to.equal(0)
    expect(out).to.match(/^[^\n]+\n1\n[A-Za-z0-9+/]{43}=\n\n— [^\n ]+ [A-Za-z0-9+/]+=*\n$/)
    expect(out.split('\n')[0]).to.equal(origin)
    expect(err).to.equal('Keep this checkpoint of 1 entries outside of this machine.\n')
    keep('one.txt', out)
    const { note, ...rest } = JSON.parse((await run('events checkpoint --json')).out)
    expect(note).to.equal(out)
    expect(rest).to.deep.equal({ origin, size: 1, root: out.split('\n')[2] })
    const key = await run('events key')
    expect(key.out).to.match(/^[^+\n]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}\n$/)
    expect(key.out.split('+')[0]).to.equal(origin)
    expect(jsonLines((await run('events key --json')).out)).to.deep.equal([{ verifier_key: key.out.trim() }])
  })

  it('proves that the log begins as a kept checkpoint says, also after more entries', async () => {
    await register('ada@example.com')
    expect(await run('events verify --against one.txt')).to.deep.equal({
      status: 0,
      out: 'ok     the log  2 entries agree with their tree.\nok     one.txt  The first 1 entries are unchanged.\n',
      err: '',
    })
    const { out } = await run('events verify --against one.txt --json')
    expect(jsonLines(out)).to.deep.equal([
      {
        ok: true,
        size: 2,
        findings: [],
        checkpoints: [{ file: 'one.txt', ok: true, detail: 'The first 1 entries are unchanged.' }],
      },
    ])
  })

  it('takes a kept checkpoint with a byte order mark and CR LF, and refuses one in UTF-16', async () => {
    const note = readFileSync(join(folder, 'one.txt'), 'utf8')
    keep('windows.txt', `\ufeff${note.replaceAll('\n', '\r\n')}`)
    expect(await run('events verify --against windows.txt')).to.include({ status: 0, err: '' })
    writeFileSync(join(folder, 'utf-16.txt'), `\ufeff${note}`, 'utf16le')
    const { status, err } = await run('events verify --against utf-16.txt')
    expect({ status, err }).to.deep.equal({
      status: 1,
      err: 'The checkpoint utf-16.txt is not UTF-8 text.\n',
    })
  })

  it('exports files that verify without the store, and adds only what is new', async () => {
    const exported = await run('events export log --json')
    expect(exported.status, exported.err).to.equal(0)
    expect(JSON.parse(exported.out)).to.include({ origin, size: 2, tiles_written: 2 })
    const files = () =>
      readdirSync(join(folder, 'log'), { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map(({ name }) => name)
    expect(files().sort()).to.deep.equal(['2', '2', 'checkpoint'])
    const vkey = (await run('events key')).out.trim()
    const verify = (more = '') =>
      portcullis(`events verify --from log --vkey ${vkey} --json${more}`, {
        environment: { DATABASE_URL: 'sqlite:/nowhere/at/all.db' },
      })
    expect((await verify(' --against one.txt')).status).to.equal(0)
    await register('bob@example.com')
    expect(JSON.parse((await run('events export log --json')).out)).to.include({ size: 3, tiles_written: 2 })
    const { status, out } = await verify(' --against one.txt')
    expect(status).to.equal(0)
    expect(JSON.parse(out)).to.include({ ok: true, origin, size: 3 })
  })

  it('covers the log before a renewal, and begins another export after it', async () => {
    await run('events checkpoint').then(({ out }) => keep('before.txt', out))
    await portcullis('events renew')
    const verified = await run('events verify --against one.txt before.txt')
    expect(verified.out).to.equal(
      'ok     the log  4 entries agree with their tree.\nok     one.txt  The first 1 entries are unchanged.\nok     before.txt  The first 3 entries are unchanged.\n',
    )
    const refused = await run('events export log')
    expect(refused.status).to.equal(1)
    expect(refused.err).to.match(
      /^The folder contains the log of \S+ with 3 entries, and this log does not continue it\./,
    )
    expect((await run('events export log-of-the-new-epoch')).status).to.equal(0)
  })

  for (const [words, environment, status, message] of [
    ['events checkpoint', {}, 1, 'No key signs checkpoints. Set EVENT_LOG_KEY'],
    ['events key', {}, 1, 'No key signs checkpoints. Set EVENT_LOG_KEY'],
    ['events export log-2', {}, 1, 'No key signs checkpoints. Set EVENT_LOG_KEY'],
    ['events verify --against one.txt', {}, 1, 'No key signs checkpoints. Set EVENT_LOG_KEY'],
    ['events verify --from log', SETTINGS, 2, '--from and --vkey belong together'],
    [
      'events verify --against missing.txt',
      SETTINGS,
      1,
      'The checkpoint missing.txt cannot be read (ENOENT).',
    ],
    ['events verify --from log --vkey x', SETTINGS, 2, '--vkey must be a verifier key'],
    [
      `events verify --from missing --vkey ${A_KEY}`,
      SETTINGS,
      1,
      'The exported log is wrong: there is no checkpoint.',
    ],
  ] as const)
    it(`${words}${Object.keys(environment).length === 0 ? ' without a key' : ''} says: ${message}`, async () => {
      const result = await run(words, environment)
      expect(result.status).to.equal(status)
      expect(result.err).to.include(message)
      expect(result.err).not.to.include(SECRET)
    })
})
