import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { eventually } from '../support/eventually.ts'
import { fail, succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { wholeLog } from '../testkit/outcome.ts'
import { type OnLine, onLine } from './line.ts'

/** Longer than the outages of these tests. */
const PATIENT = { patienceMs: 20_000 }

const ASKED: ReadonlyArray<readonly [string, (line: OnLine) => TaskEither<unknown, unknown>]> = [
  ['a look-up', ({ store }) => store.findUserByEmail('nobody@example.com')],
  ['a list', ({ store }) => store.readEvents({ after: 0, limit: 1 })],
  ['an append', ({ store }) => store.commit(change(issuedToken()))],
  ['a commit with rows', ({ store }) => store.commit(change(registered()))],
  ['a failure count', ({ connections }) => countOn(connections)],
  ['the check of /readyz', ({ store }) => store.checkWritable()],
]

const countOn = (connections: OnLine['connections']): TaskEither<StoreUnavailable, unknown> =>
  postgresFailureCounts(connections, Date.now).update({ kind: 'account', key: 'key' }, () => ({
    kept: none,
    answer: 1,
  }))

if (postgres !== undefined) {
  describe('a short outage of PostgreSQL', () => {
    for (const [what, ask] of ASKED)
      it(
        `fails no request (${what})`,
        onLine(async (line) => {
          const refused = line.proxy.refuse()
          const answer = succeed(ask(line))
          await refused
          line.proxy.accept()
          await answer
        }, PATIENT),
      )

    for (const [what, ask] of ASKED)
      it(
        `fails no request that begins late, while an earlier one gives up (${what})`,
        onLine(
          async (line) => {
            await succeed(line.store.checkWritable())
            const { proxy } = line
            const refused = proxy.refuse()
            const early = fail(line.store.listSigningKeys())
            await refused
            for (const _ of [1, 2, 3]) await proxy.refuse() // one more was refused
            const late = succeed(ask(line))
            await early
            proxy.accept()
            await late
          },
          { patienceMs: 1_500 },
        ),
      )

    it(
      'lets every request of the moment through, each once',
      onLine(async ({ store, proxy }) => {
        const changes = Array.from({ length: 60 }, (_, index) =>
          change(index % 2 === 0 ? issuedToken() : registered()),
        )
        const refused = proxy.refuse()
        const asked = Promise.all([
          ...changes.map((each) => store.commit(each)()),
          ...changes.map(() => store.findApplication('none')()),
        ])
        await refused
        proxy.accept()
        const outcomes = await asked
        expect(outcomes.slice(0, 60)).to.deep.equal(changes.map(() => right(undefined)))
        expect(outcomes.slice(60)).to.deep.equal(changes.map(() => right(none)))
        expect((await wholeLog(store)).map(({ id }) => id).sort()).to.deep.equal(
          changes.map(({ id }) => id).sort(),
        )
      }, PATIENT),
    )
  })

  describe('a PostgreSQL whose machine does not answer', () => {
    it(
      'fails no request that waits for a connection, also if there are more than connections',
      onLine(
        async ({ store, proxy }) => {
          proxy.silence()
          let answered = 0
          const asked = Array.from({ length: 8 }, () =>
            store
              .listSigningKeys()()
              .finally(() => {
                answered += 1
              }),
          )
          await eventually('a connection was given up', async () => (proxy.opened() > 1 ? true : undefined))
          expect(answered).to.equal(0)
          proxy.resume()
          for (const answer of asked) await succeed(() => answer)
        },
        { ...PATIENT, most: 1 },
      ),
    )
  })
}
