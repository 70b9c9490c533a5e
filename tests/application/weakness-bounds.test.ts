import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/TaskEither.js'
import { findWeakness } from '../../application/passwords/find-weakness.ts'

describe('findWeakness, when the estimator is overloaded', () => {
  it('does not search the list of leaked passwords either, because no other limit applies to it', async () => {
    let looked = 0
    const weakness = findWeakness({
      policy: { kind: 'nist', minCodePoints: 15 },
      services: [],
      leaked: () => async () => {
        looked += 1
        return right<never, boolean>(false)()
      },
      estimator: { estimate: () => left({ _tag: 'Overloaded', retryAfterSeconds: 1 }) },
    })
    for (let time = 0; time < 10; time += 1) await weakness('nine purple otters sing', undefined)()
    expect(looked).to.equal(0)
  })
})
