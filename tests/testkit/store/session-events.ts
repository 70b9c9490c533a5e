import { none, some } from 'fp-ts/lib/Option.js'
import {
  AT_SECONDS,
  anApplication,
  aSession,
  changedPassword,
  DIGEST,
  registeredApplication,
  renewedSession,
  SCHEME,
  signedIn,
  signedOut,
} from '../builders.ts'
import { aChangedUser, type CasesOf } from './event-case.ts'

/** The events of sessions. */
export const sessionEvents = (): CasesOf<
  | 'UserSignedIn'
  | 'SessionRenewed'
  | 'SessionSteppedUp'
  | 'UserSignedOut'
  | 'SessionsEnded'
  | 'OtherSessionsEnded'
  | 'PasswordChanged'
> => {
  const { user, before } = aChangedUser()
  const subject = { kind: 'user', id: user.id } as const
  const session = aSession({
    userId: user.id,
    passwordVersion: 2,
    endsAtSeconds: 4_102_444_801,
    label: some('Firefox on Linux'),
    remembered: true,
    browserId: some('019b7d3f-0000-7000-8000-00000000b0b0'),
  })
  const application = anApplication()
  const inSession = [...before, registeredApplication(application), signedIn(session)]
  const compared = [
    { table: 'users', id: user.id, version: 3 },
    { table: 'applications', id: application.id, version: 1 },
  ] as const
  const ended = { ...user, sessionsVersion: 2, version: 4 }
  const raised = { ...user, passwordVersion: 3, version: 4 }
  const moved = { ...session, passwordVersion: 3, version: 2 }
  return {
    UserSignedIn: {
      before,
      fact: signedIn({ ...session, createdAtSeconds: 0, renewedAtSeconds: some(1) }),
      event: {
        type: 'UserSignedIn',
        version: 1,
        subject,
        data: {
          session_id: session.id,
          expires_at: '2100-01-01T00:00:00.000Z',
          ends_at: '2100-01-01T00:00:01.000Z',
          amr: ['pwd'],
          remembered: true,
          browser_id: '019b7d3f-0000-7000-8000-00000000b0b0',
        },
      },
      rows: [{ table: 'sessions', row: session }],
    },
    SessionRenewed: {
      before: inSession,
      fact: renewedSession({ session, user, application, expiresAtSeconds: 4_102_444_801 }),
      event: {
        type: 'SessionRenewed',
        version: 1,
        subject,
        data: { session_id: session.id, expires_at: '2100-01-01T00:00:01.000Z' },
      },
      rows: [
        {
          table: 'sessions',
          row: {
            ...session,
            expiresAtSeconds: 4_102_444_801,
            renewedAtSeconds: some(AT_SECONDS),
            version: 2,
          },
        },
      ],
      compared,
    },
    SessionSteppedUp: {
      before: inSession,
      fact: {
        _tag: 'SessionSteppedUp',
        session,
        user,
        application,
        methods: 'password totp',
        authenticatedAtSeconds: AT_SECONDS - 1,
      },
      event: {
        type: 'SessionSteppedUp',
        version: 1,
        subject,
        data: { session_id: session.id, amr: ['pwd', 'otp', 'mfa'] },
      },
      rows: [
        {
          table: 'sessions',
          row: {
            ...session,
            methods: 'password totp',
            authenticatedAtSeconds: AT_SECONDS - 1,
            version: 2,
          },
        },
      ],
      compared,
    },
    UserSignedOut: {
      before: inSession,
      fact: signedOut(session),
      event: { type: 'UserSignedOut', version: 1, subject, data: { session_id: session.id } },
      rows: [{ table: 'sessions', row: { ...session, label: none, signedOut: true, version: 2 } }],
    },
    SessionsEnded: {
      before,
      fact: { _tag: 'SessionsEnded', user },
      event: { type: 'SessionsEnded', version: 1, subject, data: { sessions_version: 2 } },
      rows: [{ table: 'users', row: { ...ended, allEndedVersion: 2 } }],
    },
    OtherSessionsEnded: {
      before: inSession,
      fact: { _tag: 'OtherSessionsEnded', user, session },
      event: {
        type: 'OtherSessionsEnded',
        version: 1,
        subject,
        data: { sessions_version: 2, session_id: session.id },
      },
      rows: [
        { table: 'users', row: ended },
        { table: 'sessions', row: { ...session, sessionsVersion: 2, version: 2 } },
      ],
    },
    PasswordChanged: {
      before: inSession,
      fact: changedPassword(user, session),
      event: {
        type: 'PasswordChanged',
        version: 1,
        subject,
        data: { password_version: 3, password_digest: DIGEST, session_id: session.id },
      },
      rows: [
        { table: 'users', row: { ...raised, passwordRecord: '1$$bmV3', passwordScheme: SCHEME } },
        { table: 'sessions', row: { ...moved, passwordChangedAtSeconds: some(AT_SECONDS) } },
      ],
    },
  }
}
