import { expect } from 'chai'
import { right } from 'fp-ts/lib/TaskEither.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { GOOD, startNistService } from '../support/nist-service.ts'

describe('a password change without an old password, under nist', () => {
  it('estimates the new password at most as often as a wrong password may be tried', async () => {
    let estimates = 0
    const counting = provide(Dependency.passwordEstimator, () => ({
      estimate: () => async () => {
        estimates += 1
        return right<never, 'strong'>('strong')()
      },
      close: async () => {},
    }))
    const nist = await startNistService({ THROTTLE_ACCOUNT_FAILURES: '3' }, undefined, counting)
    try {
      const before = estimates
      for (let time = 0; time < 50; time += 1) await nist.change(GOOD, { old_password: undefined })
      expect(estimates - before).to.be.at.most(3)
    } finally {
      await nist.stop()
    }
  })
})
