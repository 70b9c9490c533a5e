import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgresProtocolState } from '../../adapters/stores/postgres/protocol-state.ts'
import { postgresServerNotes } from '../../adapters/stores/postgres/server-notes.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { eventually } from '../support/eventually.ts'
import { fail, succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { startService } from '../support/running-service.ts'
import { anEntry, find, found, put } from '../testkit/protocol-state/steps.ts'
import { aUser, changeOf, said } from './changes.ts'
import { ANSWER_PATIENCE_MS } from './line.ts'
import { type SynchronousPair, startSynchronousPair } from './synchronous-pair.ts'

if (postgres !== undefined)
  describe('a store whose commits wait for a synchronous standby', function () {
    this.timeout(60_000)
    let pair: SynchronousPair
    before(async () => {
      pair = await startSynchronousPair()
    })
    afterEach(() => pair?.resume())
    after(() => pair?.remove())

    for (const [what, made] of [
      ['a change without rows', () => changeOf(said())],
      ['a change of rows', () => changeOf({ _tag: 'UserRegistered', user: aUser() })],
    ] as const)
      it(`does not acknowledge ${what} that only the primary has, also when it finds it in the log`, async () => {
        const store = postgresStore(connectionsTo(pair.url, 2))
        const change = made()
        await pair.stall()
        let hasAnswered = false
        const answer = store
          .commit(change)()
          .finally(() => {
            hasAnswered = true
          })
        const [first] = await eventually('the commit waits', async () => {
          const pids = await pair.waiting()
          return pids.length > 0 ? pids : undefined
        })
        // The primary now shows the commit, and the standby lacks it.
        await pair.primary.ask(`SELECT pg_terminate_backend(${first})`)
        await eventually('the second commit waits, or is answered', async () =>
          hasAnswered || (await pair.waiting()).some((pid) => pid !== first) ? true : undefined,
        )
        expect(await logged(pair, change.id), 'on the primary').to.equal(true)
        expect(hasAnswered).to.equal(false)
        pair.resume()
        expect(isRight(await answer)).to.equal(true)
        await eventually('the standby shows it', async () =>
          (await pair.standby.ask(`SELECT FROM portcullis.log WHERE id = '${change.id}'`, pair.name)).length >
          0
            ? true
            : undefined,
        )
        await store.close()
      })

    it('makes /readyz answer 503 while the standby stalls, and 200 when it continues', async () => {
      const service = await startService({ DATABASE_URL: pair.url })
      const readiness = async () => (await service.send({ method: 'GET', path: '/readyz' })).status
      try {
        expect(await readiness()).to.equal(200)
        await pair.stall()
        expect(await readiness()).to.equal(503)
        pair.resume()
        await eventually('200', async () => ((await readiness()) === 200 ? true : undefined))
      } finally {
        pair.resume()
        await service.stop()
      }
    })

    it('leaves one waiting connection behind, however often it is asked whether it can be written', async () => {
      const store = postgresStore(
        connectionsTo(pair.url, 4, { queryTimeoutMs: ANSWER_PATIENCE_MS, patienceMs: ANSWER_PATIENCE_MS }),
      )
      await pair.stall()
      for (let time = 0; time < 5; time += 1) await fail(store.checkWritable())
      expect(await pair.waiting()).to.have.length(1)
      pair.resume()
      await eventually('it can be written', async () =>
        isRight(await store.checkWritable()()) ? true : undefined,
      )
      await store.close()
    })

    it('counts failures and notes a server without waiting, and leaves no connection behind', async () => {
      const connections = connectionsTo(pair.url, 4)
      const counts = postgresFailureCounts(connections, () => 0)
      const failures = { count: 1, refusedUntil: 0, forgottenFrom: 1 }
      const count = (key: string) =>
        counts.update({ kind: 'account', key }, (known) => ({ kept: some(failures), answer: known }))
      await pair.stall()
      for (const key of ['ada', 'bob', 'eve']) {
        expect(await succeed(count(key))).to.deep.equal(none)
        expect(await succeed(count(key))).to.deep.equal(some(failures))
      }
      await succeed(
        postgresServerNotes(connections).write({
          id: 'one',
          name: 'here',
          startedAt: 0,
          seenAt: 0,
          settings: {},
        }),
      )
      expect(await pair.waiting()).to.have.length(0)
      await connections.close()
    })

    it('does not acknowledge a refresh token that only the primary has', async () => {
      const connections = connectionsTo(pair.url, 2)
      const state = postgresProtocolState(connections)
      await pair.stall()
      let hasAnswered = false
      const answer = put(state, anEntry()).finally(() => {
        hasAnswered = true
      })
      await eventually('the put waits', async () => ((await pair.waiting()).length > 0 ? true : undefined))
      expect(hasAnswered).to.equal(false)
      pair.resume()
      await answer
      expect(await find(state, anEntry())).to.deep.equal(found(anEntry()))
      await connections.close()
    })

    it('shares one probe among those that ask meanwhile', async () => {
      const connections = connectionsTo(pair.url, 4)
      let begun = 0
      const store = postgresStore({
        ...connections,
        transaction: (work) => {
          begun += 1
          return connections.transaction(work)
        },
      })
      await pair.stall()
      const probes = Promise.all(Array.from({ length: 8 }, () => succeed(store.checkWritable())))
      await eventually('the probe waits', async () => ((await pair.waiting()).length > 0 ? true : undefined))
      const late = succeed(store.checkWritable())
      expect(begun).to.equal(1)
      pair.resume()
      await Promise.all([probes, late])
      await succeed(store.checkWritable())
      expect(begun, 'a later one asks anew').to.equal(2)
      await store.close()
    })
  })

const logged = async ({ primary, name }: SynchronousPair, id: string): Promise<boolean> =>
  (await primary.ask(`SELECT FROM portcullis.log WHERE id = '${id}'`, name)).length > 0
