import { newId } from '../builders.ts'
import type { CasesOf } from './event-case.ts'

/** The events of refusals, of exports, and of the log itself. */
export const refusalEvents = (): CasesOf<
  | 'ApplicationTokenRefused'
  | 'SignInRefused'
  | 'SecondFactorRefused'
  | 'PasswordChangeRefused'
  | 'RecoveryRefused'
  | 'RegistrationRefused'
  | 'EmailConfirmationRefused'
  | 'RefusalsSummarized'
  | 'UsersExported'
  | 'LogRenewed'
  | 'LogPruned'
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
    },
    PasswordChangeRefused: {
      before: [],
      fact: { _tag: 'PasswordChangeRefused', userId, codes: [2, 4, 5] },
      event: {
        type: 'PasswordChangeRefused',
        version: 2,
        subject: { kind: 'user', id: userId },
        data: { codes: [2, 4, 5] },
      },
    },
    RecoveryRefused: {
      before: [],
      fact: { _tag: 'RecoveryRefused', userId, codes: [4, 5] },
      event: {
        type: 'RecoveryRefused',
        version: 2,
        subject: { kind: 'user', id: userId },
        data: { codes: [4, 5] },
      },
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
    },
    RefusalsSummarized: {
      before: [],
      fact: {
        _tag: 'RefusalsSummarized',
        type: 'SignInRefused',
        count: 1_000_000,
        fromMilliseconds: Date.parse('2026-01-02T03:03:00.001Z'),
        toMilliseconds: Date.parse('2026-01-02T03:04:00.002Z'),
        reasons: new Map([
          ['wrong_password', 999_000],
          ['user_disabled', 1_000],
        ]),
        subjects: new Map([[userId, 1_000_000]]),
      },
      event: {
        type: 'RefusalsSummarized',
        version: 2,
        subject: { kind: 'service', id: 'portcullis' },
        data: {
          type: 'SignInRefused',
          count: 1_000_000,
          from: '2026-01-02T03:03:00.001Z',
          to: '2026-01-02T03:04:00.002Z',
          reasons: [
            { reason: 'wrong_password', count: 999_000 },
            { reason: 'user_disabled', count: 1_000 },
          ],
          subjects: [{ id: userId, count: 1_000_000 }],
        },
      },
    },
    UsersExported: {
      before: [],
      fact: { _tag: 'UsersExported', count: 1_000_000 },
      event: {
        type: 'UsersExported',
        version: 1,
        subject: { kind: 'service', id: 'portcullis' },
        data: { count: 1_000_000 },
      },
    },
    LogRenewed: {
      before: [],
      fact: { _tag: 'LogRenewed', ended: { epoch: '3fa81c02', size: 1_000_000 } },
      event: {
        type: 'LogRenewed',
        version: 1,
        subject: { kind: 'service', id: 'portcullis' },
        data: { previous_origin: '3fa81c02', size: 1_000_000 },
      },
    },
    LogPruned: {
      before: [],
      fact: {
        _tag: 'LogPruned',
        pruning: { before: '2026-01-02T03:03:00.001Z', through: 1_000_000, entries: 900_000 },
      },
      event: {
        type: 'LogPruned',
        version: 1,
        subject: { kind: 'service', id: 'portcullis' },
        data: { before: '2026-01-02T03:03:00.001Z', through: 1_000_000, entries: 900_000 },
      },
    },
  }
}
