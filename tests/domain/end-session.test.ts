import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { validateEndSession } from '../../domain/end-session.ts'
import { withoutIo } from './no-io.ts'

describe('the validation of a session to end', () => {
  withoutIo()

  for (const sessionId of [undefined, '', 'a\ud800']) {
    it(`reports a missing id for ${JSON.stringify(sessionId)}, also if a session was found`, () => {
      for (const found of [none, some('session')])
        expect(validateEndSession({ sessionId }, found)).to.deep.equal(left(['SessionIdMissing']))
    })
  }

  it('returns the session that was found', () => {
    expect(validateEndSession({ sessionId: 'id' }, some('session'))).to.deep.equal(right('session'))
  })

  it('refuses an id without a session of the user', () => {
    for (const sessionId of ['id', ' ', '\0'])
      expect(validateEndSession({ sessionId }, none)).to.deep.equal(left(['SessionNotYours']))
  })
})
