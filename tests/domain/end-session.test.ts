import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { validateEndSession } from '../../domain/end-session.ts'
import { withoutIo } from './no-io.ts'

describe('a session to end', () => {
  withoutIo()

  for (const sessionId of [undefined, '', 'a\ud800']) {
    it(`is missing when its id is ${JSON.stringify(sessionId)}, for every session found`, () => {
      for (const found of [none, some('session')])
        expect(validateEndSession({ sessionId }, found)).to.deep.equal(left(['SessionIdMissing']))
    })
  }

  it('is the one that was found', () => {
    expect(validateEndSession({ sessionId: 'id' }, some('session'))).to.deep.equal(right('session'))
  })

  it('is not theirs if none was found', () => {
    for (const sessionId of ['id', ' ', '\0'])
      expect(validateEndSession({ sessionId }, none)).to.deep.equal(left(['SessionNotYours']))
  })
})
