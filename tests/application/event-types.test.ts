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
      'UserImported',
      'UserDisabled',
      'UserEnabled',
      'UserRemoved',
      'UserSignedIn',
      'UserSignedOut',
      'SessionsEnded',
      'OtherSessionsEnded',
      'PasswordChanged',
      'PasswordSet',
      'PasswordRehashed',
      'RecoveryStarted',
      'EmailConfirmationStarted',
      'PasswordRecovered',
      'EmailConfirmed',
      'SigningKeyCreated',
      'SigningKeyRetired',
      'SigningKeyReencrypted',
      'ApplicationTokenRefused',
      'SignInRefused',
      'PasswordChangeRefused',
      'RecoveryRefused',
      'RefusalsSummarized',
      'LogRenewed',
      'LogPruned',
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
