import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { sqliteStoreCopy } from '../../adapters/stores/sqlite/store-copy.ts'
import type { StoredEntry } from '../../application/ports/store-copy.ts'
import { eventually } from '../support/eventually.ts'
import { fail } from '../support/outcome.ts'
import { someChange } from '../testkit/builders.ts'
import { ok } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

const COPY = { id: 'first', place: 'elsewhere' }

const entryAt = (position: number): StoredEntry => ({
  position,
  id: `entry ${position}`,
  type: 'UserDisabled',
  version: 1,
  at: '2026-01-01T00:00:00.000Z',
  subject_kind: 'user',
  subject_id: 'x',
  actor_kind: 'nobody',
  actor_id: null,
  request_id: null,
  data: '{}',
})

const entriesIn = (path: string): unknown =>
  withRaw(path, (db) => db.prepare('SELECT count(*) FROM log').pluck().get())

describe('a SQLite file with an unfinished copy', () => {
  it(
    'is emptied in several transactions, which may be interrupted',
    onFile(async (path) => {
      const store = sqliteStore(path)
      const copy = sqliteStoreCopy(path)
      const contents = await ok(copy.readContents())
      await ok(copy.begin(COPY, contents))
      const entries = Array.from({ length: 25_000 }, (_, index) => entryAt(index + 1))
      await ok(copy.write('first', { part: 'log', entries }))

      const begun = copy.begin({ ...COPY, id: 'second' }, contents)()
      await eventually('a part is deleted', async () => (entriesIn(path) === 25_000 ? undefined : true))
      copy.close() // as if the process were killed
      expect(isLeft(await begun)).to.equal(true)
      expect(entriesIn(path)).to.be.within(1, 24_999)

      const again = sqliteStoreCopy(path)
      expect(await ok(again.readCopyState())).to.deep.equal({
        state: 'incomplete',
        copyId: 'second',
        place: COPY.place,
      })
      await ok(again.begin({ ...COPY, id: 'third' }, contents))
      expect(entriesIn(path)).to.equal(0)
      await ok(again.write('third', { part: 'log', entries: entries.slice(0, 1) }))
      await ok(again.complete('third'))
      again.close()
      await store.close()
    }),
  )
})

describe('a SQLite file that is created as the target of a copy', () => {
  it(
    'is closed from its first moment, until it is copied to',
    onFile(async (path) => {
      await sqliteStore(path, { opening: 'copy-target' }).close() // as if the process were killed
      const store = sqliteStore(path)
      const storeCopy = sqliteStoreCopy(path)
      expect(await fail(store.commit(someChange()))).to.deep.equal({
        _tag: 'StoreUnavailable',
        reason: 'the store is an incomplete copy of another store',
      })
      await ok(storeCopy.begin(COPY, await ok(storeCopy.readContents())))
      await ok(storeCopy.complete(COPY.id))
      await ok(store.commit(someChange()))
      storeCopy.close()
      await store.close()
    }),
  )

  it(
    'is not closed if it was there',
    onFile(async (path) => {
      await sqliteStore(path).close()
      const store = sqliteStore(path, { opening: 'copy-target' })
      await ok(store.commit(someChange()))
      await store.close()
    }),
  )
})
