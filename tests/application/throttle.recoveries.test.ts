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
        mailsPerHour: 600,
        vouchedPerHour: 1,
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
      mailsPerHour: 600,
      vouchedPerHour: 1,
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
