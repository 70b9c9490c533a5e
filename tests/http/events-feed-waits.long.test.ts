import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { NewApplication } from '../../application/applications/register-application.ts'
import { MOST_WAITERS } from '../../domain/event-feed.ts'
import { eventually } from '../support/eventually.ts'
import type { Answer } from '../support/http-client.ts'
import { withDeadlines } from '../support/manual-deadlines.ts'
import { type ManualTimers, manualTimers } from '../support/manual-timers.ts'
import { succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { startTwoInstances } from '../support/two-instances.ts'
import { type Feed, feedOf, nextOf } from './feed-client.ts'

describe('a request that waits for events', () => {
  let feed: Feed
  let reader: NewApplication
  let timers: ManualTimers
  let waiting: Promise<void>
  let begins: number
  let frees: number
  beforeEach(async () => {
    begins = 0
    frees = 0
    timers = manualTimers()
    let begun = (): void => undefined
    waiting = new Promise((resolve) => {
      begun = resolve
    })
    feed = await feedOf(
      await startService(
        {},
        provide(
          Dependency.logWaiters,
          { store: Dependency.store, background: Dependency.background },
          async (needs) => {
            const { logWaiters } = await import('../../application/log/log-waiters.ts')
            const waiters = logWaiters(needs)
            return {
              ...waiters,
              wait: (asked) => {
                const task = waiters.wait(asked)
                return (
                  task &&
                  (async () => {
                    const woken = task()
                    begins += 1
                    begun()
                    const how = await woken
                    frees += 1
                    return how
                  })
                )
              },
            }
          },
        ),
        withDeadlines(timers.startTimer),
      ),
    )
    const { service } = feed.running
    reader = await succeed(service.registerApplication(CONTEXT, { name: 'reader', scope: 'events:read' }))
  })
  afterEach(() => feed.running.stop())

  const end = async () => `?after=${(await feed.log()).length}&wait=30`
  const tokenOf = async () => {
    const body = { public_api_key: reader.publicApiKey, private_api_key: reader.privateApiKey }
    return (await feed.running.send({ method: 'POST', path: '/api/v1/auth/application/token', body })).body
      .token
  }

  it('has its deadline 10 s after the wait that it asks for', async () => {
    const token = await tokenOf()
    const asked = feed.ask(await end(), token)
    await waiting
    expect(timers.running()).to.deep.equal([40_000])
    timers.pass()
    const { status, body } = await asked
    expect([status, body.message]).to.deep.equal([503, 'The store is not available now.'])
    // The signal of the request ends its wait.
    expect(await eventually('the end of the wait', async () => (frees > 0 ? true : undefined))).to.equal(true)
  })

  it('waits beside an application that waits at all places it may have', async () => {
    const token = await tokenOf()
    const query = await end()
    const refused: Array<Answer> = []
    const greedy = Array.from({ length: MOST_WAITERS }, async () => {
      const answer = await feed.ask(query)
      if (answer.status === 503) refused.push(answer)
      return answer.status
    })
    await eventually('half of them are refused', async () => refused.length === MOST_WAITERS / 2 || undefined)
    for (const { headers } of refused) expect(headers['retry-after']).to.equal('5')
    const asked = feed.ask(query, token)
    await eventually('one more waits', async () => begins === MOST_WAITERS / 2 + 1 || undefined)
    await feed.running.userToken()
    expect((await asked).status).to.equal(200)
    await Promise.all(greedy)
    expect(refused).to.have.lengthOf(MOST_WAITERS / 2)
  })

  it('gets nothing if its application is revoked meanwhile', async () => {
    const token = await tokenOf()
    const asked = feed.ask(await end(), token)
    await waiting
    await succeed(feed.running.service.revokeApplication(CONTEXT, reader.application.id))
    expect((await asked).status).to.equal(401)
  })
})

if (postgres !== undefined) {
  const server = postgres

  describe('a request that waits at one of two instances', () => {
    it('gets what the other one writes', async () => {
      const both = await startTwoInstances(await server.newDatabase())
      const token = await scopedToken(both.one, 'events:read')
      const events = (query: string) =>
        both.other.send({ method: 'GET', path: `/api/v1/events${query}`, token })
      const asked = events(`${nextOf(await events('?limit=500')).search}&wait=30&type=UserSignedIn`)
      await both.one.userToken()
      const { body } = await asked
      expect(body.map(({ type }: { type: string }) => type)).to.deep.equal(['portcullis.UserSignedIn'])
      await both.stop()
    })
  })
}
