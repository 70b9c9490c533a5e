import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { eventually } from '../support/eventually.ts'
import { postgres } from '../support/postgres.ts'
import { aUser, changeOf, said } from './changes.ts'
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
  })

const logged = async ({ primary, name }: SynchronousPair, id: string): Promise<boolean> =>
  (await primary.ask(`SELECT FROM portcullis.log WHERE id = '${id}'`, name)).length > 0
