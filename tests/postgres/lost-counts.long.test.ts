import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Connections } from '../../adapters/stores/postgres/connections.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import type { Failures } from '../../domain/throttle.ts'
import { fail } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { onLine } from './line.ts'

const FAR_AWAY = 4_102_444_800_000

/** Counts one more failure. Returns the previous number. */
const oneMore = (known: Option<Failures>) => {
  const count = (isSome(known) ? known.value.count : 0) + 1
  return { kept: some({ count, refusedUntil: 0, forgottenFrom: FAR_AWAY }), answer: count }
}
const look = (known: Option<Failures>) => ({ kept: known, answer: isSome(known) ? known.value.count : 0 })
const forget = () => ({ kept: none, answer: 0 })

const countsOn = (connections: Connections) => postgresFailureCounts(connections, () => 0)

if (postgres !== undefined) {
  describe('a failure count on a failing connection to PostgreSQL', () => {
    for (const fate of ['request lost', 'answer lost'] as const)
      it(
        `(at the write: ${fate}) counts once`,
        onLine(async ({ connections, proxy }) => {
          const counts = countsOn(connections)
          expect(await counts.update({ kind: 'account', key: 'a' }, oneMore)()).to.deep.equal(right(1))
          const met = proxy.next(/INSERT INTO portcullis.failure_counts/, fate)
          expect(await counts.update({ kind: 'account', key: 'a' }, oneMore)()).to.deep.equal(right(2))
          await met
          expect(await counts.update({ kind: 'account', key: 'a' }, look)()).to.deep.equal(right(2))
          await counts.close()
        }),
      )

    it(
      'is read again after a dead connection',
      onLine(async ({ connections, proxy }) => {
        const counts = countsOn(connections)
        await counts.update({ kind: 'account', key: 'a' }, oneMore)()
        for (const how of ['ended', 'reset'] as const) {
          proxy.cut(how)
          expect(await counts.update({ kind: 'account', key: 'a' }, look)()).to.deep.equal(right(1))
        }
        await counts.close()
      }),
    )

    it(
      'is unavailable while the connection is silent, is not counted later, and can be reset afterwards',
      onLine(async ({ connections, proxy }) => {
        const counts = countsOn(connections)
        await counts.update({ kind: 'account', key: 'a' }, oneMore)()
        proxy.silence()
        for (const decide of [oneMore, forget])
          await fail(counts.update({ kind: 'account', key: 'a' }, decide))
        proxy.resume()
        expect(await counts.update({ kind: 'account', key: 'a' }, look)()).to.deep.equal(right(1))
        await counts.update({ kind: 'account', key: 'a' }, forget)()
        expect(await counts.update({ kind: 'account', key: 'a' }, look)()).to.deep.equal(right(0))
        await counts.close()
      }),
    )

    it(
      'closes while the connection is silent, and rejects all waiting counts',
      onLine(async ({ connections, proxy }) => {
        const counts = countsOn(connections)
        await counts.update({ kind: 'account', key: 'a' }, oneMore)()
        proxy.silence()
        const asked = [
          fail(counts.update({ kind: 'account', key: 'a' }, oneMore)),
          fail(counts.update({ kind: 'account', key: 'b' }, oneMore)),
        ]
        await counts.close()
        for (const failure of await Promise.all(asked))
          expect(failure).to.include({ _tag: 'StoreUnavailable' })
      }),
    )
  })
}
