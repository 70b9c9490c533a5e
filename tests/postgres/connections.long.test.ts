import { expect } from 'chai'
import type { Connections } from '../../adapters/stores/postgres/connections.ts'
import { OutcomeUnknown } from '../../adapters/stores/postgres/errors.ts'
import { postgres } from '../support/postgres.ts'
import { type OnLine, onLine as onLineWith, PATIENT, useAtOnce } from './line.ts'

const onLine = (test: (line: OnLine) => Promise<void>) => onLineWith(test, PATIENT)

if (postgres !== undefined) {
  describe('connections to PostgreSQL', () => {
    it(
      'keep the connection of an abandoned transaction and none of its changes',
      onLine(async ({ connections }) => {
        const before = await backend(connections)
        const givenUp = new Error('given up')
        const work = connections.transaction(async (query) => {
          await query('CREATE TABLE given_up ()')
          throw givenUp
        })
        expect(await errorOf(work)).to.equal(givenUp)
        expect(await backend(connections)).to.equal(before)
        const { rows } = await connections.read("SELECT to_regclass('given_up') AS found")
        expect(rows).to.deep.equal([{ found: null }])
      }),
    )

    it(
      'keep the connection of a refused statement and report the refusal',
      onLine(async ({ connections }) => {
        const before = await backend(connections)
        for (const ask of [connections.read, connections.write])
          expect(await errorOf(ask('SELECT 1/0'))).to.include({ code: '22012' })
        const work = connections.transaction((query) => query('SELECT 1/0'))
        expect(await errorOf(work)).to.include({ code: '22012' })
        expect(await backend(connections)).to.equal(before)
      }),
    )

    it(
      'report the error of a transaction, not that of its rollback',
      onLine(async ({ connections, proxy }) => {
        const met = proxy.next(/ROLLBACK/, 'request lost')
        const work = connections.transaction((query) => query('SELECT 1/0'))
        expect(await errorOf(work)).to.include({ code: '22012' })
        await met
        expect(await answers(connections)).to.equal(true)
      }),
    )

    for (const how of ['ended', 'reset'] as const)
      it(
        `are reopened at once when all idle ones were cut (${how})`,
        onLine(async ({ connections, proxy }) => {
          for (let time = 1; time <= 3; time += 1) {
            await useAtOnce(connections, 4)
            expect(proxy.open()).to.equal(4)
            proxy.cut(how)
            expect(await answers(connections)).to.equal(true)
          }
        }),
      )

    for (const how of ['ended', 'reset'] as const)
      it(
        `repeat a transaction whose connection ends between two of its statements (${how})`,
        onLine(async ({ connections, proxy }) => {
          let calls = 0
          const done = await connections.transaction(async (query) => {
            calls += 1
            await query('SELECT 1')
            if (calls === 1) {
              proxy.cut(how)
              while (proxy.open() > 0) await new Promise(setImmediate)
              await new Promise(setImmediate) // the client hears of it
            }
            await query('SELECT 2')
            return 'done'
          })
          expect([done, calls]).to.deep.equal(['done', 2])
        }),
      )

    it(
      'survive a connection that the server ends because a transaction was idle too long',
      onLine(async ({ connections }) => {
        const work = connections.transaction(async (query) => {
          await query('SET LOCAL idle_in_transaction_session_timeout = 50')
          await gone(connections, await pidOf(query))
          await query('SELECT 2')
        })
        expect(await errorOf(work))
          .to.be.instanceOf(Error)
          .and.not.instanceOf(OutcomeUnknown)
        expect(await answers(connections)).to.equal(true)
      }),
    )

    it(
      'drop a connection that the server was asked to end',
      onLine(async ({ connections }) => {
        for (let time = 1; time <= 3; time += 1) {
          const ending = connections.write('SELECT pg_terminate_backend(pg_backend_pid())')
          expect(await errorOf(ending)).to.be.instanceOf(OutcomeUnknown)
          expect(await answers(connections)).to.equal(true)
        }
      }),
    )
  })
}

type Ask = Connections['read']

const pidOf = async (query: Ask): Promise<number | undefined> =>
  (await query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid

const backend = ({ read }: Connections) => pidOf(read)

const answers = async ({ read }: Connections): Promise<boolean> =>
  (await read<{ one: number }>('SELECT 1 AS one')).rows[0]?.one === 1

/** Resolves when the server has ended this connection. */
const gone = async ({ read }: Connections, pid: number | undefined): Promise<void> => {
  const isThere = async () =>
    (await read('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])).rows.length > 0
  while (await isThere());
}

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
