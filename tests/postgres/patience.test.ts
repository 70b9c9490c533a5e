import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { commitsTo } from '../../adapters/stores/postgres/commits.ts'
import { postgres } from '../support/postgres.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { onLine } from './line.ts'

const PATIENCE_MS = 300

if (postgres !== undefined) {
  describe('a PostgreSQL that is away longer than a commit waits for a response', () => {
    for (const [what, statement, made] of [
      ['a transaction', /^COMMIT\b/, () => change(registered())],
      ['an append', /INSERT INTO portcullis.log/, () => change(issuedToken())],
    ] as const)
      for (const [fate, written] of [
        ['request lost', 0],
        ['answer lost', 1],
      ] as const)
        it(
          `(${what}: ${fate}) leaves the outcome unknown, and a later retry resolves it`,
          onLine(async ({ store, connections, proxy }) => {
            const told: Array<string> = []
            const commits = commitsTo(
              connections,
              (changes) => told.push(...changes.map(({ id }) => id)),
              PATIENCE_MS,
            )
            await commitAll(store, made())
            const before = (await wholeLog(store)).length
            const once = made()
            const met = proxy.next(statement, fate)
            const asked = commits.commit(once)
            await met
            proxy.silence()
            expect(await asked).to.deep.include({
              left: {
                _tag: 'StoreUnavailable',
                reason: 'Connection terminated unexpectedly',
                outcome: 'unknown',
              },
            })
            await commits.drained()
            proxy.resume()
            expect(await wholeLog(store)).to.have.length(before + written)
            expect(isRight(await commits.commit(once))).to.equal(true)
            expect((await wholeLog(store)).slice(before).map(({ id }) => id)).to.deep.equal(
              once.events.map(({ id }) => id),
            )
            expect(told).to.deep.equal(written === 0 ? [once.id] : [])
            await commitAll(store, once, made())
          }),
        )
  })
}
