import { expect } from 'chai'
import { EVENT_TYPES, isEventType } from '../../domain/event.ts'
import { withoutIo } from './no-io.ts'

describe('the types of events', () => {
  withoutIo()

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
    it(`are not ${JSON.stringify(text)}`, () => {
      expect(isEventType(text)).to.equal(false)
    })
  }

  it('are known by their exact names', () => {
    expect(isEventType('UserSignedIn')).to.equal(true)
  })
})
