import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { onEverySharedStore, onEveryStore } from '../support/every-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { type Scrape, scrape } from '../support/scrape.ts'
import { withService } from '../support/with-service.ts'

const errors = (method: string, reason: string) =>
  `portcullis_store_errors_total{method="${method}",reason="${reason}"}`
const commits = (outcome: string) => `portcullis_store_commits_total{outcome="${outcome}"}`

/** Outcomes of a commit, with the series that count them. */
const SAID: ReadonlyArray<readonly [what: string, says: object, counted: ReadonlyArray<string>]> = [
  ['a conflict', { _tag: 'Conflict' }, [commits('conflict')]],
  ['a taken e-mail', { _tag: 'EmailTaken' }, [commits('email_taken')]],
  [
    'a full disk',
    { _tag: 'StoreUnavailable', reason: 'SQLITE_FULL' },
    [commits('unavailable'), errors('commit', 'full')],
  ],
  [
    'a lost response',
    { _tag: 'StoreUnavailable', reason: 'ECONNRESET', outcome: 'unknown' },
    [commits('unknown'), errors('commit', 'connection')],
  ],
  [
    'a reason equal to a label value',
    { _tag: 'StoreUnavailable', reason: 'disk' },
    [commits('unavailable'), errors('commit', 'disk')],
  ],
  [
    'a custom reason',
    { _tag: 'StoreUnavailable', reason: 'the moon "is"\n in the way' },
    [commits('unavailable'), errors('commit', 'other')],
  ],
]

describe('the metrics of a custom store', () => {
  const store = memoryStore()
  let says: object | undefined
  let reads: 'good' | 'unavailable' | 'throws' | 'silent' = 'good'
  const read: <A>(task: () => Promise<A>) => () => Promise<A> = (task) => {
    if (reads === 'throws') throw new Error('broken')
    if (reads === 'silent') return () => new Promise(() => {})
    return reads === 'good' ? task : async () => left({ _tag: 'StoreUnavailable', reason: 'EPIPE' }) as never
  }
  const front: Store = {
    ...store,
    commit: (change) => (says === undefined ? store.commit(change) : async () => left(says) as never),
    findSession: (id) => read(store.findSession(id)),
    readEvents: (query) => read(store.readEvents(query)),
  }
  let running: RunningService
  let userToken: string
  before(async () => {
    running = await startService(
      {},
      provide(Dependency.storage, () => ({ store: front })),
    )
    userToken = await running.userToken()
  })
  after(() => running.stop())

  const scraping = () => scrape(`http://127.0.0.1:${running.port}`)
  const changed = async (act: () => Promise<unknown>) => {
    const before = await scraping()
    await act()
    const after = await scraping()
    return after.series.filter(
      (one) => /_store_(?:commits|errors)_total/.test(one) && after.value(one) !== before.value(one),
    )
  }

  for (const [what, answer, counted] of SAID) {
    it(`count the outcome of a commit: ${what}`, async () => {
      says = answer
      const issue = { method: 'POST', path: '/api/v1/auth/application/token', body: running.keys }
      const seen = await changed(() => running.send(issue))
      says = undefined
      expect(seen).to.have.members(counted)
    })
  }

  it('count commits and their duration', async () => {
    const before = await scraping()
    expect(await changed(() => running.applicationToken())).to.deep.equal([commits('committed')])
    const { value } = await scraping()
    const count = 'portcullis_store_commit_duration_seconds_count'
    expect(value(count)).to.equal((before.value(count) ?? 0) + 1)
  })

  it('count failed reads by the method of the port', async () => {
    const profile = { method: 'GET', path: '/api/v1/profile', token: userToken }
    reads = 'unavailable'
    const { status } = await running.send(profile)
    reads = 'good'
    expect(status).to.equal(503)
    expect((await scraping()).value(errors('findSession', 'connection'))).to.equal(1)
  })

  for (const how of ['unavailable', 'throws', 'silent'] as const) {
    it(`are served while the log cannot be read: it is ${how}`, async () => {
      const known = (await scraping()).value('portcullis_log_position')
      expect(known).to.be.above(0)
      reads = how
      const told: Scrape = await scraping()
      reads = 'good'
      expect(told.value('portcullis_log_position')).to.equal(known)
    })
  }
})

onEveryStore('the metrics of a store', (stores) => {
  it('show the end of the log, also after writes of other processes', async () => {
    await withService(await stores.fresh(), async ({ service, port, applicationToken }) => {
      await applicationToken()
      const entries = await service.store.readEvents({ after: 0, limit: 1_000 })()
      const last = entries._tag === 'Right' ? entries.right.at(-1)?.position : undefined
      expect((await scrape(`http://127.0.0.1:${port}`)).value('portcullis_log_position')).to.equal(last)
      await applicationToken()
      expect((await scrape(`http://127.0.0.1:${port}`)).value('portcullis_log_position')).to.equal(
        (last ?? 0) + 1,
      )
    })
  })
})

onEverySharedStore('the metrics of commits', (stores) => {
  it('show the number of changes per transaction: all of them in fewer transactions', async () => {
    await withService(await stores.fresh(), async ({ port, service }) => {
      const before = await scrape(`http://127.0.0.1:${port}`)
      const made = { name: 'one of many', scope: 'users:sign_in' }
      await Promise.all(Array.from({ length: 40 }, () => succeed(service.registerApplication(CONTEXT, made))))
      const after = await scrape(`http://127.0.0.1:${port}`)
      const grown = (series: string) => (after.value(series) ?? 0) - (before.value(series) ?? 0)
      expect(grown('portcullis_store_commit_batch_changes_sum')).to.equal(40)
      expect(grown('portcullis_store_commit_batch_changes_count')).to.be.within(1, 39)
      expect(grown(commits('committed'))).to.equal(40)
    })
  })
})
