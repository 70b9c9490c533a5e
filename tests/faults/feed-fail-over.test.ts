import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { type PostgresProxy, postgresProxy } from '../support/postgres-proxy.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { effectsIn, type Seen, startConsumer } from './feed-consumer-process.ts'

if (postgres !== undefined)
  describe('a consumer of the event feed, when PostgreSQL fails over', function () {
    this.timeout(120_000)
    let primary: PostgresServer
    let standby: PostgresServer
    let door: PostgresProxy
    let running: RunningService
    let folder: string
    let effect: string
    let killConsumer: () => Promise<void>
    beforeEach(async () => {
      primary = await startPostgresServer()
      const { url } = await primary.newDatabase()
      standby = await primary.standby()
      door = await postgresProxy(primary.port)
      running = await startService({ DATABASE_URL: door.url(url) })
      folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
      effect = join(folder, 'effect.db')
      const { publicApiKey, privateApiKey } = await succeed(
        running.service.registerApplication(CONTEXT, { name: 'follower', scope: 'events:read' }),
      )
      const keys = { public_api_key: publicApiKey, private_api_key: privateApiKey }
      killConsumer = startConsumer(`http://127.0.0.1:${running.port}`, keys, effect)
    })
    afterEach(async () => {
      await killConsumer()
      await running.stop()
      await door.close()
      await primary.remove()
      rmSync(folder, { recursive: true })
    })

    const log = async (): Promise<ReadonlyArray<Seen>> =>
      (await succeed(running.service.store.readEvents({ after: 0, limit: 1_000 }))).map(
        ({ position, id, type }) => ({ position, id, type }),
      )
    /** What the consumer has done, once it has taken the newest entry. */
    const atEnd = () =>
      eventually('the consumer is at the end of the log', async () => {
        const end = (await log()).at(-1)
        const effects = effectsIn(effect)
        return effects.entries.at(-1)?.id === end?.id ? effects : undefined
      })
    const write = () =>
      eventually('the service writes', async () => (await running.applicationToken()) as string | undefined)
    const failOver = async () => {
      await primary.stop()
      door.leadTo(standby.port)
      door.cut('ended')
      await standby.ask('SELECT pg_promote()')
    }

    it('continues where it was if no entry was lost', async () => {
      await write()
      expect((await atEnd()).restarts).to.equal(1) // the first page
      const former = await succeed(running.service.store.readEpoch())
      await failOver()
      await write()
      expect(await succeed(running.service.store.readEpoch())).not.to.equal(former)
      const { entries, restarts } = await atEnd()
      expect(restarts).to.equal(1)
      expect(entries).to.deep.equal(await log())
      expect(entries.filter(({ type }) => type === 'LogRenewed')).to.have.lengthOf(1)
    })

    it('begins again if an entry that it has taken was lost', async () => {
      await write()
      await atEnd()
      await primary.ask('ALTER SYSTEM SET max_wal_senders = 0') // the standby gets no further entry
      await primary.stop()
      await primary.start()
      await write()
      const before = (await atEnd()).entries
      const lost = before.at(-1)
      await failOver()
      await write()
      const { entries, restarts } = await atEnd()
      expect(restarts).to.equal(2)
      expect(entries.slice(before.length)).to.deep.equal(await log())
      expect((await log()).map(({ id }) => id)).not.to.include(lost?.id)
    })
  })
