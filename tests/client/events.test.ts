import { expect } from 'chai'
import { type FeedEvent, type Portcullis, portcullis } from '../../adapters/client/client.ts'
import type { Module } from '../../adapters/index.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { isPauseOfEvents, ownTime } from './own-time.ts'
import { thrownBy } from './thrown-by.ts'

const reader = async ({ service, port }: RunningService): Promise<Portcullis> => {
  const made = await succeed(service.registerApplication(CONTEXT, { name: 'reader', scope: 'events:read' }))
  return portcullis({ url: `http://127.0.0.1:${port}`, ...made }, ownTime(isPauseOfEvents))
}

describe('events of a real service', () => {
  let running: RunningService
  let auth: Portcullis
  const start = async (...modules: ReadonlyArray<Module>): Promise<void> => {
    running = await startService({}, ...modules)
    auth = await reader(running)
  }
  afterEach(() => running.stop())

  const log = () => succeed(running.service.store.readEvents({ after: 0, limit: 10_000 }))

  it('are the entries of the log, and then those that happen', async () => {
    await start()
    const before = (await log()).length
    const seen: Array<FeedEvent> = []
    for await (const event of auth.events()) {
      seen.push(event)
      if (seen.length === before) running.userToken() // while the client waits
      if (event.data.type === 'UserSignedIn') break
    }
    const entries = await log()
    expect(seen.map(({ data }) => data.id)).to.deep.equal(entries.slice(0, seen.length).map(({ id }) => id))
    expect(seen.length).to.be.greaterThan(before)
  })

  it('end at the newest one with eventsUntilNow', async () => {
    await start()
    await running.userToken()
    const seen: Array<FeedEvent> = []
    for await (const event of auth.eventsUntilNow()) seen.push(event)
    expect(seen.map(({ data }) => data.id)).to.deep.equal((await log()).map(({ id }) => id))
    const after = seen.at(-1)?.cursor
    expect(await auth.eventsUntilNow({ after, types: ['UserSignedIn'] }).next()).to.include({ done: true })
    await running.userToken()
    const next = await auth.eventsUntilNow({ after, types: ['UserSignedIn'] }).next()
    expect(next.value).to.have.nested.property('data.type', 'UserSignedIn')
  })

  it('throw CursorEnded with the epoch and the first position, after the log was renewed', async () => {
    await start()
    let after: string | undefined
    for await (const { cursor } of auth.events()) {
      after = cursor
      break
    }
    const { epoch } = await succeed(running.service.renewLog(CONTEXT))
    const error = await thrownBy(auth.events({ after }).next())
    expect(error).to.include({ name: 'CursorEnded', epoch, first: 1 })
  })

  it('throw CursorEnded with the first position that was not pruned', async () => {
    await start()
    const log = treeOf(running.service.store)
    await log?.pruneLog({ through: 2, positions: [] })()
    const first = (await auth.events().next()).value
    const [epoch] = String(first?.cursor).split(':')
    const error = await thrownBy(auth.events({ after: `${epoch}:1` }).next())
    expect(error).to.include({ name: 'CursorEnded', epoch, first: 3 })
  })

  it('end a wait at the service with the signal', async () => {
    await start()
    const controller = new AbortController()
    const { length } = await log()
    const seen: Array<FeedEvent> = []
    const thrown = thrownBy(
      (async () => {
        for await (const event of auth.events({}, { signal: controller.signal }))
          if (seen.push(event) === length) setImmediate(() => controller.abort('enough'))
      })(),
    )
    expect(await thrown).to.equal('enough')
  })
})
