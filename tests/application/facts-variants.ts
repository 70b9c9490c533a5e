import { none, some } from 'fp-ts/lib/Option.js'
import type { Row } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import type { Factor } from '../../domain/factor.ts'
import { AT_SECONDS, aFactor, aKey, aOneTimeToken, aSession, aUser } from '../testkit/builders.ts'
import type { Case } from '../testkit/store/event-case.ts'

/** A fact that becomes another event or other rows than the sample of its type in `everyEvent`. */
export type Variant = Omit<Case<EventType>, 'before'> &
  Readonly<{ what: string; withdrawn?: ReadonlyArray<string> }>

const user = aUser({ emailVersion: 2, passwordVersion: 3, version: 7 })
const subject = { kind: 'user', id: user.id } as const
const raised = {
  table: 'users',
  row: { ...user, sessionsVersion: 2, allEndedVersion: 2, version: 8 },
} as const
const totp = aFactor({ userId: user.id, version: 3 })
const passkey = aFactor({ userId: user.id, kind: 'passkey', counter: 4_294_967_295, version: 3 })
const codes = aFactor({ userId: user.id, kind: 'recovery_codes', name: '', mark: 0, counter: 10, version: 3 })
const token = aOneTimeToken({
  purpose: 'sign_in',
  userId: user.id,
  email: '',
  label: some('Firefox on Linux'),
})
const session = aSession({ userId: user.id, methods: 'password totp' })
const [key, olderKey] = [aKey(), aKey({ retiresAtSeconds: some(1_800_000_000), version: 3 })]

const enrolledAgain = (factor: Factor): Row => ({ table: 'factors', row: { ...factor, version: 4 } })
const used = (factor: Factor): Row => ({
  table: 'factors',
  row: { ...factor, usedAtSeconds: some(AT_SECONDS), version: 4 },
})

export const FACT_VARIANTS: ReadonlyArray<Variant> = [
  {
    what: 'UserSignedOut by a later sign-in',
    fact: { _tag: 'UserSignedOut', session, displacedBy: 'the new session' },
    event: {
      type: 'UserSignedOut',
      version: 1,
      subject,
      data: { session_id: session.id, displaced_by: 'the new session' },
    },
    rows: [{ table: 'sessions', row: { ...session, signedOut: true, version: 2 } }],
  },
  {
    what: 'UserSignedIn with a second factor',
    fact: { _tag: 'UserSignedIn', session, token },
    withdrawn: [token.id],
    event: {
      type: 'UserSignedIn',
      version: 1,
      subject,
      data: {
        session_id: session.id,
        expires_at: '2100-01-01T00:00:00.000Z',
        ends_at: '2100-01-01T00:00:00.000Z',
        amr: ['pwd', 'otp', 'mfa'],
        token_id: token.id,
      },
    },
    rows: [
      { table: 'sessions', row: session },
      {
        table: 'one_time_tokens',
        row: { ...token, label: none, used: true, version: 2 },
      },
    ],
  },
  {
    what: 'UserSignedIn through a browser',
    fact: {
      _tag: 'UserSignedIn',
      session: { ...session, browserId: some('the browser') },
      through: aSession({ id: 'of the pages', version: 7 }),
    },
    event: {
      type: 'UserSignedIn',
      version: 1,
      subject,
      data: {
        session_id: session.id,
        expires_at: '2100-01-01T00:00:00.000Z',
        ends_at: '2100-01-01T00:00:00.000Z',
        amr: ['pwd', 'otp', 'mfa'],
        browser_id: 'the browser',
      },
    },
    compared: [{ table: 'sessions', id: 'of the pages', version: 7 }],
    rows: [{ table: 'sessions', row: { ...session, browserId: some('the browser') } }],
  },
  {
    what: 'FactorEnrolled of a passkey in no session',
    fact: { _tag: 'FactorEnrolled', user, factor: passkey },
    event: {
      type: 'FactorEnrolled',
      version: 1,
      subject,
      data: {
        factor_id: passkey.id,
        kind: 'passkey',
        mark: passkey.mark,
        counter: 4_294_967_295,
        sessions_version: 2,
      },
    },
    rows: [raised, enrolledAgain(passkey)],
  },
  {
    what: 'FactorImported of a passkey',
    fact: { _tag: 'FactorImported', factor: passkey },
    event: {
      type: 'FactorImported',
      version: 1,
      subject,
      data: { factor_id: passkey.id, kind: 'passkey', counter: 4_294_967_295 },
    },
    rows: [enrolledAgain(passkey)],
  },
  {
    what: 'FactorRemoved in no session, with another factor that stays',
    fact: { _tag: 'FactorRemoved', user, factor: totp, factors: [codes, passkey, totp] },
    event: {
      type: 'FactorRemoved',
      version: 1,
      subject,
      data: { factor_id: totp.id, kind: 'totp', sessions_version: 2 },
    },
    rows: [raised, { table: 'factors', row: { ...totp, name: '', material: '', removed: true, version: 4 } }],
  },
  {
    what: 'FactorUsed of an authenticator app',
    fact: { _tag: 'FactorUsed', user, factor: totp },
    event: {
      type: 'FactorUsed',
      version: 1,
      subject,
      data: { factor_id: totp.id, kind: 'totp', mark: totp.mark },
    },
    rows: [used(totp)],
  },
  {
    what: 'FactorUsed of a passkey that became a synced one, and whose counter went back',
    fact: { _tag: 'FactorUsed', user, factor: passkey, counterWentBack: true, backupEligible: true },
    event: {
      type: 'FactorUsed',
      version: 1,
      subject,
      data: {
        factor_id: passkey.id,
        kind: 'passkey',
        mark: passkey.mark,
        counter: 4_294_967_295,
        counter_went_back: true,
        backup_eligible: true,
      },
    },
    rows: [used(passkey)],
  },
  {
    what: 'SigningKeyCreated with an older key',
    fact: { _tag: 'SigningKeyCreated', key, superseded: [olderKey] },
    event: {
      type: 'SigningKeyCreated',
      version: 1,
      subject: { kind: 'key', id: key.kid },
      data: { purpose: 'user' },
    },
    rows: [
      { table: 'keys', row: key },
      { table: 'keys', row: { ...olderKey, version: 4 } },
    ],
  },
]
