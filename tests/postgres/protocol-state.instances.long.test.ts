import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import pg from 'pg'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { CONSUME, postgresProtocolState } from '../../adapters/stores/postgres/protocol-state.ts'
import type { ProtocolState } from '../../application/ports/protocol-state.ts'
import { ok, unavailable } from '../testkit/outcome.ts'
import {
  anEntry,
  consume,
  find,
  found,
  NEXT,
  NOW,
  put,
  putMany,
  replace,
} from '../testkit/protocol-state/steps.ts'
import { startProcess } from './another-process.ts'
import { describeOnPostgres, sharedStore } from './database.ts'

const PROCESSES = 3
const TOKENS = 50

describeOnPostgres('protocol state of several instances in PostgreSQL', (server) => {
  const shared = sharedStore(server)
  afterEach(() => shared().ask('DELETE FROM portcullis.protocol_state'))

  const withState = async (body: (state: ProtocolState) => Promise<void>): Promise<void> => {
    const connections = connectionsTo(shared().url, 2)
    try {
      await body(postgresProtocolState(connections))
    } finally {
      await connections.close()
    }
  }

  /** What is asked while another instance is in the middle of consuming the entry, which then ends its transaction. */
  const beside = async <A>(end: 'COMMIT' | 'ROLLBACK', ask: () => Promise<A>): Promise<A> => {
    const other = new pg.Client(shared().url)
    await other.connect()
    try {
      await other.query('BEGIN')
      await other.query(CONSUME, ['refresh_token', anEntry().id, NOW])
      const asked = ask()
      await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, A_MOMENT_MS))])
      await other.query(end)
      return await asked
    } finally {
      await other.end()
    }
  }

  for (const [end, isConsumed] of [
    ['COMMIT', false],
    ['ROLLBACK', true],
  ] as const)
    it(`is ${isConsumed ? '' : 'not '}consumed after another instance began to and ended with ${end}`, () =>
      withState(async (state) => {
        await put(state, anEntry())
        expect(await beside(end, () => consume(state, anEntry(), NOW + 1))).to.equal(isConsumed)
        expect(await find(state, anEntry())).to.deep.equal(found(anEntry(), some(isConsumed ? NOW + 1 : NOW)))
      }))

  it('stays consumed when another instance consumes it during a put', () =>
    withState(async (state) => {
      const later = anEntry({ content: 'later' })
      await put(state, anEntry())
      await beside('COMMIT', () => put(state, later))
      expect(await find(state, anEntry())).to.deep.equal(found(later, some(NOW)))
    }))

  it('is not consumed if the next entry cannot be added', () =>
    withState(async (state) => {
      await put(state, anEntry())
      await shared().ask(
        `ALTER TABLE portcullis.protocol_state ADD CONSTRAINT no_next CHECK (id <> '${NEXT}')`,
      )
      await unavailable(state.replace('refresh_token', anEntry().id, BY_NEXT))
      await shared().ask('ALTER TABLE portcullis.protocol_state DROP CONSTRAINT no_next')
      expect(await find(state, anEntry())).to.deep.equal(found(anEntry()))
      expect(await replace(state, anEntry())).to.equal(true)
    }))

  for (const [end, isReplaced] of [
    ['COMMIT', false],
    ['ROLLBACK', true],
  ] as const)
    it(`is ${isReplaced ? '' : 'not '}replaced after another instance began to consume it and ended with ${end}`, () =>
      withState(async (state) => {
        await put(state, anEntry())
        expect(await beside(end, () => replace(state, anEntry()))).to.equal(isReplaced)
        expect(await find(state, anEntry({ id: NEXT }))).to.deep.equal(
          isReplaced ? found(anEntry({ id: NEXT })) : none,
        )
      }))

  it('goes with its session, also while another instance consumes it', () =>
    withState(async (state) => {
      await put(state, anEntry())
      await beside('COMMIT', () => ok(state.removeOfSession('session')))
      expect(await find(state, anEntry())).to.deep.equal(none)
    }))

  it('is left to a later walk if it expired while another instance consumes it, without waiting', () =>
    withState(async (state) => {
      await put(state, anEntry({ expiresAtSeconds: 1 }), anEntry({ id: 'other', expiresAtSeconds: 1 }))
      expect(await beside('COMMIT', () => ok(state.deleteExpired(NOW, 9)))).to.equal(1)
      expect(await ok(state.deleteExpired(NOW, 9))).to.equal(1)
    }))

  it('is consumed once by concurrent processes', async () => {
    let ids: ReadonlyArray<string> = []
    await withState(async (state) => {
      ids = (await putMany(state, TOKENS, () => ({}))).map(({ id }) => id)
    })
    const processes = await Promise.all(Array.from({ length: PROCESSES }, startProcess))
    for (const { tell } of processes) tell({ act: 'consume', url: shared().url, ids })
    const reports = await Promise.all(processes.map(({ report }) => report()))
    const consumed = reports.flatMap((report) => (report.what === 'consumed' ? report.ids : []))
    expect([...consumed].sort()).to.deep.equal(ids)
    await Promise.all(processes.map(({ end }) => end()))
  }).timeout(60_000)

  it('fails without a value if a row is unreadable', () =>
    withState(async (state) => {
      await put(state, anEntry())
      await shared().ask(`UPDATE portcullis.protocol_state SET expires_at = ${2n ** 60n}`)
      expect(await state.find('refresh_token', anEntry().id)()).to.deep.equal({
        _tag: 'Left',
        left: { _tag: 'StoreUnavailable', reason: 'unreadable entry in protocol_state' },
      })
    }))

  it('is StoreUnavailable after the connections of the store are closed', async () => {
    const connections = connectionsTo(shared().url, 1)
    const state = postgresProtocolState(connections)
    await connections.close()
    for (const asked of [state.consume('code', 'id', 0), state.find('code', 'id')])
      expect(await asked()).to.have.nested.property('left._tag', 'StoreUnavailable')
  })
})

/** Long enough for a statement to begin to wait. */
const A_MOMENT_MS = 200

const BY_NEXT = { atSeconds: NOW, keptUntilSeconds: NOW, unconsumedAtMost: 9, next: anEntry({ id: NEXT }) }
