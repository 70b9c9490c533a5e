import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { succeed } from '../support/outcome.ts'
import { wholeLog } from '../testkit/outcome.ts'
import { type AnotherProcess, startProcess } from './another-process.ts'
import { onFile } from './folder.ts'

describe('several processes on one SQLite file', () => {
  let processes: ReadonlyArray<AnotherProcess>
  before(async function () {
    this.timeout(20_000)
    processes = await Promise.all(Array.from({ length: 4 }, startProcess))
  })
  after(() => Promise.all(processes.map((process) => process.end())))

  it(
    'append to one gap-free log with all acknowledged changes, and create a shared key once',
    onFile(async (path) => {
      await sqliteStore(path).close()
      const reports = await Promise.all(
        processes.map((process) => process.ask({ act: 'commit', path, changes: 200, keyId: 'user-1' })),
      )
      expect(reports.map(({ outcome }) => outcome).sort()).to.deep.equal([
        'Conflict',
        'Conflict',
        'Conflict',
        'success',
      ])
      const acknowledged = reports.flatMap((report) => report.acknowledged)
      expect(acknowledged).to.have.length(800)

      const store = sqliteStore(path)
      const log = await wholeLog(store)
      expect(log.map(({ position }) => position)).to.deep.equal(
        Array.from({ length: 800 * 2 + 1 }, (_, index) => index + 1),
      )
      expect(log.map(({ id }) => id)).to.include.members(acknowledged)
      expect(await succeed(store.listSigningKeys())).to.have.length(1)
      await store.close()
    }),
  ).timeout(20_000)

  it('can start at once on a file that does not exist yet', async () => {
    for (let round = 0; round < 30; round += 1) {
      await onFile(async (path) => {
        const atMilliseconds = Date.now() + 5
        const reports = await Promise.all(
          processes.map((process) => process.ask({ act: 'open', path, atMilliseconds })),
        )
        expect(reports.map(({ outcome }) => outcome)).to.deep.equal(['opened', 'opened', 'opened', 'opened'])
      })()
    }
  }).timeout(20_000)

  for (const journal of ['delete', 'wal'] as const) {
    it(
      `wait while another process creates the file (journal_mode ${journal})`,
      onFile(async (path) => {
        const [writer] = processes
        const report = await writer?.ask({ act: 'lock', path, journal, milliseconds: 300 })
        expect(report?.outcome).to.equal('locked')
        expect(() => openDatabase(path).close()).to.not.throw()
      }),
    )
  }
})
