import { expect } from 'chai'
import { compose, Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { EXPIRING_TABLES } from '../../application/ports/store.ts'
import { eventually } from '../support/eventually.ts'
import { basic, REVOKE, sendForm } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startService } from '../support/running-service.ts'
import { scrape } from '../support/scrape.ts'
import { settings } from '../support/settings.ts'
import { aOneTimeToken, changeBy, startedRecovery } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const DAYS_MS = 2 * 24 * 3_600_000

onMemory('a server whose store has expired rows', (stores) => {
  it('deletes them soon after it listens, counts them, and leaves what is valid', async () => {
    const { environment, modules, store } = await stores.lasting()
    const ids = async (table: (typeof EXPIRING_TABLES)[number]) =>
      (await succeed(store.listRows({ table, after: '', limit: 99 }))).map(({ id }) => id)

    const before = provide(Dependency.clock, () => () => Date.now() - DAYS_MS)
    const former = await startService(environment, ...modules, before)
    await former.userToken()
    const revoked = { token: await former.applicationToken() }
    expect((await sendForm(former, REVOKE, revoked, basic(former.keys))).status).to.equal(200)
    const [application] = await succeed(store.listRows({ table: 'applications', after: '', limit: 1 }))
    const actor = { kind: 'application', id: application?.id ?? '' } as const
    const recovery = aOneTimeToken({
      userId: former.user.id,
      applicationId: actor.id,
      expiresAtSeconds: Math.floor(Date.now() / 1000) - 3600,
    })
    await commitAll(store, changeBy({ actor }, startedRecovery(recovery)))
    await former.stop()
    for (const table of EXPIRING_TABLES) expect(await ids(table), table).to.have.lengthOf(1)
    // The log then says that two days have passed.
    const { registerApplication, stop } = await compose(settings(environment), ...modules)
    await succeed(registerApplication(CONTEXT, { name: 'later', scope: 'events:read' }))
    await stop()
    const log = await succeed(store.readEvents({ after: 0, limit: 999 }))

    const service = await compose(settings(environment), ...modules)
    const port = await service.listen('127.0.0.1', 0)
    try {
      await eventually('no expired row is left', async () =>
        (await Promise.all(EXPIRING_TABLES.map(ids))).flat().length === 0 ? true : undefined,
      )
      const { value } = await scrape(`http://127.0.0.1:${port}`)
      for (const table of EXPIRING_TABLES)
        expect(value(`portcullis_expired_rows_deleted_total{table="${table}"}`), table).to.equal(1)
      expect((await succeed(store.readEvents({ after: 0, limit: 999 }))).slice(0, log.length)).to.deep.equal(
        log,
      )
      const { disagreements } = await succeed(checkLog({ store, clock: Date.now, digests: nodeDigests }))
      expect(disagreements).to.deep.equal([])
    } finally {
      await service.stop()
    }
  })
})
