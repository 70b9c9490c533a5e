import { expect } from 'chai'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryFailureCounts } from '../../adapters/stores/memory/failure-counts.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import { throttle, withThrottle } from '../../application/throttling/throttle.ts'
import type { ThrottleKey } from '../../application/throttling/throttle-key.ts'
import { settableClock } from './fakes.ts'
import { NOW } from './world.ts'

const ADDRESS: ThrottleKey = { kind: 'end_user_address', applicationId: 'shop', address: '192.0.2.1' }
const ACCOUNT: ThrottleKey = { kind: 'account_in_network', email: 'ada@example.com', address: '192.0.2.1' }

type Outcome = 'success' | 'failure' | 'error'

const given = (
  limits: { accountFailures: number; addressFailures: number },
  breaking: (counts: FailureCounts) => FailureCounts = (counts) => counts,
) => {
  const clock = settableClock(NOW)
  const counts = breaking(memoryFailureCounts(clock.read))
  const all = throttle({
    counts,
    clock: clock.read,
    digests: nodeDigests,
    limits: {
      ...limits,
      recoveriesPerHour: 1,
      registrationsPerHour: 1,
      mailsPerHour: 600,
      vouchedPerHour: 1,
      signInsPerMinute: 1,
    },
  })
  let checks = 0
  const attempt = async (keys: ReadonlyArray<ThrottleKey>, outcome: Outcome): Promise<string> => {
    const tried = await withThrottle(all, keys, {
      check: async () => {
        checks += 1
        return outcome === 'error' ? left({ _tag: 'Overloaded' }) : right(outcome === 'success')
      },
      isSuccess: (is) => is,
    })()
    return isLeft(tried) ? tried.left._tag : String(tried.right)
  }
  return { attempt, clock, checks: () => checks }
}

const BOTH = [ADDRESS, ACCOUNT]

describe('withThrottle, given the keys of an address and an account', () => {
  it('when a check fails, then it counts on both', async () => {
    for (const limits of [
      { accountFailures: 2, addressFailures: 9 },
      { accountFailures: 9, addressFailures: 2 },
    ]) {
      const { attempt, checks } = given(limits)
      expect(await attempt(BOTH, 'failure')).to.equal('false')
      expect(await attempt(BOTH, 'failure')).to.equal('false')
      expect(await attempt(BOTH, 'success')).to.equal('Throttled')
      expect(checks()).to.equal(2)
    }
  })

  for (const keys of [BOTH, [...BOTH].reverse()]) {
    const names = keys.map(({ kind }) => kind).join(' before ')
    for (const [throttled, other] of [
      [ADDRESS, ACCOUNT],
      [ACCOUNT, ADDRESS],
    ] as const) {
      it(`when ${throttled.kind} refuses (${names}), then it does not count on ${other.kind}`, async () => {
        const { attempt } = given({ accountFailures: 2, addressFailures: 2 })
        for (let each = 0; each < 2; each += 1) await attempt([throttled], 'failure')
        for (let each = 0; each < 5; each += 1) expect(await attempt(keys, 'failure')).to.equal('Throttled')
        expect(await attempt([other], 'failure')).to.equal('false')
        expect(await attempt([other], 'failure')).to.equal('false')
        expect(await attempt([other], 'failure')).to.equal('Throttled')
      })
    }
  }

  it('when a check succeeds, then the account’s count is reset, and the address keeps its own', async () => {
    const { attempt } = given({ accountFailures: 3, addressFailures: 5 })
    await attempt(BOTH, 'failure')
    await attempt(BOTH, 'failure')
    expect(await attempt(BOTH, 'success')).to.equal('true')
    for (let each = 0; each < 3; each += 1) expect(await attempt([ACCOUNT], 'failure')).to.equal('false')
    expect(await attempt([ACCOUNT], 'failure')).to.equal('Throttled')
    for (let each = 0; each < 3; each += 1) expect(await attempt([ADDRESS], 'failure')).to.equal('false')
    expect(await attempt([ADDRESS], 'failure')).to.equal('Throttled')
  })

  it('when a check ends with an error, then it counts on neither', async () => {
    const { attempt } = given({ accountFailures: 2, addressFailures: 2 })
    for (let each = 0; each < 5; each += 1) expect(await attempt(BOTH, 'error')).to.equal('Overloaded')
    expect(await attempt(BOTH, 'failure')).to.equal('false')
    expect(await attempt(BOTH, 'failure')).to.equal('false')
  })

  it('when the second count is unavailable, then it does not count on the first, and nothing is checked', async () => {
    let isBroken = true
    const accountKey = nodeDigests.sha256('account_in_network 192.0.2.1 ada@example.com')
    const { attempt, checks } = given({ accountFailures: 2, addressFailures: 2 }, (counts) => ({
      ...counts,
      update: (counted, decide) =>
        isBroken && counted.key === accountKey
          ? async () => left({ _tag: 'StoreUnavailable', reason: 'broken' })
          : counts.update(counted, decide),
    }))
    for (let each = 0; each < 5; each += 1)
      expect(await attempt(BOTH, 'failure')).to.equal('StoreUnavailable')
    expect(checks()).to.equal(0)
    isBroken = false
    expect(await attempt(BOTH, 'failure')).to.equal('false')
    expect(await attempt(BOTH, 'failure')).to.equal('false')
  })
})
