import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { withDeadlines } from '../support/manual-deadlines.ts'
import { manualTimers } from '../support/manual-timers.ts'
import { postgres } from '../support/postgres.ts'
import { postgresProxy } from '../support/postgres-proxy.ts'
import { startService } from '../support/running-service.ts'

if (postgres !== undefined) {
  const server = postgres

  describe('a request whose PostgreSQL does not answer until the deadline', () => {
    for (const [what, statement, outcome, written] of [
      ['a write', /INSERT INTO portcullis\.log/, 'unknown', 1],
      ['a read', /FROM portcullis\.applications/, 'none', 0],
    ] as const)
      it(`during ${what}: gets 503, and the log has ${written} event of it later`, async () => {
        const { url, drop } = await server.newDatabase()
        const proxy = await postgresProxy(server.port)
        const timers = manualTimers()
        const running = await startService({ DATABASE_URL: proxy.url(url) }, withDeadlines(timers.startTimer))
        const issue = (id: string) =>
          running.send({
            method: 'POST',
            path: '/api/v1/auth/application/token',
            body: running.keys,
            headers: { 'x-request-id': id },
          })
        const issued = async () =>
          (await eventsOf(running.service.store, 'ApplicationTokenIssued')).map(
            ({ request_id }) => request_id,
          )
        try {
          const held = proxy.next(statement, 'held')
          const asked = issue('late')
          const release = await held
          timers.pass()
          const { status, body } = await asked
          expect(status).to.equal(503)
          expect(body.outcome).to.equal(outcome)
          release()
          expect((await issue('next')).status).to.equal(200)
          const expected = written === 1 ? ['late', 'next'] : ['next']
          await eventually('the commit', async () => (await issued()).length === expected.length || undefined)
          expect((await issued()).sort()).to.deep.equal(expected)
        } finally {
          await running.stop()
          await proxy.close()
          await drop()
        }
      })
  })
}
