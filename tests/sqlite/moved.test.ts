import { expect } from 'chai'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { sqliteStoreCopy } from '../../adapters/stores/sqlite/store-copy.ts'
import { change, registered } from '../testkit/builders.ts'
import { commitAll, ok } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'

const COPY = { id: 'a copy', place: 'elsewhere' }

describe('a SQLite store that has moved', () => {
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
