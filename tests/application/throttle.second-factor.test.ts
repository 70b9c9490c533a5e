import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { right } from 'fp-ts/lib/TaskEither.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryFailureCounts } from '../../adapters/stores/memory/failure-counts.ts'
import { throttle, withThrottle } from '../../application/throttling/throttle.ts'
import type { ThrottleKey } from '../../application/throttling/throttle-key.ts'
import { succeed } from '../support/outcome.ts'
import { settableClock } from './fakes.ts'
import { NOW } from './world.ts'

const ADA: ThrottleKey = { kind: 'second_factor', userId: 'ada' }
const BOB: ThrottleKey = { kind: 'second_factor', userId: 'bob' }

const given = () => {
  const clock = settableClock(NOW)
  const limits = {
    accountFailures: 1,
    addressFailures: 1,
    recoveriesPerHour: 1,
    registrationsPerHour: 1,
    mailsPerHour: 600,
    vouchedPerHour: 1,
    signInsPerMinute: 1,
  }
  const dependencies = { counts: memoryFailureCounts(clock.read), clock: clock.read, digests: nodeDigests }
  const throttling = throttle({ ...dependencies, limits })
  /** Enters a code, and returns how the throttle refused it. */
  const enter = async (isRightCode: boolean, key = ADA) => {
    const check = right<never, boolean>(isRightCode)
    const entered = await withThrottle(throttling, key, { check, isSuccess: (outcome) => outcome })()
    return isLeft(entered) ? entered.left : undefined
  }
  /** Enters wrong codes until one is refused for good. */
  const failForGood = async (): Promise<number> => {
    for (let examined = 0; ; ) {
      const refusal = await enter(false)
      if (refusal === undefined) examined += 1
      else if (refusal._tag !== 'Throttled' || refusal.untilCleared) return examined
      else clock.passSeconds(refusal.retryAfterSeconds)
    }
  }
  return { throttling, clock, enter, failForGood }
}

describe('codes of an authenticator app', () => {
  it('wait 30 seconds after five wrong ones of the user, with any limit of accounts', async () => {
    const { enter } = given()
    for (let each = 0; each < 5; each += 1) expect(await enter(false)).to.equal(undefined)
    expect(await enter(true)).to.deep.equal({ _tag: 'Throttled', retryAfterSeconds: 30 })
    expect(await enter(true, BOB)).to.equal(undefined)
  })

  it('count from zero after a right one', async () => {
    const { enter } = given()
    for (let each = 0; each < 20; each += 1) expect(await enter(each % 5 === 4)).to.equal(undefined)
  })

  it('are refused after a hundred wrong ones, until the count is cleared', async () => {
    const { enter, failForGood, clock, throttling } = given()
    expect(await failForGood()).to.equal(100)
    clock.passSeconds(10 * 365 * 86_400)
    const refusal = { _tag: 'Throttled', retryAfterSeconds: 86_400, untilCleared: true }
    expect(await enter(true)).to.deep.equal(refusal)
    expect(await throttling.check(ADA)()).to.deep.equal({ _tag: 'Left', left: refusal })
    await throttling.endPause(ADA)()
    await succeed(throttling.check(ADA))
    expect(await failForGood(), 'the count was cleared').to.equal(100)
    await throttling.forget(ADA)()
    expect(await enter(true)).to.equal(undefined)
  })
})
