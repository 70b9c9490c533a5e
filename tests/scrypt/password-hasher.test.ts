import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { scryptPasswordHasher } from '../../adapters/credentials/scrypt/password-hasher.ts'
import type { HashingRequest } from '../../application/ports/password-hasher.ts'
import { fail } from '../support/outcome.ts'

const REQUEST: HashingRequest = { share: ['tests'] }

describe('scrypt with one hash at a time and an empty queue', () => {
  it('refuses a second password during the first, in hash and verify', async () => {
    const hasher = scryptPasswordHasher({ logN: 1, r: 8, p: 1 }, { concurrency: 1, maxWaitMs: 0 })
    const first = hasher.hash('first', REQUEST)()
    const overloaded = { _tag: 'Overloaded', retryAfterSeconds: 1 }
    expect(await fail(hasher.hash('second', REQUEST))).to.deep.equal(overloaded)
    expect(await fail(hasher.verify('second', none, REQUEST))).to.deep.equal(overloaded)
    expect(await first).to.have.property('_tag', 'Right')
  })
})
