import {
  anApplication,
  aOneTimeToken,
  aUser,
  DIGEST,
  newId,
  registered,
  registeredApplication,
  SCHEME,
  startedRecovery,
} from '../builders.ts'
import type { CasesOf } from './event-case.ts'

/** The events of recoveries and e-mail confirmations. */
export const oneTimeTokenEvents = (): CasesOf<
  'RecoveryStarted' | 'PasswordRecovered' | 'EmailConfirmationStarted' | 'EmailConfirmed'
> => {
  const [user, application] = [aUser(), anApplication()]
  const subject = { kind: 'user', id: user.id } as const
  const token = aOneTimeToken({
    userId: user.id,
    applicationId: application.id,
    emailOnRecord: user.email,
    email: user.email,
  })
  const confirmation = aOneTimeToken({
    ...token,
    id: newId(),
    digest: 'another',
    purpose: 'email_confirmation',
  })
  const started = { token_id: token.id, expires_at: '2100-01-01T00:00:00.000Z' }
  return {
    RecoveryStarted: {
      before: [registered(user)],
      fact: startedRecovery(token),
      event: { type: 'RecoveryStarted', version: 1, subject, data: started },
    },
    PasswordRecovered: {
      before: [registered(user), registeredApplication(application), startedRecovery(token)],
      fact: {
        _tag: 'PasswordRecovered',
        user,
        token,
        application,
        password: { record: '1$$bmV3', scheme: SCHEME },
      },
      event: {
        type: 'PasswordRecovered',
        version: 1,
        subject,
        data: { password_version: 2, password_digest: DIGEST, token_id: token.id },
      },
    },
    EmailConfirmationStarted: {
      before: [registered(user)],
      fact: { _tag: 'EmailConfirmationStarted', token: confirmation },
      event: {
        type: 'EmailConfirmationStarted',
        version: 1,
        subject,
        data: { ...started, token_id: confirmation.id },
      },
    },
    EmailConfirmed: {
      before: [
        registered(user),
        registeredApplication(application),
        { _tag: 'EmailConfirmationStarted', token: confirmation },
      ],
      fact: { _tag: 'EmailConfirmed', user, token: confirmation, application },
      event: {
        type: 'EmailConfirmed',
        version: 1,
        subject,
        data: { token_id: confirmation.id, changed: false },
      },
    },
  }
}
