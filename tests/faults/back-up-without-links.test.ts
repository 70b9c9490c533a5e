import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type By, processWorkplace } from '../support/command.ts'
import { needsStrace } from './machine.ts'

/** System calls that fail or end the process, in the syntax of `inject` of strace. */
const injecting =
  (...injections: ReadonlyArray<string>): By =>
  (commandLine) => [
    ...['strace', '-f', '-o', '/dev/null'],
    ...injections.flatMap((injection) => ['-e', `inject=${injection}`]),
    ...commandLine,
  ]

const LINKS = 'link,linkat'
const RENAMES = 'rename,renameat,renameat2'

describe('a back-up on a file system without hard links', () => {
  before(function () {
    needsStrace(this)
  })

  for (const error of ['EPERM', 'EOPNOTSUPP', 'ENOSYS'])
    it(`is complete under its name (${error})`, async () => {
      const { portcullis, folder, remove } = processWorkplace(injecting(`${LINKS}:error=${error}`))
      await portcullis('application create --name shop')
      expect((await portcullis('backup copy.db')).status).to.equal(0)
      const environment = { DATABASE_URL: 'sqlite:copy.db' }
      const { out } = await portcullis('events list --json', { environment })
      expect(out).to.include('ApplicationRegistered')
      expect(readdirSync(folder).filter((name) => name.includes('partial'))).to.deep.equal([])
      remove()
    }).timeout(60_000)

  it('overwrites no file', async () => {
    const { portcullis, folder, remove } = processWorkplace(injecting(`${LINKS}:error=EPERM`))
    await portcullis('application create --name shop')
    writeFileSync(join(folder, 'copy.db'), 'a back-up of before')
    const { status, err } = await portcullis('backup copy.db')
    expect([status, err]).to.deep.equal([
      1,
      `${join(folder, 'copy.db')} already exists. Name a new file: a back-up overwrites nothing.\n`,
    ])
    expect(readFileSync(join(folder, 'copy.db'), 'utf8')).to.equal('a back-up of before')
    remove()
  }).timeout(60_000)

  it('leaves no file under its name when it fails', async () => {
    const { portcullis, folder, remove } = processWorkplace(
      injecting(`${LINKS}:error=EPERM`, `${RENAMES}:error=EIO`),
    )
    await portcullis('application create --name shop')
    expect((await portcullis('backup copy.db')).status).to.equal(1)
    expect(readdirSync(folder).filter((name) => name.startsWith('copy.db'))).to.deep.equal([])
    remove()
  }).timeout(60_000)

  it('leaves a file that no service opens when it is killed', async () => {
    const { portcullis, folder, remove } = processWorkplace(
      injecting(`${LINKS}:error=EPERM`, `${RENAMES}:signal=SIGKILL`),
    )
    await portcullis('application create --name shop')
    await portcullis('backup copy.db')
    expect(existsSync(join(folder, 'copy.db'))).to.equal(true)
    const environment = { DATABASE_URL: 'sqlite:copy.db' }
    const { status, err } = await portcullis('application create --name shop', { environment })
    expect(status).to.equal(1)
    expect(err).to.include('it is not a SQLite database')
    remove()
  }).timeout(60_000)
})
