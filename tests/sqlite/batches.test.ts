import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { Change } from '../../application/ports/store.ts'
import { aSession, change, issuedToken, registered, signedIn } from '../testkit/builders.ts'
import { commitAll, commitAtOnce, tally, wholeLog } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { transactionsDuring } from './raw.ts'

/** Changes that no use case makes, next to one that is already in the log. */
const CONSTRAINTS_BROKEN: ReadonlyArray<readonly [string, (known: Change) => Change]> = [
  [
    'an entry that is already in the log',
    (known) => {
      const made = change(registered(), issuedToken())
      return { ...made, events: [made.events[0], known.events[0]] }
    },
  ],
  [
    'a number outside the range of the column',
    () => change(registered(), signedIn(aSession({ expiresAtSeconds: 0.5 }))),
  ],
]

describe('concurrent changes', () => {
  it(
    'share transactions of up to 256 changes',
    onFile(async (path) => {
      const store = sqliteStore(path)
      const changes = Array.from({ length: 500 }, () => change(issuedToken(), registered()))
      const count = await transactionsDuring(path, () => commitAtOnce(store, changes))
      expect(await wholeLog(store)).to.have.length(1_000)
      expect(count).to.equal(2)
      await store.close()
    }),
  )

  it(
    'are committed without waiting for further changes',
    onFile(async (path) => {
      const store = sqliteStore(path)
      const changes = Array.from({ length: 10 }, () => change(issuedToken()))
      expect(await transactionsDuring(path, () => commitAll(store, ...changes))).to.equal(10)
      await store.close()
    }),
  )

  for (const [name, broken] of CONSTRAINTS_BROKEN) {
    it(
      `fails only its own change in a batch: ${name}`,
      onFile(async (path) => {
        const store = sqliteStore(path)
        const known = change(issuedToken())
        await commitAll(store, known)
        const neighbours = Array.from({ length: 6 }, () => change(issuedToken(), registered()))
        const batch = [...neighbours.slice(0, 3), broken(known), ...neighbours.slice(3)]
        let outcomes: Awaited<ReturnType<typeof commitAtOnce>> = []
        const count = await transactionsDuring(path, async () => {
          outcomes = await commitAtOnce(store, batch)
        })
        expect(count, 'one transaction').to.equal(1)
        expect(outcomes.map(({ _tag }) => _tag)).to.deep.equal([
          'Right',
          'Right',
          'Right',
          'Left',
          'Right',
          'Right',
          'Right',
        ])
        expect(tally(outcomes)).to.deep.equal({ success: 6, StoreUnavailable: 1 })
        expect((await wholeLog(store)).map(({ id, position }) => [position, id])).to.deep.equal(
          [known, ...neighbours].flatMap(({ events }) => events).map(({ id }, index) => [index + 1, id]),
        )
        await store.close()
      }),
    )
  }

  it(
    'are refused when too many changes wait, and then write nothing',
    onFile(async (path) => {
      const store = sqliteStore(path)
      const changes = Array.from({ length: 6_000 }, () => change(issuedToken()))
      const outcomes = await commitAtOnce(store, changes)
      const written = changes.filter((_, index) => outcomes[index]?._tag === 'Right')
      expect(Object.keys(tally(outcomes)).sort()).to.deep.equal(['StoreUnavailable', 'success'])
      expect((await wholeLog(store)).map(({ id }) => id)).to.deep.equal(written.map(({ id }) => id))
      await store.close()
    }),
  )
})
