import { expect } from 'chai'
import pg from 'pg'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { API_KEY } from '../support/api-keys.ts'
import { processWorkplace, type Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { httpClient } from '../support/http-client.ts'
import { jsonLines } from '../support/json-lines.ts'
import { postgres } from '../support/postgres.ts'
import { NEWEST_SCHEMA } from './database.ts'

const INSTANCES = 5
const LOCK_OF_MIGRATIONS = 0x504f5254

if (postgres !== undefined) {
  const server = postgres

  describe('instances that start together on an empty database', () => {
    const { portcullis, serve, remove } = processWorkplace()
    after(remove)
    let database: Awaited<ReturnType<typeof server.newDatabase>>
    let name: string
    beforeEach(async () => {
      database = await server.newDatabase()
      name = new URL(database.url).pathname.slice(1)
    })
    afterEach(() => database.drop())

    const migrations = async () =>
      Number((await server.ask('SELECT count(*) FROM portcullis.migrations', name))[0]?.count)

    it('wait for the one that creates the schema', async () => {
      const holder = new pg.Client(database.url)
      await holder.connect()
      await holder.query('SELECT pg_advisory_lock($1)', [LOCK_OF_MIGRATIONS])
      const opening = Promise.all(
        Array.from({ length: 5 }, () =>
          openDatabase({ url: database.url, place: 'a database of the tests' }),
        ),
      )
      await eventually('all of them wait', async () => {
        const waiting = await server.ask(
          `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}' AND wait_event = 'advisory'`,
        )
        return waiting.length === 5 ? true : undefined
      })
      await holder.end()
      await opening
      expect(await migrations()).to.equal(NEWEST_SCHEMA)
    })

    it('all serve with one pair of signing keys, and stop one by one', async () => {
      const environment = { DATABASE_URL: database.url, PUBLIC_URL: 'http://service.test' }
      const serving = await Promise.all(Array.from({ length: INSTANCES }, () => serve('serve', environment)))
      expect(await migrations()).to.equal(NEWEST_SCHEMA)
      const { out } = await portcullis('keys list --json', { environment })
      expect(jsonLines(out).map(({ purpose }) => purpose)).to.have.members(['application', 'user'])
      const keys = await Promise.all(serving.map(published))
      expect(keys).to.deep.equal(Array(INSTANCES).fill(keys[0]))
      for (const [index, instance] of serving.entries()) {
        expect(await instance.end()).to.equal(0)
        const rest = serving.slice(index + 1)
        expect(await Promise.all(rest.map(published))).to.deep.equal(rest.map(() => keys[0]))
      }
    }).timeout(60_000)

    it('create the first application and the first user once, and print their secrets once', async () => {
      const environment = { DATABASE_URL: database.url, PUBLIC_URL: 'http://service.test' }
      const serving = await Promise.all(
        Array.from({ length: 4 }, () => serve('serve --first-run', environment)),
      )
      await Promise.all(serving.map((instance) => instance.end()))
      expect(serving.filter((instance) => API_KEY.test(instance.printed()))).to.have.lengthOf(1)
      for (const list of ['application list --json', 'user list --json'])
        expect(jsonLines((await portcullis(list, { environment })).out), list).to.have.lengthOf(1)
    }).timeout(60_000)
  })
}

const published = async ({ url }: Serving): Promise<unknown> => {
  const { send, close } = httpClient(url)
  const answers = []
  for (const path of ['/.well-known/jwks.json', '/.well-known/paseto-keys.json', '/readyz'])
    answers.push((await send({ method: 'GET', path })).body)
  await close()
  return answers
}
