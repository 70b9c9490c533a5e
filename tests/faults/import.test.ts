import { expect } from 'chai'
import { processWorkplace } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { importLines } from '../support/import-file.ts'
import { agree } from './stage.ts'

const USERS = 5_000
const FILE = importLines(USERS)
/** Not a multiple of the lines that are written together. */
const BEGINNING = importLines(1_700)

onEverySharedStore('an import that ends early', (stores) => {
  let url = ''
  const place = processWorkplace(undefined, () => ({ DATABASE_URL: url }))
  after(place.remove)

  const storedUsers = async () => (await stores.kind.contents(url)).users.map(({ email }) => email)
  /** Starts an import that waits for the rest of its file, with some users written. */
  const underWay = async () => {
    url = (await stores.fresh()).DATABASE_URL
    await place.portcullis('application create --name shop')
    const run = place.begin('user import - --json', BEGINNING)
    await eventually('users are written', async () => ((await storedUsers()).length > 0 ? true : undefined))
    return run
  }
  const repeat = async () => {
    const { status, out, err } = await place.portcullis('user import - --json', { input: FILE })
    expect([status, err]).to.deep.equal([0, ''])
    return JSON.parse(out)
  }
  /** Each user exactly once, and a log that agrees. */
  const expectAll = async () => {
    const emails = await storedUsers()
    expect(emails).to.have.lengthOf(USERS)
    expect(new Set(emails).size).to.equal(USERS)
    await agree(place)
  }

  it('by kill -9 continues when it is repeated, with each user exactly once', async () => {
    const run = await underWay()
    await run.end('SIGKILL')
    const before = (await storedUsers()).length
    expect(before).to.be.within(1, 1_700)
    expect(await repeat()).to.deep.equal({ lines: USERS, imported: USERS - before, known: before, bad: 0 })
    await expectAll()
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`by ${signal} says what was done, and continues when it is repeated`, async () => {
      const run = await underWay()
      const { status, out, err } = await run.end(signal)
      expect(status).to.equal(1)
      expect(err).to.equal('Stopped. To continue, run the same command again: it skips known users.\n')
      const { lines, imported, known, bad } = JSON.parse(out)
      expect([lines, known, bad]).to.deep.equal([imported, 0, 0])
      expect(imported).to.be.within(1, 1_700)
      expect(await storedUsers()).to.have.lengthOf(imported)
      expect(await repeat()).to.include({ imported: USERS - imported, known: imported })
      await expectAll()
    })
  }
})
