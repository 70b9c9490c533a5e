import { newId } from '../builders.ts'
import type { CasesOf } from './event-case.ts'

/** The events of refusals. None has a row. */
export const refusalEvents = (): CasesOf<
  | 'ApplicationTokenRefused'
  | 'SignInRefused'
  | 'SecondFactorRefused'
  | 'IdentityRefused'
  | 'PasswordChangeRefused'
  | 'RecoveryRefused'
  | 'RegistrationRefused'
  | 'EmailConfirmationRefused'
> => {
  const [applicationId, userId] = [newId(), newId()]
  return {
    ApplicationTokenRefused: {
      before: [],
      fact: { _tag: 'ApplicationTokenRefused', applicationId, reason: 'wrong_private_key' },
      event: {
        type: 'ApplicationTokenRefused',
        version: 1,
        subject: { kind: 'application', id: applicationId },
        data: { reason: 'wrong_private_key' },
      },
      rows: [],
    },
    SignInRefused: {
      before: [],
      fact: { _tag: 'SignInRefused', userId, reason: 'wrong_password' },
      event: {
        type: 'SignInRefused',
        version: 1,
        subject: { kind: 'user', id: userId },
        data: { reason: 'wrong_password' },
      },
      rows: [],
    },
    IdentityRefused: {
      before: [],
      fact: { _tag: 'IdentityRefused', userId, provider: 'google', reason: 'wrong_state' },
      event: {
        type: 'IdentityRefused',
        version: 1,
        subject: { kind: 'user', id: userId },
        data: { provider: 'google', reason: 'wrong_state' },
      },
      rows: [],
    },
    SecondFactorRefused: {
      before: [],
      fact: { _tag: 'SecondFactorRefused', userId, reason: 'used_code' },
      event: {
        type: 'SecondFactorRefused',
        version: 1,
        subject: { kind: 'user', id: userId },
        data: { reason: 'used_code' },
      },
      rows: [],
    },
    PasswordChangeRefused: {
      before: [],
      fact: { _tag: 'PasswordChangeRefused', userId, codes: [2, 4, 5] },
      event: {
        type: 'PasswordChangeRefused',
        version: 1,
        subject: { kind: 'user', id: userId },
        data: { codes: [2, 4, 5] },
      },
      rows: [],
    },
    RecoveryRefused: {
      before: [],
      fact: { _tag: 'RecoveryRefused', userId, codes: [4, 5] },
      event: {
        type: 'RecoveryRefused',
        version: 1,
        subject: { kind: 'user', id: userId },
        data: { codes: [4, 5] },
      },
      rows: [],
    },
    RegistrationRefused: {
      before: [],
      fact: { _tag: 'RegistrationRefused', applicationId, codes: [2, 4] },
      event: {
        type: 'RegistrationRefused',
        version: 1,
        subject: { kind: 'application', id: applicationId },
        data: { codes: [2, 4] },
      },
      rows: [],
    },
    EmailConfirmationRefused: {
      before: [],
      fact: { _tag: 'EmailConfirmationRefused', userId, codes: [3, 6] },
      event: {
        type: 'EmailConfirmationRefused',
        version: 1,
        subject: { kind: 'user', id: userId },
        data: { codes: [3, 6] },
      },
      rows: [],
    },
  }
}
