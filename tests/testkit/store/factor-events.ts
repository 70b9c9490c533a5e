import type { Factor } from '../../../domain/factor.ts'
import {
  aFactor,
  anApplication,
  aOneTimeToken,
  aSession,
  aUser,
  enrolled,
  registered,
  registeredApplication,
  signedIn,
} from '../builders.ts'
import type { CasesOf } from './event-case.ts'

/** The events of second factors. */
export const factorEvents = (): CasesOf<
  | 'SecondFactorRequested'
  | 'FactorEnrolled'
  | 'FactorImported'
  | 'FactorRemoved'
  | 'FactorReencrypted'
  | 'FactorRenamed'
  | 'FactorUsed'
  | 'FactorsReset'
  | 'RecoveryCodesGenerated'
> => {
  const [user, application] = [aUser(), anApplication()]
  const subject = { kind: 'user', id: user.id } as const
  const session = aSession({ userId: user.id })
  const token = aOneTimeToken({
    userId: user.id,
    applicationId: application.id,
    purpose: 'sign_in',
    emailOnRecord: user.email,
    email: '',
  })
  const factor = aFactor({ userId: user.id })
  const codes = aFactor({ userId: user.id, kind: 'recovery_codes', name: '', mark: 0, counter: 10 })
  const before = [registered(user), signedIn(session)]
  const [raised, moved] = [
    { ...user, passwordVersion: 2, version: 2 },
    { ...session, passwordVersion: 2, version: 2 },
  ]
  const stored = (one: Factor): Factor => ({ ...one, version: 1 })
  return {
    SecondFactorRequested: {
      before: [registered(user), registeredApplication(application)],
      fact: { _tag: 'SecondFactorRequested', token },
      event: {
        type: 'SecondFactorRequested',
        version: 1,
        subject,
        data: { token_id: token.id, expires_at: '2100-01-01T00:00:00.000Z' },
      },
    },
    FactorEnrolled: {
      before,
      fact: enrolled(factor, user, session),
      event: {
        type: 'FactorEnrolled',
        version: 1,
        subject,
        data: {
          factor_id: factor.id,
          kind: 'totp',
          mark: factor.mark,
          password_version: 2,
          session_id: session.id,
        },
      },
    },
    FactorImported: {
      before: [registered(user)],
      fact: { _tag: 'FactorImported', factor: { ...factor, mark: 0, version: 0 } },
      event: {
        type: 'FactorImported',
        version: 1,
        subject,
        data: { factor_id: factor.id, kind: 'totp' },
      },
    },
    RecoveryCodesGenerated: {
      before,
      fact: { _tag: 'RecoveryCodesGenerated', user, session, codes: { ...codes, version: 0 } },
      event: {
        type: 'RecoveryCodesGenerated',
        version: 1,
        subject,
        data: { factor_id: codes.id, count: 10, password_version: 2, session_id: session.id },
      },
    },
    FactorRemoved: {
      before: [...before, enrolled(factor, user, session)],
      fact: {
        _tag: 'FactorRemoved',
        user: raised,
        session: moved,
        factor: stored(factor),
        factors: [stored(factor)],
      },
      event: {
        type: 'FactorRemoved',
        version: 1,
        subject,
        data: { factor_id: factor.id, kind: 'totp', password_version: 3, session_id: session.id },
      },
    },
    FactorRenamed: {
      before: [...before, enrolled(factor, user, session)],
      fact: { _tag: 'FactorRenamed', factor: { ...stored(factor), name: 'phone' } },
      event: { type: 'FactorRenamed', version: 1, subject, data: { factor_id: factor.id } },
    },
    FactorReencrypted: {
      before: [...before, enrolled(factor, user, session)],
      fact: {
        _tag: 'FactorReencrypted',
        factor: { ...stored(factor), material: 'wrapped.v1$2027$c2VjcmV0' },
        keyEncryptionKeyId: '2027',
      },
      event: {
        type: 'FactorReencrypted',
        version: 1,
        subject,
        data: { factor_id: factor.id, key_encryption_key_id: '2027' },
      },
    },
    FactorUsed: {
      before: [...before, enrolled(codes, user, session)],
      fact: { _tag: 'FactorUsed', factor: { ...stored(codes), counter: 9 } },
      event: {
        type: 'FactorUsed',
        version: 1,
        subject,
        data: { factor_id: codes.id, kind: 'recovery_codes', mark: 0, codes_left: 9 },
      },
    },
    FactorsReset: {
      before: [...before, enrolled(factor, user)],
      fact: { _tag: 'FactorsReset', user: raised, factors: [stored(factor)] },
      event: {
        type: 'FactorsReset',
        version: 1,
        subject,
        data: { factor_ids: [factor.id], password_version: 3 },
      },
    },
  }
}
