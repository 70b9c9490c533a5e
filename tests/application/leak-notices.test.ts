import { expect } from 'chai'
import { memoryFailureCounts } from '../../adapters/stores/memory/failure-counts.ts'
import { mayNoticeLeak } from '../../application/throttling/leak-notices.ts'
import { succeed } from '../support/outcome.ts'
import { settableClock } from './fakes.ts'
import { NOW } from './world.ts'

describe('a notice that the password of a user was entered', () => {
  it('is sent once a day for each user, counted from the last one', async () => {
    const clock = settableClock(NOW)
    const may = mayNoticeLeak({ counts: memoryFailureCounts(clock.read), clock: clock.read })
    const ask = (userId: string) => succeed(may(userId))
    expect(await ask('ada')).to.equal(true)
    expect([await ask('ada'), await ask('bob')]).to.deep.equal([false, true])
    clock.passSeconds(86_399)
    expect(await ask('ada')).to.equal(false)
    clock.passSeconds(1)
    expect([await ask('ada'), await ask('ada')]).to.deep.equal([true, false])
  })
})
