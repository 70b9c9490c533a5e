import { some } from 'fp-ts/lib/Option.js'
import type { OneTimeToken } from '../../../domain/one-time-token.ts'
import {
  anApplication,
  aOneTimeToken,
  DIGEST,
  newId,
  registeredApplication,
  startedRecovery,
} from '../builders.ts'
import { aChangedUser, type CasesOf } from './event-case.ts'

/** The events of recoveries, e-mail confirmations and sign-ins that wait for a second factor. */
export const oneTimeTokenEvents = (): CasesOf<
  | 'RecoveryStarted'
  | 'PasswordRecovered'
  | 'EmailConfirmationStarted'
  | 'EmailConfirmed'
  | 'SecondFactorRequested'
> => {
  const [{ user, before: changes }, application] = [aChangedUser(), anApplication()]
  const before = [...changes, registeredApplication(application)]
  const subject = { kind: 'user', id: user.id } as const
  const tokenFor = (fields: Partial<OneTimeToken>) =>
    aOneTimeToken({
      userId: user.id,
      applicationId: application.id,
      passwordVersion: 2,
      ...fields,
    })
  const recovery = tokenFor({ email: user.email })
  const confirmation = tokenFor({ purpose: 'email_confirmation', email: `${newId()}@example.com` })
  const signIn = tokenFor({
    purpose: 'sign_in',
    email: '',
    label: some('Firefox on Linux'),
    first: some('vouched_sms'),
  })
  const started = ({ id }: OneTimeToken) => ({ token_id: id, expires_at: '2100-01-01T00:00:00.000Z' })
  const used = (token: OneTimeToken) => ({ ...token, email: '', used: true, version: 2 })
  const compared = [{ table: 'applications', id: application.id, version: 1 }] as const
  return {
    RecoveryStarted: {
      before,
      fact: startedRecovery(recovery),
      event: { type: 'RecoveryStarted', version: 1, subject, data: started(recovery) },
      rows: [{ table: 'one_time_tokens', row: recovery }],
    },
    PasswordRecovered: {
      before: [...before, startedRecovery(recovery)],
      fact: {
        _tag: 'PasswordRecovered',
        user,
        token: recovery,
        application,
        password: { record: '1$$bmV3', scheme: 'new' },
      },
      event: {
        type: 'PasswordRecovered',
        version: 1,
        subject,
        data: { password_version: 3, password_digest: DIGEST, token_id: recovery.id },
      },
      rows: [
        {
          table: 'users',
          row: {
            ...user,
            emailVerified: true,
            passwordRecord: '1$$bmV3',
            passwordScheme: 'new',
            passwordVersion: 3,
            version: 4,
          },
        },
        { table: 'one_time_tokens', row: used(recovery) },
      ],
      compared,
    },
    EmailConfirmationStarted: {
      before,
      fact: { _tag: 'EmailConfirmationStarted', token: confirmation },
      event: { type: 'EmailConfirmationStarted', version: 1, subject, data: started(confirmation) },
      rows: [{ table: 'one_time_tokens', row: confirmation }],
    },
    EmailConfirmed: {
      before: [...before, { _tag: 'EmailConfirmationStarted', token: confirmation }],
      fact: { _tag: 'EmailConfirmed', user, token: confirmation, application },
      event: {
        type: 'EmailConfirmed',
        version: 1,
        subject,
        data: { token_id: confirmation.id, changed: true },
      },
      rows: [
        {
          table: 'users',
          row: { ...user, email: confirmation.email, emailVerified: true, emailVersion: 2, version: 4 },
        },
        { table: 'one_time_tokens', row: used(confirmation) },
      ],
      compared,
    },
    SecondFactorRequested: {
      before,
      fact: { _tag: 'SecondFactorRequested', user, token: signIn },
      event: {
        type: 'SecondFactorRequested',
        version: 1,
        subject,
        data: { ...started(signIn), amr: ['vouched', 'sms'] },
      },
      rows: [{ table: 'one_time_tokens', row: signIn }],
    },
  }
}
