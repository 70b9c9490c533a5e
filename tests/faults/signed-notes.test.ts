import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import { treeOf } from '../../application/ports/log-tree.ts'
import { apiClient, type KeyPair } from '../support/api-client.ts'
import { processWorkplace, type Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { SHARED_STORES } from '../support/stores.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { signedNotes } from './signed-notes.ts'

const KILLS = Number(process.env.FAULT_CYCLES ?? 20)
const SECRET = '5ec2e7'.repeat(8)

/** The integration of these takes several passes. */
const ENTRIES_BEFORE = 12_000

const QUIET = { LOG_LEVEL: 'error' }

/** An instance signs a second after its start, and each second from then on. */
const MOST_MS_ALIVE = 3_000

for (const { name, layOut, openStore } of SHARED_STORES)
  for (const instances of name === 'SQLite' ? [3] : [2, 4])
    describe(`${instances} instances on ${name} that sign checkpoints under load and are killed`, () => {
      let url = ''
      let removeStore = async (): Promise<void> => {}
      before(async () => {
        const place = await layOut()
        url = place.url
        removeStore = place.remove
      })
      const place = processWorkplace(undefined, () => ({
        DATABASE_URL: url,
        PUBLIC_URL: 'http://service.test',
        EVENT_LOG_KEY: `2026:${SECRET}`,
      }))
      after(async () => {
        place.remove()
        await removeStore()
      })

      it(`${KILLS} times never sign two roots of one size, nor a root that is not of the log`, async () => {
        const seed = seedOfThisRun()
        const dice = chance(seed)
        const store = await openStore(url)
        const log = treeOf(store)
        if (log === undefined) throw new Error('the store has no tree')
        for (let left = ENTRIES_BEFORE; left > 0; left -= 500)
          await commitAll(store, change(issuedToken(), ...Array.from({ length: 499 }, () => issuedToken())))
        const notes = signedNotes(log)
        try {
          const keys = await created('shop')
          const auditor = await created('auditor --scope events:read')

          const load: Array<Promise<number>> = []
          const start = async (): Promise<Serving> => {
            const server = await place.serve('serve', QUIET)
            const client = apiClient(server.url)
            const { body } = await client.issueToken(auditor)
            await client.close()
            load.push(
              notes.watch(server.url, body.token),
              useUntilGone(server, keys),
              useUntilGone(server, keys),
            )
            return server
          }
          const running = await Promise.all(Array.from({ length: instances }, start))
          let killed = 0
          const killing = running.map(async (first, index) => {
            let server = first
            while (killed < KILLS) {
              killed += 1
              await passes(dice.below(MOST_MS_ALIVE))
              await server.end('SIGKILL')
              expect(server.logged(), `FAULT_SEED=${seed}`).to.equal('')
              server = await start()
            }
            running[index] = server
          })
          await Promise.all(killing)

          for (const server of running) expect([await server.end(), server.logged()]).to.deep.equal([0, ''])
          expect(Math.max(...(await Promise.all(load))), 'there was load').to.be.greaterThan(10)
          const last = await place.serve('serve', QUIET) // it adds the last entries
          const settledAt = await eventually('a checkpoint of all entries', async () => {
            const tree = await succeed(log.readTree())
            return tree.size === tree.entries ? tree.size : undefined
          })
          expect([await last.end(), last.logged()]).to.deep.equal([0, ''])
          await notes.end()
          expect(settledAt).to.be.greaterThan(ENTRIES_BEFORE)
          expect(await notes.verify(SECRET), `sizes, FAULT_SEED=${seed}`).to.be.greaterThan(3)
          const { status, out, err } = await place.portcullis('events verify')
          expect(status, `${out}${err}, FAULT_SEED=${seed}`).to.equal(0)
        } finally {
          await notes.end()
          await store.close()
        }
      }).timeout(60_000 + KILLS * 5_000)

      const created = async (words: string): Promise<KeyPair> =>
        JSON.parse((await place.portcullis(`application create --json --name ${words}`)).out)
    })

/** Requests tokens, one after the other. Returns their number. */
const useUntilGone = async ({ url }: Serving, keys: KeyPair): Promise<number> => {
  const { issueToken, close } = apiClient(url)
  for (let issued = 0; ; issued += 1) {
    const answer = await issueToken(keys).catch(() => undefined)
    if (answer === undefined) {
      await close()
      return issued
    }
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
  }
}
