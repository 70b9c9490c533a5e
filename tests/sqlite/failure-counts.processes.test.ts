import { expect } from 'chai'
import { sqliteFailureCounts } from '../../adapters/stores/sqlite/failure-counts.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import { succeed } from '../support/outcome.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { countIn, countOne, read } from '../testkit/failure-counts/steps.ts'
import { commitAll } from '../testkit/outcome.ts'
import { type AnotherProcess, startProcess } from './another-process.ts'
import { onFile } from './folder.ts'

describe('failure counts in one SQLite file', () => {
  let processes: ReadonlyArray<AnotherProcess>
  before(async function () {
    this.timeout(20_000)
    processes = await Promise.all(Array.from({ length: 3 }, startProcess))
  })
  after(() => Promise.all(processes.map((process) => process.end())))

  it(
    'count each failure of concurrent processes, and each sees the previous count',
    onFile(async (path) => {
      await sqliteStore(path).close()
      const here = sqliteFailureCounts(path, Date.now)
      const [before, ...reports] = await Promise.all([
        Promise.all(Array.from({ length: 300 }, () => succeed(countOne(here, 'key')))),
        ...processes.map((process) =>
          process.ask({ act: 'count', path, key: 'key', failures: 300, end: 'close' }),
        ),
      ])
      const found = [...before, ...reports.flatMap(({ acknowledged }) => acknowledged.map(Number))]
      expect(found.sort((one, other) => one - other)).to.deep.equal(
        Array.from({ length: 1_200 }, (_, index) => index),
      )
      expect(countIn(await read(here, 'key'))).to.equal(1_200)
      await here.close()
    }),
  ).timeout(20_000)

  it(
    'can be created by several processes at once',
    onFile(async (path) => {
      const reports = await Promise.all(
        processes.map((process) =>
          process.ask({ act: 'count', path, key: 'key', failures: 10, end: 'close' }),
        ),
      )
      expect(reports.map(({ outcome }) => outcome)).to.deep.equal(['success', 'success', 'success'])
      await reopened(path, async (counts) => expect(countIn(await read(counts, 'key'))).to.equal(30))
    }),
  ).timeout(20_000)

  it(
    'and a store can be written at the same time',
    onFile(async (path) => {
      const store = sqliteStore(path)
      const counts = sqliteFailureCounts(path, Date.now)
      await Promise.all(
        Array.from({ length: 200 }, () =>
          Promise.all([
            commitAll(store, change(issuedToken(), issuedToken())),
            succeed(countOne(counts, 'key')),
          ]),
        ),
      )
      expect(countIn(await read(counts, 'key'))).to.equal(200)
      expect(await succeed(store.readEvents({ after: 399, limit: 10 }))).to.have.length(1)
      await Promise.all([counts.close(), store.close()])
    }),
  )

  it(
    'survive the kill of the process that wrote them',
    onFile(async (path) => {
      const doomed = await startProcess()
      const [report] = await doomed.askLast({ act: 'count', path, key: 'key', failures: 17, end: 'die' })
      expect(report?.outcome).to.equal('success')
      await reopened(path, async (counts) => expect(countIn(await read(counts, 'key'))).to.equal(17))
    }),
  ).timeout(20_000)
})

const reopened = async (path: string, use: (counts: FailureCounts) => Promise<unknown>): Promise<void> => {
  const counts = sqliteFailureCounts(path, () => 1_800_000_000_000)
  await use(counts)
  await counts.close()
}
