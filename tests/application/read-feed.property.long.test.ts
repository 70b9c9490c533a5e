import { expect } from 'chai'
import * as fc from 'fast-check'
import type { LogEntry } from '../../application/ports/store.ts'
import type { FeedRequest } from '../../domain/event-feed.ts'
import { onEveryStore } from '../support/every-store.ts'
import { lastingStore } from '../support/lasting-store.ts'
import { renewByStore } from '../support/renew-by-store.ts'
import { wholeLog } from '../testkit/outcome.ts'
import { behind, feedReader, pageOf, type Written, write } from './feed-reader.ts'

onEveryStore('readFeed, in any order of writes, reads and renewals by the store', (stores) => {
  it('gives each consumer every entry of its type exactly once, in order, for any limits and waits', async () => {
    const type = fc.constantFrom<Written>('ApplicationTokenIssued', 'UserRegistered', 'UserSignedIn')
    const writing = fc.array(type, { maxLength: 7 })
    const step = fc.oneof(
      fc.record({ write: writing }),
      fc.constant({ renew: true }),
      fc.record({
        consumer: fc.nat({ max: 2 }),
        limit: fc.integer({ min: 1, max: 5 }),
        wait: fc.nat({ max: 4 }),
        meanwhile: writing,
        isRenewed: fc.boolean(),
      }),
    )
    const types = fc.tuple(fc.constant(undefined), type, fc.option(type, { nil: undefined }))
    await fc.assert(
      fc.asyncProperty(types, fc.array(step, { maxLength: 30 }), async (wanted, steps) => {
        const store = stores.kind.isShared ? (await stores.lasting()).store : lastingStore()
        const { read, orWaits, passSeconds } = feedReader(store)
        const consumers = wanted.map((only) => ({ type: only, after: '', seen: [] as Array<LogEntry> }))
        const consume = async (
          index: number,
          request: Partial<FeedRequest>,
          meanwhile: () => Promise<void> = async () => {},
        ) => {
          const consumer = consumers[index]
          if (consumer === undefined) return 0
          const asked = read({ ...request, type: consumer.type, after: consumer.after })
          let answered = await orWaits(asked)
          if (answered === undefined) await meanwhile()
          while (answered === undefined) {
            const answer = orWaits(asked)
            await passSeconds(1)
            answered = await answer
          }
          const page = pageOf(answered)
          consumer.seen.push(...page.entries)
          consumer.after = behind(page)
          return page.entries.length
        }
        for (const one of steps) {
          if ('write' in one) await write(store, ...one.write)
          else if ('renew' in one) await renewByStore(store)
          else
            await consume(one.consumer, { limit: `${one.limit}`, wait: `${one.wait}` }, async () => {
              if (one.isRenewed) await renewByStore(store)
              await write(store, ...one.meanwhile)
            })
        }
        const log = await wholeLog(store)
        for (const [index, consumer] of consumers.entries()) {
          while ((await consume(index, { limit: '500' })) > 0);
          expect(consumer.seen).to.deep.equal(
            log.filter((entry) => consumer.type === undefined || entry.type === consumer.type),
          )
          expect(consumer.after.split(':')[1]).to.equal(String(log.length))
        }
      }),
      { numRuns: stores.runs(150) },
    )
  }).timeout(60_000)
})
