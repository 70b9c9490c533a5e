import { expect } from 'chai'
import { isAway, OutcomeUnknown, reasonOf } from '../../adapters/stores/postgres/errors.ts'

/** What the driver says of a connection that ended, or was not established in time. */
const SAID = [
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'timeout expired',
  'the connection is no longer usable',
]

describe('a lost connection to PostgreSQL', () => {
  for (const message of SAID)
    it(`is an outage, which requests wait through, and has its own reason: ${message}`, () => {
      expect(isAway(new Error(message))).to.equal(true)
      expect(message).to.include(reasonOf(new Error(message)))
    })

  it('is no outage if it ended during a commit', () => {
    const error = new OutcomeUnknown('lost', { cause: new Error('Connection terminated') })
    expect(isAway(error)).to.equal(false)
  })

  it('is not seen in any other error', () => {
    expect(isAway(new Error('something else'))).to.equal(false)
  })
})
