import { expect } from 'chai'
import { right } from 'fp-ts/lib/TaskEither.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { GOOD, startNistService } from '../support/nist-service.ts'

/** A service with these estimates after its start, and how many it has made since. */
const counted = async (later: 'strong' | 'common') => {
  let estimates = 0
  let estimate: typeof later = 'strong'
  const counting = provide(Dependency.passwordEstimator, () => ({
    estimate: () => async () => {
      estimates += 1
      return right<never, typeof estimate>(estimate)()
    },
    close: async () => {},
  }))
  const nist = await startNistService({ THROTTLE_ACCOUNT_FAILURES: '3' }, undefined, counting)
  estimates = 0
  estimate = later
  return { ...nist, estimates: () => estimates }
}

describe('a password change under nist estimates the new password at most as often as a wrong one may be tried', () => {
  for (const [what, estimate, fields, refused] of [
    ['without an old password', 'strong', { old_password: undefined }, 422],
    ['with the right old password and a weak new one', 'common', {}, 422],
  ] as const) {
    it(what, async () => {
      const { change, estimates, stop } = await counted(estimate)
      try {
        const statuses: Array<number> = []
        for (let time = 0; time < 20; time += 1) statuses.push((await change(GOOD, fields)).status)
        expect(statuses).to.deep.equal([...Array(3).fill(refused), ...Array(17).fill(429)])
        expect(estimates()).to.equal(3)
      } finally {
        await stop()
      }
    })
  }
})
