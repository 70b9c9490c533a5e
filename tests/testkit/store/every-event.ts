import { none, some } from 'fp-ts/lib/Option.js'
import type { EventType } from '../../../domain/event.ts'
import {
  aKey,
  anApplication,
  aRevokedToken,
  aSession,
  aUser,
  changedPassword,
  createdKey,
  DIGEST,
  newId,
  registered,
  registeredApplication,
  removedUser,
  renewedSession,
  revokedToken,
  signedIn,
  signedOut,
  steppedUpSession,
} from '../builders.ts'
import type { Case, Cases } from './event-case.ts'
import { factorEvents } from './factor-events.ts'
import { oneTimeTokenEvents } from './one-time-token-events.ts'
import { refusalEvents } from './refusal-events.ts'

/** One of each type there is. Keyed by type, so that one that is forgotten does not compile. */
export const everyEvent = (): ReadonlyArray<Case<EventType>> => {
  const cases: { [Type in EventType]: Case<Type> } = {
    ...applicationEvents(),
    ...userEvents(),
    ...passwordEvents(),
    ...oneTimeTokenEvents(),
    ...factorEvents(),
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
        version: 2,
        subject,
        data: {
          name: 'shop',
          scope: 'users:sign_in users:register',
          user_token_ttl: null,
          session_ttl: null,
          required_assurance: 'aal1',
          key_id: application.keyId,
        },
      },
    },
    ApplicationChanged: {
      before: [registeredApplication(application)],
      fact: {
        _tag: 'ApplicationChanged',
        application: {
          ...application,
          name: 'store',
          scope: ['users:sign_in'],
          lifetimes: { userTokenTtlSeconds: some(600), sessionTtlSeconds: none },
          requiredAssurance: 'aal2',
        },
      },
      event: {
        type: 'ApplicationChanged',
        version: 1,
        subject,
        data: {
          name: 'store',
          scope: 'users:sign_in',
          user_token_ttl: 600,
          session_ttl: null,
          required_assurance: 'aal2',
        },
      },
    },
    PasskeyOriginsSet: {
      before: [registeredApplication(application)],
      fact: { _tag: 'PasskeyOriginsSet', application, origins: ['https://shop.example'] },
      event: {
        type: 'PasskeyOriginsSet',
        version: 1,
        subject,
        data: { origins: ['https://shop.example'] },
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
  const session = aSession({ userId: user.id, endsAtSeconds: some(4_102_444_801) })
  const application = anApplication()
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
      fact: removedUser(user),
      event: { type: 'UserRemoved', version: 1, subject, data: {} },
    },
    UserSignedIn: {
      before: [registered(user)],
      fact: signedIn(session),
      event: {
        type: 'UserSignedIn',
        version: 2,
        subject,
        data: {
          session_id: session.id,
          expires_at: '2100-01-01T00:00:00.000Z',
          ends_at: '2100-01-01T00:00:01.000Z',
          amr: ['pwd'],
        },
      },
    },
    SessionRenewed: {
      before: [registered(user), registeredApplication(application), signedIn(session)],
      fact: renewedSession({ session, user, application, expiresAtSeconds: 4_102_444_801 }),
      event: {
        type: 'SessionRenewed',
        version: 1,
        subject,
        data: { session_id: session.id, expires_at: '2100-01-01T00:00:01.000Z' },
      },
    },
    SessionSteppedUp: {
      before: [registered(user), registeredApplication(application), signedIn(session)],
      fact: steppedUpSession({ session, user, application }),
      event: {
        type: 'SessionSteppedUp',
        version: 1,
        subject,
        data: { session_id: session.id, amr: ['pwd'] },
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
