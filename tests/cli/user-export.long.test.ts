import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { processWorkplace } from '../support/command.ts'
import { importLine, importLines, SOME_RECORD } from '../support/import-file.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import { startHere } from '../support/run-here.ts'
import { terminal } from '../support/terminal.ts'

const SECRET = 'The file contains every password record. Keep it secret, and delete it after use.\n'
const PEPPER = { PASSWORD_PEPPER: `2026:${'p'.repeat(32)}` }

onSqlite('portcullis user export', (stores) => {
  const { folder, portcullis, entries, url, remove } = stores.workplace()
  before(async () => {
    await portcullis('application create --name shop')
    const ada = importLine('Ada@Example.com', {
      id: '0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60',
      email_verified: true,
      created_at: '2020-01-01T01:00:00+01:00',
      status: 'disabled',
    })
    expect((await portcullis('user import -', { input: ada })).status).to.equal(0)
  })
  after(remove)

  const path = (name: string) => join(folder, name)
  const exported = async () => (await entries('UsersExported')).length
  /** What is in the folder besides the store. */
  const files = () =>
    readdirSync(folder)
      .filter((name) => name !== 'data')
      .sort()

  it('writes one line for each user into a private file, and prints the path and the number', async () => {
    expect(await portcullis('user export users.jsonl')).to.deep.equal({
      status: 0,
      out: `file   ${path('users.jsonl')}\nusers  1\n`,
      err: SECRET,
    })
    expect(readFileSync(path('users.jsonl'), 'utf8')).to.equal(
      `{"email":"Ada@Example.com","password_hash":"${SOME_RECORD}","id":"0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60","email_verified":true,"created_at":"2020-01-01T00:00:00.000Z","status":"disabled"}\n`,
    )
    expect(statSync(path('users.jsonl')).mode & 0o777).to.equal(0o600)
  })

  it('prints one JSON object with --json, and nothing on standard error', async () => {
    const before = await exported()
    const { status, out, err } = await portcullis('user export json.jsonl --json')
    expect([status, err]).to.deep.equal([0, ''])
    expect(JSON.parse(out)).to.deep.equal({ file: path('json.jsonl'), users: 1 })
    expect(await exported()).to.equal(before + 1)
  })

  for (const [what, make] of [
    ['a file', (at: string) => writeFileSync(at, 'of before')],
    ['a folder', (at: string) => mkdirSync(at)],
    ['a link to nowhere', (at: string) => symlinkSync('/nowhere/at/all', at)],
  ] as const) {
    it(`refuses the name of ${what}, and leaves it and the log alone`, async () => {
      const name = `taken-by-${what.replaceAll(' ', '-')}`
      make(path(name))
      const before = { files: files(), exported: await exported() }
      expect(await portcullis(`user export ${name} --json`)).to.deep.equal({
        status: 1,
        out: '',
        err: `${path(name)} already exists. Name a new file: an export overwrites nothing.\n`,
      })
      expect({ files: files(), exported: await exported() }).to.deep.equal(before)
    })
  }

  it('refuses standard output with status 2, because a terminal may show it', async () => {
    const before = await exported()
    const { status, out, err } = await portcullis('user export - --json')
    expect([status, out]).to.deep.equal([2, ''])
    expect(err).to.include('An export is never written to standard output')
    expect(await exported()).to.equal(before)
  })

  it('refuses a missing folder, and writes no entry', async () => {
    const before = await exported()
    expect(await portcullis('user export missing/users.jsonl')).to.deep.equal({
      status: 1,
      out: '',
      err: `There is no folder ${path('missing')}. Create it, or name a file in another one.\n`,
    })
    expect(await exported()).to.equal(before)
  })

  it('refuses a folder that it may not write to, and writes no entry', async function () {
    if (process.getuid?.() === 0) return this.skip() // root may write everywhere
    mkdirSync(path('closed'))
    chmodSync(path('closed'), 0o500)
    const before = await exported()
    const { status, err } = await portcullis('user export closed/users.jsonl')
    expect(status).to.equal(1)
    expect(err).to.include(`This user may not write to the folder ${path('closed')}.`)
    expect(await exported()).to.equal(before)
  })

  it('names each pepper that records need, and records that an import refuses', async () => {
    const DATABASE_URL = (await stores.fresh()).DATABASE_URL
    const here = (words: string, more = {}, input = '') =>
      startHere(words, { environment: { DATABASE_URL, ...more }, input, folder }).ended
    await here('user create --email ada@example.com --password-stdin', {}, 'pw')
    for (const name of ['bob', 'eve'])
      await here(`user create --email ${name}@example.com --password-stdin`, PEPPER, 'pw')
    const dear = { SCRYPT_LOG_N: '15', SCRYPT_R: '32', SCRYPT_P: '4' } // more than an import takes
    await here('user create --email zoe@example.com --password-stdin', { ...dear, ...PEPPER }, 'pw')
    const { status, out, err } = await here('user export peppers.jsonl --json')
    expect([status, JSON.parse(out).users]).to.deep.equal([0, 4])
    expect(err).to.equal(
      '2 records are of use only with the pepper 2026: PASSWORD_PEPPER of the importing service must contain it.\n' +
        '1 record is refused by user import. See docs/import.md, Leave.\n',
    )
  }).timeout(20_000)

  it('shows the progress on a terminal, and never a line of the file', async () => {
    const { stream, written } = terminal()
    await portcullis('user import -', { input: importLines(1_500) })
    const environment = { DATABASE_URL: url() }
    const run = startHere('user export bar.jsonl', { environment, folder, terminal: stream })
    expect((await run.ended).status).to.equal(0)
    expect(written()).to.match(/ 0% \| counting \| 0 users/)
    expect(written()).to.match(/100% \| writing \| 1501 users/)
    expect(written()).not.to.include('@')
    expect(jsonLines(readFileSync(path('bar.jsonl'), 'utf8'))).to.have.lengthOf(1_501)
  })

  it('removes what it wrote if it is stopped, and says what the log has', async () => {
    const environment = { DATABASE_URL: url() }
    const before = { files: files(), exported: await exported() }
    const run = startHere('user export stopped.jsonl', { environment, folder })
    run.stop()
    const { status, out, err } = await run.ended
    expect([status, out, err]).to.deep.equal([1, '', 'Stopped. Nothing was changed.\n'])
    expect({ files: files(), exported: await exported() }).to.deep.equal(before)
  })
})

/** A limit on file sizes, above the size of the -shm file of SQLite. */
const A_FEW_KILOBYTES = 'ulimit -f 400'

describe('portcullis user export without enough disk space', () => {
  let isCramped = false
  const { folder, database, portcullis, remove } = processWorkplace((commandLine) =>
    isCramped ? ['sh', '-c', `${A_FEW_KILOBYTES}; exec "$@"`, 'sh', ...commandLine] : commandLine,
  )
  after(remove)

  it('exits with 1, leaves no file, and says that the log has the entry', async () => {
    const environment = { DATABASE_URL: `sqlite:${database}` }
    await startHere('application create --name shop', { environment }).ended
    await startHere('user import -', { environment, input: importLines(3_000) }).ended
    const before = readdirSync(folder)
    isCramped = true
    const { status, out, err } = await portcullis('user export users.jsonl')
    isCramped = false
    expect([status, out]).to.deep.equal([1, ''])
    expect(err).to.equal(
      `${join(folder, 'users.jsonl')} cannot be written (EFBIG). Check the disk. No file was made. The log has an entry UsersExported, because the export had begun.\n`,
    )
    expect(readdirSync(folder)).to.deep.equal(before)
    const { out: log } = await startHere('events list --type UsersExported --json', { environment }).ended
    expect(jsonLines(log)).to.have.lengthOf(1)
  }).timeout(20_000)
})
