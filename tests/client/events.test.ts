import { expect } from 'chai'
import {
  type FeedEvent,
  type Portcullis,
  type PortcullisUnavailable,
  portcullis,
} from '../../adapters/client/client.ts'
import { compose, Dependency, type Module, provide } from '../../adapters/index.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import { lastingStore } from '../support/lasting-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { settings } from '../support/settings.ts'
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

  it('of several types are those of the log, also behind a cursor', async () => {
    await start()
    for (let count = 0; count < 3; count += 1) await running.userToken()
    const types = ['UserSignedIn', 'UserRegistered'] as const
    const expected = (await log()).filter(({ type }) => types.some((one) => one === type))
    const read = async (after?: string) => {
      const seen: Array<FeedEvent> = []
      for await (const event of auth.events({ types, after })) {
        seen.push(event)
        if (event.data.position === expected.at(-1)?.position) break
      }
      return seen
    }
    const all = await read()
    expect(all.map(({ data }) => data.position)).to.deep.equal(expected.map(({ position }) => position))
    const [, second] = all
    expect(await read(second?.cursor)).to.deep.equal(all.slice(2))
  })

  it('go on without loss and repetition while the service restarts', async () => {
    const store = lastingStore()
    const storage = provide(Dependency.storage, () => ({ store }))
    await start(storage)
    const { port } = running
    const outages: Array<PortcullisUnavailable> = []
    const positions: Array<number> = []
    let again = async (): Promise<void> => undefined
    const onUnavailable = (error: PortcullisUnavailable) => {
      if (outages.push(error) !== 1) return
      const restarted = (async () => {
        const service = await compose(settings(), storage)
        await service.listen('127.0.0.1', port)
        await succeed(service.registerUser(CONTEXT, { email: 'bob@example.com', password: 'p' }, OPERATOR))
        return service
      })()
      again = async () => (await restarted).stop()
    }
    for await (const { data } of auth.events({ onUnavailable })) {
      positions.push(data.position)
      if (positions.length === 3) await running.stop()
      if (data.type === 'UserRegistered' && outages.length > 0) break
    }
    await again()
    expect(outages.length).to.be.greaterThan(0)
    expect(positions).to.deep.equal(positions.map((_, index) => index + 1))
    await start() // for afterEach
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

  it('throw RequestRefused without the scope', async () => {
    await start()
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'other', scope: 'users:sign_in' }),
    )
    const other = portcullis({ url: `http://127.0.0.1:${running.port}`, ...made })
    expect(await thrownBy(other.events().next())).to.include({ name: 'RequestRefused', status: 403 })
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
