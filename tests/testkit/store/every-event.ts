import type { Fact } from '../../../application/recording/facts.ts'
import type { Event, EventType } from '../../../domain/event.ts'
import {
  aKey,
  anApplication,
  aOneTimeToken,
  aRevokedToken,
  aSession,
  aUser,
  changedPassword,
  createdKey,
  DIGEST,
  newId,
  registered,
  registeredApplication,
  revokedToken,
  SCHEME,
  signedIn,
  signedOut,
  startedRecovery,
} from '../builders.ts'

/** A fact, and the event the log has to show for it. */
type Case<Type extends EventType> = Readonly<{
  fact: Fact
  event: Extract<Event, { type: Type }>
  /** What has to have happened first. */
  before: ReadonlyArray<Fact>
}>

/** One of each type there is. Keyed by type, so that one that is forgotten does not compile. */
export const everyEvent = (): ReadonlyArray<Case<EventType>> => {
  const cases: { [Type in EventType]: Case<Type> } = {
    ...applicationEvents(),
    ...userEvents(),
    ...passwordEvents(),
    ...oneTimeTokenEvents(),
    ...keyEvents(),
    ...refusalEvents(),
  }
  return Object.values(cases)
}

const applicationEvents = () => {
  const application = anApplication({ name: 'shop', scope: ['users:sign_in', 'users:register'] })
  const subject = { kind: 'application', id: application.id } as const
  const [keyId, tokenId] = [newId(), newId()]
  return {
    ApplicationRegistered: {
      before: [],
      fact: registeredApplication(application),
      event: {
        type: 'ApplicationRegistered',
        version: 1,
        subject,
        data: { name: 'shop', scope: 'users:sign_in users:register', key_id: application.keyId },
      },
    },
    ApplicationKeyRotated: {
      before: [registeredApplication(application)],
      fact: {
        _tag: 'ApplicationKeyRotated',
        application,
        key: { id: keyId, digest: DIGEST },
        previousUntilSeconds: 4_102_444_800,
      },
      event: {
        type: 'ApplicationKeyRotated',
        version: 1,
        subject,
        data: {
          key_id: keyId,
          previous_key_id: application.keyId,
          previous_until: '2100-01-01T00:00:00.000Z',
        },
      },
    },
    ApplicationRevoked: {
      before: [registeredApplication(application)],
      fact: { _tag: 'ApplicationRevoked', application },
      event: { type: 'ApplicationRevoked', version: 1, subject, data: {} },
    },
    ApplicationTokenIssued: {
      before: [],
      fact: {
        _tag: 'ApplicationTokenIssued',
        applicationId: application.id,
        keyId,
        tokenId,
        expiresAtSeconds: 4_102_444_800,
      },
      event: {
        type: 'ApplicationTokenIssued',
        version: 1,
        subject,
        data: { token_id: tokenId, key_id: keyId, expires_at: '2100-01-01T00:00:00.000Z' },
      },
    },
    ApplicationTokenRevoked: {
      before: [],
      fact: revokedToken(aRevokedToken({ id: tokenId, applicationId: application.id })),
      event: { type: 'ApplicationTokenRevoked', version: 1, subject, data: { token_id: tokenId } },
    },
  } satisfies Cases
}

const userEvents = () => {
  const user = aUser()
  const subject = { kind: 'user', id: user.id } as const
  const session = aSession({ userId: user.id })
  return {
    UserRegistered: {
      before: [],
      fact: registered(user),
      event: {
        type: 'UserRegistered',
        version: 2,
        subject,
        data: { password_digest: DIGEST, email_verified: false },
      },
    },
    UserImported: {
      before: [],
      fact: {
        _tag: 'UserImported',
        user: { ...user, emailVerified: true, passwordScheme: 'bcrypt:12' },
        createdAtSeconds: 1_600_000_000,
      },
      event: {
        type: 'UserImported',
        version: 1,
        subject,
        data: {
          password_digest: DIGEST,
          scheme: 'bcrypt:12',
          email_verified: true,
          created_at: '2020-09-13T12:26:40.000Z',
        },
      },
    },
    SessionsEnded: {
      before: [registered(user)],
      fact: { _tag: 'SessionsEnded', user },
      event: { type: 'SessionsEnded', version: 1, subject, data: { password_version: 2 } },
    },
    UserDisabled: {
      before: [registered(user)],
      fact: { _tag: 'UserDisabled', user },
      event: { type: 'UserDisabled', version: 1, subject, data: {} },
    },
    UserEnabled: {
      before: [registered(user)],
      fact: { _tag: 'UserEnabled', user },
      event: { type: 'UserEnabled', version: 1, subject, data: {} },
    },
    UserRemoved: {
      before: [registered(user)],
      fact: { _tag: 'UserRemoved', user },
      event: { type: 'UserRemoved', version: 1, subject, data: {} },
    },
    UserSignedIn: {
      before: [registered(user)],
      fact: signedIn(session),
      event: {
        type: 'UserSignedIn',
        version: 1,
        subject,
        data: { session_id: session.id, expires_at: '2100-01-01T00:00:00.000Z' },
      },
    },
    UserSignedOut: {
      before: [registered(user), signedIn(session)],
      fact: signedOut(session),
      event: { type: 'UserSignedOut', version: 1, subject, data: { session_id: session.id } },
    },
  } satisfies Cases
}

const passwordEvents = () => {
  const user = aUser()
  const subject = { kind: 'user', id: user.id } as const
  const session = aSession({ userId: user.id })
  return {
    OtherSessionsEnded: {
      before: [registered(user), signedIn(session)],
      fact: { _tag: 'OtherSessionsEnded', user, session },
      event: {
        type: 'OtherSessionsEnded',
        version: 1,
        subject,
        data: { password_version: 2, session_id: session.id },
      },
    },
    PasswordChanged: {
      before: [registered(user), signedIn(session)],
      fact: changedPassword(user, session),
      event: {
        type: 'PasswordChanged',
        version: 1,
        subject,
        data: { password_version: 2, password_digest: DIGEST, session_id: session.id },
      },
    },
    PasswordSet: {
      before: [registered(user)],
      fact: { _tag: 'PasswordSet', user, password: { record: '1$$bmV3', scheme: 'new' } },
      event: {
        type: 'PasswordSet',
        version: 1,
        subject,
        data: { password_version: 2, password_digest: DIGEST },
      },
    },
    PasswordRehashed: {
      before: [registered(user)],
      fact: { _tag: 'PasswordRehashed', user, password: { record: '1$$bmV3', scheme: 'new' } },
      event: { type: 'PasswordRehashed', version: 1, subject, data: { password_digest: DIGEST } },
    },
  } satisfies Cases
}

const keyEvents = () => {
  const key = aKey({ purpose: 'application' })
  const subject = { kind: 'key', id: key.kid } as const
  return {
    SigningKeyCreated: {
      before: [],
      fact: createdKey(key),
      event: { type: 'SigningKeyCreated', version: 1, subject, data: { purpose: 'application' } },
    },
    SigningKeyRetired: {
      before: [createdKey(key)],
      fact: { _tag: 'SigningKeyRetired', key },
      event: { type: 'SigningKeyRetired', version: 1, subject, data: {} },
    },
    SigningKeyReencrypted: {
      before: [createdKey(key)],
      fact: {
        _tag: 'SigningKeyReencrypted',
        key,
        material: 'wrapped.v1$2026$c2VjcmV0',
        keyEncryptionKeyId: '2026',
      },
      event: {
        type: 'SigningKeyReencrypted',
        version: 1,
        subject,
        data: { key_encryption_key_id: '2026' },
      },
    },
  } satisfies Cases
}

const oneTimeTokenEvents = () => {
  const user = aUser()
  const subject = { kind: 'user', id: user.id } as const
  const token = aOneTimeToken({ userId: user.id, emailOnRecord: user.email, email: user.email })
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
      before: [registered(user), startedRecovery(token)],
      fact: { _tag: 'PasswordRecovered', user, token, password: { record: '1$$bmV3', scheme: SCHEME } },
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
      before: [registered(user), { _tag: 'EmailConfirmationStarted', token: confirmation }],
      fact: { _tag: 'EmailConfirmed', user, token: confirmation },
      event: {
        type: 'EmailConfirmed',
        version: 1,
        subject,
        data: { token_id: confirmation.id, changed: false },
      },
    },
  } as const
}

const refusalEvents = () => {
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
    PasswordChangeRefused: {
      before: [],
      fact: { _tag: 'PasswordChangeRefused', userId, codes: [2, 4, 5] },
      event: {
        type: 'PasswordChangeRefused',
        version: 1,
        subject: { kind: 'user', id: userId },
        data: { codes: [2, 4, 5] },
      },
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
  } satisfies Cases
}

type Cases = { [Type in EventType]?: Case<Type> }
