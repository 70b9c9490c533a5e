import { randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import { backUpSqlite } from '../../adapters/stores/sqlite/back-up.ts'
import { sqliteFailureCounts } from '../../adapters/stores/sqlite/failure-counts.ts'
import { sqliteReadModel } from '../../adapters/stores/sqlite/read-model.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { catchUp } from '../../application/log/catch-up.ts'
import type { ReadModel } from '../../application/ports/read-model.ts'
import { aKey, changeBy, createdKey, issuedToken } from '../testkit/builders.ts'
import { countOne } from '../testkit/failure-counts/steps.ts'
import { ok } from '../testkit/outcome.ts'

/** The orders of another process for a file. */
export type Order =
  /** Holds the write lock of a file, which may be new, for a while. */
  | Readonly<{ act: 'lock'; path: string; journal: 'delete' | 'wal'; milliseconds: number }>
  /** Reads a file as any other program does, and closes it. */
  | Readonly<{ act: 'look'; path: string }>
  /** Opens a store at a given moment and closes it. */
  | Readonly<{ act: 'open'; path: string; atMilliseconds: number }>
  /** Commits this many changes at once, and creates a key that all processes want to create. */
  | Readonly<{ act: 'commit'; path: string; changes: number; keyId: string }>
  /** Commits this many changes at once, and dies after some acknowledgements. */
  | Readonly<{ act: 'commit and die'; path: string; changes: number; acknowledged: number }>
  /** Copies a file. */
  | Readonly<{ act: 'back up'; path: string; to: string }>
  /** Brings a read model to the end of a log, or dies in the middle of writing the given page. */
  | Readonly<{ act: 'catch up'; path: string; model: string; diesIn?: number }>
  /** Counts this many failures at once under one key, then closes the counts or dies. */
  | Readonly<{ act: 'count'; path: string; key: string; failures: number; end: 'close' | 'die' }>
  /** Consumes these refresh tokens, all at once. */
  | Readonly<{ act: 'consume'; path: string; ids: ReadonlyArray<string> }>

export type Report = Readonly<{
  outcome: string
  /** Ids of the acknowledged changes or consumed tokens, or the count that each counted failure found before it. */
  acknowledged: ReadonlyArray<string>
}>

const report = (outcome: string, ...acknowledged: ReadonlyArray<string>): void => {
  process.send?.({ outcome, acknowledged } satisfies Report)
}

const obey = async (order: Order): Promise<void> => {
  switch (order.act) {
    case 'lock':
      return lock(order)
    case 'open':
      return open(order)
    case 'commit':
      return commit(order)
    case 'commit and die':
      return commitAndDie(order)
    case 'back up':
      backUpSqlite(order.path, order.to)
      return report('copied')
    case 'catch up':
      return followLog(order)
    case 'count':
      return count(order)
    case 'consume':
      return consume(order)
    case 'look':
      return look(order)
  }
}

type To<Act> = Extract<Order, { act: Act }>

const lock = ({ path, journal, milliseconds }: To<'lock'>): void => {
  const db = new Database(path)
  db.pragma(`journal_mode = ${journal}`)
  db.exec('BEGIN IMMEDIATE')
  setTimeout(() => db.close(), milliseconds)
  report('locked')
}

const look = ({ path }: To<'look'>): void => {
  const db = new Database(path)
  const entries = db.prepare('SELECT count(*) FROM log').pluck().get()
  db.close()
  report('looked', String(entries))
}

const open = async ({ path, atMilliseconds }: To<'open'>): Promise<void> => {
  while (Date.now() < atMilliseconds); // a sleep would end too late to cause a race
  await sqliteStore(path).close()
  report('opened')
}

const commit = async ({ path, changes, keyId }: To<'commit'>): Promise<void> => {
  const store = sqliteStore(path)
  const wanted = [...Array(changes)].map(aChange)
  const committing = wanted.map((change) => store.commit(change)())
  const created = await store.commit(changeBy({ uuid: randomUUID }, createdKey(aKey({ id: keyId }))))()
  const outcomes = await Promise.all(committing)
  await store.close()
  report(
    created._tag === 'Right' ? 'success' : created.left._tag,
    ...wanted.filter((_, index) => outcomes[index]?._tag === 'Right').map(({ id }) => id),
  )
}

const commitAndDie = async (order: To<'commit and die'>): Promise<void> => {
  const store = sqliteStore(order.path)
  let acknowledged = 0
  const commitOne = async () => {
    const change = aChange()
    await store.commit(change)()
    acknowledged += 1
    report('success', change.id)
    if (acknowledged === order.acknowledged) process.kill(process.pid, 'SIGKILL')
  }
  await Promise.all([...Array(order.changes)].map(commitOne))
}

const followLog = async ({ path, model: file, diesIn }: To<'catch up'>): Promise<void> => {
  const [store, model] = [sqliteStore(path), sqliteReadModel(file)]
  let pages = 0
  const dying: ReadModel = {
    ...model,
    advance: (from, step) => async () => {
      pages += 1
      if (pages !== diesIn) return model.advance(from, step)()
      const entries = new Proxy(step.entries, {
        get: (all, name) => (name === '500' ? process.kill(process.pid, 'SIGKILL') : Reflect.get(all, name)),
      })
      return model.advance(from, { ...step, entries })()
    },
  }
  const { position } = await ok(catchUp({ store, model: dying }))
  await store.close()
  await model.close()
  report('success', String(position))
}

const count = async ({ path, key, failures, end }: To<'count'>): Promise<void> => {
  const counts = sqliteFailureCounts(path, Date.now)
  const before = await Promise.all([...Array(failures)].map(() => ok(countOne(counts, key))))
  if (end === 'close') await counts.close()
  report('success', ...before.map(String))
  if (end === 'die') process.kill(process.pid, 'SIGKILL')
}

const consume = async ({ path, ids }: To<'consume'>): Promise<void> => {
  const { protocolState, close } = sqliteStore(path)
  const outcomes = await Promise.all(ids.map((id) => ok(protocolState.consume('refresh_token', id, 0))))
  await close()
  report('success', ...ids.filter((_, index) => outcomes[index]))
}

const aChange = () => changeBy({ uuid: randomUUID }, issuedToken(), issuedToken())

process.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => report(String(error)))
})
report('ready')
