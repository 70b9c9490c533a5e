import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll, ok, unavailable } from '../testkit/outcome.ts'
import {
  anEntry,
  consume,
  find,
  found,
  idOf,
  NEXT,
  NOW,
  putMany,
  replace,
} from '../testkit/protocol-state/steps.ts'
import { type AnotherProcess, startProcess } from './another-process.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

const TOKENS = 50

describe('protocol state in one SQLite file', () => {
  let processes: ReadonlyArray<AnotherProcess>
  before(async function () {
    this.timeout(20_000)
    processes = await Promise.all(Array.from({ length: 3 }, startProcess))
  })
  after(() => Promise.all(processes.map((process) => process.end())))

  it(
    'is consumed once by concurrent processes',
    onFile(async (path) => {
      const { protocolState, close } = sqliteStore(path)
      const tokens = await putMany(protocolState, TOKENS, () => ({}))
      const ids = tokens.map(({ id }) => id)
      const [here, ...reports] = await Promise.all([
        Promise.all(tokens.map((token) => consume(protocolState, token))),
        ...processes.map((process) => process.ask({ act: 'consume', path, ids })),
      ])
      const consumed = [
        ...ids.filter((_, index) => here[index]),
        ...reports.flatMap(({ acknowledged }) => acknowledged),
      ]
      expect(consumed.sort()).to.deep.equal(ids)
      await close()
    }),
  ).timeout(20_000)

  it(
    'is there after its process was killed',
    onFile(async (path) => {
      const { protocolState, close } = sqliteStore(path)
      await ok(protocolState.put(anEntry()))
      const doomed = await startProcess()
      const report = await doomed.ask({ act: 'consume', path, ids: [anEntry().id] })
      await doomed.kill()
      expect(report.acknowledged).to.deep.equal([anEntry().id])
      expect(await consume(protocolState, anEntry())).to.equal(false)
      await close()
    }),
  ).timeout(20_000)

  it(
    'shares the transactions of changes',
    onFile(async (path) => {
      const together: Array<number> = []
      const store = sqliteStore(path, { onCommitted: (changes) => together.push(changes) })
      await Promise.all([
        commitAll(store, change(issuedToken())),
        ok(store.protocolState.put(anEntry())),
        ok(store.protocolState.put(anEntry({ id: idOf(2) }))),
      ])
      expect(together).to.deep.equal([3])
      expect(await find(store.protocolState, anEntry())).to.deep.equal(found(anEntry()))
      await store.close()
    }),
  )

  it(
    'fails without a value if a row is unreadable',
    onFile(async (path) => {
      const { protocolState, close } = sqliteStore(path)
      await ok(protocolState.put(anEntry()))
      withRaw(path, (db) => db.exec(`UPDATE protocol_state SET expires_at = ${2 ** 60}`))
      const outcome = await protocolState.find('refresh_token', anEntry().id)()
      expect(outcome).to.deep.equal({
        _tag: 'Left',
        left: { _tag: 'StoreUnavailable', reason: 'unreadable entry in protocol_state' },
      })
      await close()
    }),
  )

  it(
    'is not consumed if the next entry cannot be added',
    onFile(async (path) => {
      const { protocolState, close } = sqliteStore(path)
      await ok(protocolState.put(anEntry()))
      withRaw(path, (db) =>
        db.exec(
          `CREATE TRIGGER no_next BEFORE INSERT ON protocol_state BEGIN SELECT RAISE(ABORT, 'no'); END`,
        ),
      )
      await unavailable(protocolState.replace('refresh_token', anEntry().id, BY_NEXT))
      withRaw(path, (db) => db.exec('DROP TRIGGER no_next'))
      expect(await find(protocolState, anEntry())).to.deep.equal(found(anEntry()))
      expect(await replace(protocolState, anEntry())).to.equal(true)
      await close()
    }),
  )

  it(
    'is StoreUnavailable after the store is closed',
    onFile(async (path) => {
      const { protocolState, close } = sqliteStore(path)
      await close()
      for (const asked of [protocolState.put(anEntry()), protocolState.find('code', 'id')])
        expect(await asked()).to.have.nested.property('left._tag', 'StoreUnavailable')
    }),
  )
})

const BY_NEXT = { atSeconds: NOW, keptUntilSeconds: NOW, unconsumedAtMost: 9, next: anEntry({ id: NEXT }) }
