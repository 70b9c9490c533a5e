import Database from 'better-sqlite3'
import { expect } from 'chai'
import { contents } from '../sqlite/raw.ts'
import { ahead } from '../support/ahead.ts'
import { workplace } from '../support/workplace.ts'

const WRITES = ['application create --name another', 'user disable ada@example.com'] as const
const READS = ['user list', 'events list'] as const

describe('the command line on a store that another process has locked', () => {
  const { portcullis, asProcess, database, remove } = workplace()
  const writing = ahead(WRITES, (words) => asProcess.portcullis(words))
  let other: Database.Database
  let untouched: ReturnType<typeof contents>
  before(async () => {
    await portcullis('user create --email ada@example.com --password-stdin', { input: 'secret' })
    untouched = contents(database)
    other = new Database(database)
    other.exec('BEGIN IMMEDIATE')
    writing.start()
  })
  after(async () => {
    await writing.allDone()
    other.close()
    remove()
  })

  for (const words of WRITES) {
    it(`exits with 1 and one sentence: ${words}`, async () => {
      expect(await writing.of(words)).to.deep.equal({
        status: 1,
        out: '',
        err: 'The store is unavailable: SQLITE_BUSY. Nothing was changed. Try again.\n',
      })
    })
  }

  it('has changed nothing', async () => {
    await writing.allDone()
    expect(contents(database)).to.deep.equal(untouched)
  })

  for (const words of READS) {
    it(`can read: ${words}`, async () => {
      const { status, out, err } = await portcullis(words)
      expect(status, err).to.equal(0)
      expect(err).to.match(/^(?:Continue with --after [0-9a-f]{8}:\d+\n)?$/)
      expect(out).to.match(/ada@example\.com|UserRegistered/)
    })
  }
})
