import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { contents } from '../sqlite/raw.ts'
import { processWorkplace } from '../support/command.ts'
import { workplace } from '../support/workplace.ts'
import { change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

describe('portcullis backup beside a server', () => {
  const { folder, database, portcullis, serve, remove } = workplace()
  const copies = join(folder, 'copies')
  let server: Awaited<ReturnType<typeof serve>>
  before(async () => {
    mkdirSync(copies)
    server = await serve('serve --first-run', { ACCOUNT_PAGES: 'off' })
  })
  after(async () => {
    expect(await server.end()).to.equal(0)
    remove()
  })

  it('copies the whole store and prints the path', async () => {
    const file = join(copies, 'full.db')
    expect(await portcullis(`backup ${file}`)).to.deep.equal({ status: 0, out: `file  ${file}\n`, err: '' })
    expect(contents(file)).to.deep.equal(contents(database))
    expect(statSync(file).mode & 0o777).to.equal(0o600)
  })

  it('resolves a relative path in the working directory, and prints the absolute path with --json', async () => {
    const { status, out, err } = await portcullis('backup copies/../copies/named.db --json')
    expect([status, err]).to.deep.equal([0, ''])
    expect(JSON.parse(out)).to.deep.equal({ file: join(copies, 'named.db') })
    expect(contents(join(copies, 'named.db'))).to.deep.equal(contents(database))
  })

  it('makes a store that passes doctor', async () => {
    await portcullis('backup copies/well.db')
    const environment = { DATABASE_URL: 'sqlite:copies/well.db' }
    const { out } = await portcullis('doctor --json', { environment })
    const wrong = JSON.parse(out).checks.filter(({ ok }: { ok: boolean }) => !ok)
    expect(wrong.map(({ name }: { name: string }) => name)).to.deep.equal(['hashing']) // cheap in these tests
  })

  it('exits with 1 instead of overwriting a file', async () => {
    const file = join(copies, 'taken.db')
    writeFileSync(file, 'of before')
    expect(await portcullis(`backup ${file} --json`)).to.deep.equal({
      status: 1,
      out: '',
      err: `${file} already exists. Name a new file: a back-up overwrites nothing.\n`,
    })
    expect(readFileSync(file, 'utf8')).to.equal('of before')
  })

  it('exits with 1 and makes no store if there is none', async () => {
    const nowhere = join(folder, 'nowhere.db')
    const environment = { DATABASE_URL: `sqlite:${nowhere}` }
    expect(await portcullis('backup copies/none.db', { environment })).to.deep.equal({
      status: 1,
      out: '',
      err: `There is no store ${nowhere}. Check DATABASE_URL.\n`,
    })
    for (const made of [nowhere, join(copies, 'none.db')]) expect(existsSync(made)).to.equal(false)
  })

  it('exits with 1 if the folder does not exist', async () => {
    const file = join(folder, 'missing', 'copy.db')
    expect(await portcullis(`backup ${file}`)).to.deep.equal({
      status: 1,
      out: '',
      err: `There is no folder ${join(folder, 'missing')}. Create it, or name a file in another one.\n`,
    })
  })
})

/** A limit on file sizes, above the size of the -shm file of SQLite. */
const A_FEW_KILOBYTES = 'ulimit -f 200'

describe('portcullis backup without enough disk space', () => {
  let isCramped = false
  const { folder, database, portcullis, remove } = processWorkplace((commandLine) =>
    isCramped ? ['sh', '-c', `${A_FEW_KILOBYTES}; exec "$@"`, 'sh', ...commandLine] : commandLine,
  )
  after(remove)

  it('exits with 1 and one sentence, and leaves no partial copy', async () => {
    const store = sqliteStore(database)
    await commitAll(store, ...Array.from({ length: 500 }, () => change(registered())))
    await store.close()
    const before = readdirSync(folder)
    isCramped = true
    const { status, out, err } = await portcullis('backup copy.db')
    isCramped = false
    expect([status, out]).to.deep.equal([1, ''])
    expect(err).to.match(
      /^The store \S+portcullis\.db cannot be copied to \S+copy\.db: SQLITE_[A-Z_]+\. [^\n]+\n$/,
    )
    expect(readdirSync(folder)).to.deep.equal(before)
  })
})
