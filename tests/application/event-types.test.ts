import { expect } from 'chai'
import { EVENT_TYPES, isEventType } from '../../application/recording/events/table.ts'

describe('the types of events', () => {
  it('are these', () => {
    expect(EVENT_TYPES).to.have.members([
      'ApplicationRegistered',
      'ApplicationKeyRotated',
      'ApplicationRevoked',
      'ApplicationTokenIssued',
      'ApplicationTokenRevoked',
      'UserRegistered',
      'UserDisabled',
      'UserEnabled',
      'UserRemoved',
      'UserSignedIn',
      'UserSignedOut',
      'OtherSessionsEnded',
      'PasswordChanged',
      'PasswordSet',
      'PasswordRehashed',
      'SigningKeyCreated',
      'SigningKeyRetired',
      'SigningKeyReencrypted',
      'ApplicationTokenRefused',
      'SignInRefused',
      'PasswordChangeRefused',
      'RefusalsSummarized',
      'LogRenewed',
    ])
  })

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
