import { expect } from 'chai'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { sqliteStoreCopy } from '../../adapters/stores/sqlite/store-copy.ts'
import { aRenewal, change, registered } from '../testkit/builders.ts'
import { commitAll, ok } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'

const COPY = { id: 'a copy', place: 'elsewhere' }

/** What a process of the former version runs: it knows no mark. */
const appendAt = (path: string, position: number): unknown =>
  withRaw(path, (db) =>
    db
      .prepare(
        "INSERT INTO log VALUES (?, 'new', 'UserDisabled', 1, '', 'user', 'x', 'nobody', NULL, NULL, '{}')",
      )
      .run(position),
  )

describe('a SQLite store that has moved', () => {
  it(
    'takes no entry of a process of the former version, until a renewal',
    onFile(async (path) => {
      const store = sqliteStore(path)
      const copy = sqliteStoreCopy(path)
      await commitAll(store, change(registered()))
      const before = contents(path)
      await ok(copy.lock(COPY, async () => right(undefined)))
      expect(() => appendAt(path, 2)).to.throw('the store has moved')
      expect(contents(path).log).to.deep.equal(before.log)
      await ok(store.renewEpoch(aRenewal))
      expect(contents(path).schema, 'no trigger is left').to.deep.equal(before.schema)
      appendAt(path, 3)
      await commitAll(store, change(registered()))
      copy.close()
      await store.close()
    }),
  )

  it(
    'refuses the changes that waited for the lock',
    onFile(async (path) => {
      const store = sqliteStore(path)
      const copy = sqliteStoreCopy(path)
      await commitAll(store, change(registered()))
      let waiting: ReadonlyArray<ReturnType<ReturnType<typeof store.commit>>> = []
      await ok(
        copy.lock(COPY, async () => {
          waiting = Array.from({ length: 5 }, () => store.commit(change(registered()))())
          return right(undefined)
        }),
      )
      const outcomes = await Promise.all(waiting)
      expect(outcomes.map(isLeft)).to.deep.equal([true, true, true, true, true])
      expect(outcomes[0]).to.deep.include({
        left: { _tag: 'StoreUnavailable', reason: 'the store has moved to elsewhere' },
      })
      copy.close()
      await store.close()
    }),
  )
})
