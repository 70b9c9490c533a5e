import { expect } from 'chai'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { type FailureCounts, KEPT_AT_MOST } from '../../application/ports/failure-counts.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { throttle, withThrottle } from '../../application/throttling/throttle.ts'
import type { ThrottleKey } from '../../application/throttling/throttle-key.ts'
import { onEveryStore } from '../support/every-store.ts'
import { type SettableClock, settableClock } from './fakes.ts'
import { NOW } from './world.ts'

const LIMIT = 3
const HOUR_SECONDS = 3600
const BROKEN: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'broken' }

const ofApplication = (applicationId: string): ThrottleKey => ({ kind: 'recoveries', applicationId })
const ofEmail = (email: string): ThrottleKey => ({ kind: 'recovery_of_email', email })

onEveryStore('starts of recoveries, with a limit of three an hour for an application', (stores) => {
  let clock: SettableClock
  let url: string
  let counts: FailureCounts
  beforeEach(async () => {
    clock = settableClock(NOW)
    url = (await stores.fresh()).DATABASE_URL
    counts = await stores.kind.openFailureCounts(url, clock.read)
  })
  afterEach(() => counts.close())

  /** Returns the seconds to wait, or 0 if the recovery was started. */
  const startOn =
    (on: () => FailureCounts) =>
    async (keys: ReadonlyArray<ThrottleKey>, isUnavailable = false): Promise<number> => {
      const limits = {
        accountFailures: 1,
        addressFailures: 1,
        recoveriesPerHour: LIMIT,
        registrationsPerHour: LIMIT,
        signInsPerMinute: LIMIT,
      }
      const all = throttle({ counts: on(), clock: clock.read, digests: nodeDigests, limits })
      const started = await withThrottle(all, keys, {
        check: async () => (isUnavailable ? left(BROKEN) : right('token')),
        isSuccess: () => false, // each start counts
      })()
      return isLeft(started) && started.left._tag === 'Throttled' ? started.left.retryAfterSeconds : 0
    }
  const start = startOn(() => counts)
  const startTimes = async (times: number, ...keys: ReadonlyArray<ThrottleKey>) => {
    const waits: Array<number> = []
    for (let each = 0; each < times; each += 1) waits.push(await start(keys))
    return waits
  }

  it('wait beyond it until the hour is over', async () => {
    expect(await startTimes(4, ofApplication('shop'))).to.deep.equal([0, 0, 0, HOUR_SECONDS])
    clock.passSeconds(HOUR_SECONDS - 1)
    expect(await startTimes(1, ofApplication('shop'))).to.deep.equal([1])
    clock.passSeconds(1)
    expect(await startTimes(4, ofApplication('shop'))).to.deep.equal([0, 0, 0, HOUR_SECONDS])
  })

  it('count for each application on its own', async () => {
    await startTimes(4, ofApplication('shop'))
    expect(await startTimes(1, ofApplication('blog'))).to.deep.equal([0])
  })

  it('for one e-mail, in any case, are five an hour', async () => {
    expect(await startTimes(3, ofEmail('ada@example.com'))).to.deep.equal([0, 0, 0])
    expect(await startTimes(3, ofEmail('ADA@example.com'))).to.deep.equal([0, 0, HOUR_SECONDS])
    expect(await startTimes(1, ofEmail('grace@example.com'))).to.deep.equal([0])
  })

  it('that the e-mail refuses do not count for the application', async () => {
    await startTimes(5, ofEmail('ada@example.com'))
    const refused = await startTimes(5, ofApplication('shop'), ofEmail('ada@example.com'))
    expect(new Set(refused)).to.deep.equal(new Set([HOUR_SECONDS]))
    expect(await startTimes(4, ofApplication('shop'))).to.deep.equal([0, 0, 0, HOUR_SECONDS])
  })

  it('that fail with an error do not count', async () => {
    for (let each = 0; each < 5; each += 1) await start([ofApplication('shop')], true)
    expect(await startTimes(4, ofApplication('shop'))).to.deep.equal([0, 0, 0, HOUR_SECONDS])
  })

  it('are three if forty begin at once', async () => {
    const waits = await Promise.all(Array.from({ length: 40 }, () => start([ofApplication('shop')])))
    expect(waits.filter((seconds) => seconds === 0)).to.have.lengthOf(LIMIT)
  })

  it('wait also after a flood of failed sign-ins with made-up e-mails', async () => {
    const few = await stores.kind.openFailureCounts((await stores.fresh()).DATABASE_URL, clock.read, {
      ...KEPT_AT_MOST,
      account: 1_000,
    })
    const startOnFew = startOn(() => few)
    for (let each = 0; each < LIMIT; each += 1) await startOnFew([ofApplication('shop')])
    const limits = {
      accountFailures: 9,
      addressFailures: 9,
      recoveriesPerHour: LIMIT,
      registrationsPerHour: LIMIT,
      signInsPerMinute: LIMIT,
    }
    const all = throttle({ counts: few, clock: clock.read, digests: nodeDigests, limits })
    for (let first = 0; first < 4_000; first += 200)
      await Promise.all(
        Array.from({ length: 200 }, (_, each) =>
          all.addFailure({ kind: 'account', email: `made-up-${first + each}@example.com` })(),
        ),
      )
    expect(await startOnFew([ofApplication('shop')])).to.equal(HOUR_SECONDS)
    await few.close()
  }).timeout(60_000)

  if (!stores.kind.isShared) return

  it('count for all instances together', async () => {
    const another = await stores.kind.openFailureCounts(url, clock.read)
    const startThere = startOn(() => another)
    expect(await start([ofApplication('shop')])).to.equal(0)
    expect(await startThere([ofApplication('shop')])).to.equal(0)
    expect(await start([ofApplication('shop')])).to.equal(0)
    expect(await startThere([ofApplication('shop')])).to.equal(HOUR_SECONDS)
    await another.close()
  })
})
