import { expect } from 'chai'
import { isEventType } from '../../application/recording/events/table.ts'

describe('the types of events', () => {
  for (const text of [
    '',
    'userSignedIn',
    'UserSignedIn ',
    'Unknown',
    'toString',
    '__proto__',
    'constructor',
  ]) {
    it(`do not include ${JSON.stringify(text)}`, () => {
      expect(isEventType(text)).to.equal(false)
    })
  }

  it('match by exact name', () => {
    expect(isEventType('UserSignedIn')).to.equal(true)
  })
})
