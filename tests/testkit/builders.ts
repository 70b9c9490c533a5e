import { none } from 'fp-ts/lib/Option.js'
import type { Change, EndedEpoch, NewEntry } from '../../application/ports/store.ts'
import { type Circumstances, type Fact, toChange } from '../../application/recording/facts.ts'
import type { Application } from '../../domain/application.ts'
import type { Factor } from '../../domain/factor.ts'
import { NO_OWN_LIFETIMES } from '../../domain/lifetimes.ts'
import type { OneTimeToken } from '../../domain/one-time-token.ts'
import { NO_CLIENT } from '../../domain/redirect-uris.ts'
import type { Session } from '../../domain/session.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { RevokedToken } from '../../domain/token.ts'
import type { User } from '../../domain/user.ts'

/** What a change says when a test does not care: every change is made here, and a test names only what matters. */

/** When everything happens. */
export const AT = '2026-01-02T03:04:05.678Z'

/** The same in seconds. */
export const AT_SECONDS = Math.floor(Date.parse(AT) / 1000)

/** What every digest is: no store looks at one. */
export const DIGEST = '5e'.repeat(32)

/** What every password's scheme is. */
export const SCHEME = 'tests'

let made = 0

/** An id of its own for everything, in the shape of a UUIDv7. */
export const newId = (): string => {
  made += 1
  return `019b7d3f-0000-7000-8000-${made.toString(16).padStart(12, '0')}`
}

export const anApplication = (fields: Partial<Application> = {}): Application => ({
  id: newId(),
  name: 'tests',
  scope: ['users:sign_in'],
  keyId: newId(),
  keyDigest: 'a1'.repeat(32),
  previousKey: none,
  lifetimes: NO_OWN_LIFETIMES,
  requiredAssurance: 'aal1',
  requiresVerifiedEmail: false,
  passkeyOrigins: [],
  returnUrls: [],
  ...NO_CLIENT,
  revoked: false,
  version: 1,
  ...fields,
})

export const aUser = (fields: Partial<User> = {}): User => {
  const id = newId()
  return {
    id,
    email: `${id}@example.com`,
    emailVerified: false,
    emailVersion: 1,
    passwordRecord: '1$$c2NyeXB0',
    passwordScheme: SCHEME,
    passwordVersion: 1,
    sessionsVersion: 1,
    allEndedVersion: 1,
    roles: [],
    status: 'enabled',
    attributes: '',
    createdAtSeconds: AT_SECONDS, // as `registered` has it written
    version: 1,
    ...fields,
  }
}

export const aSession = (fields: Partial<Session> = {}): Session => ({
  id: newId(),
  userId: newId(),
  passwordVersion: 1,
  sessionsVersion: 1,
  createdAtSeconds: AT_SECONDS, // as `signedIn` has it written
  expiresAtSeconds: 4_102_444_800, // the year 2100, beyond 32 bits
  endsAtSeconds: fields.expiresAtSeconds ?? 4_102_444_800,
  renewedAtSeconds: none,
  passwordChangedAtSeconds: none,
  cookie: none,
  browserId: none,
  label: none,
  applicationId: '', // as an operator has it written
  remembered: false,
  methods: 'password',
  authenticatedAtSeconds: AT_SECONDS,
  signedOut: false,
  version: 1,
  ...fields,
})

export const aKey = (fields: Partial<SigningKey> = {}): SigningKey => ({
  id: newId(),
  kid: newId(),
  purpose: 'user',
  material: '{"d":"secret"}',
  createdAtSeconds: 1_767_323_045,
  signsFromSeconds: 1_767_323_045,
  retiresAtSeconds: none,
  retired: false,
  version: 1,
  ...fields,
})

export const aRevokedToken = (fields: Partial<RevokedToken> = {}): RevokedToken => ({
  id: newId(),
  applicationId: newId(),
  expiresAtSeconds: 4_102_444_800,
  version: 1,
  ...fields,
})

export const aOneTimeToken = (fields: Partial<OneTimeToken> = {}): OneTimeToken => {
  const id = newId()
  const email = `${id}@example.com`
  return {
    id,
    purpose: 'recovery',
    digest: `digest of ${id}`,
    userId: newId(),
    applicationId: newId(),
    passwordVersion: 1,
    sessionsVersion: 1,
    emailVersion: 1,
    email,
    label: none,
    remembered: false,
    first: none,
    expiresAtSeconds: 4_102_444_800,
    used: false,
    version: 1,
    ...fields,
  }
}

export const aFactor = (fields: Partial<Factor> = {}): Factor => ({
  id: newId(),
  userId: newId(),
  kind: 'totp',
  name: 'Authenticator app',
  material: 'wrapped.v1$2026$c2VjcmV0',
  mark: 58_910_801,
  counter: 0,
  answered: '',
  flags: '',
  createdAtSeconds: AT_SECONDS, // as `enrolled` has it written
  usedAtSeconds: none,
  removed: false,
  version: 1,
  ...fields,
})

export const registeredApplication = (application = anApplication()): Fact => ({
  _tag: 'ApplicationRegistered',
  application,
})

export const issuedToken = (fields: { keyId?: string; tokenId?: string } = {}): Fact => ({
  _tag: 'ApplicationTokenIssued',
  applicationId: newId(),
  keyId: newId(),
  tokenId: newId(),
  expiresAtSeconds: 4_102_444_800,
  ...fields,
})

export const revokedToken = (token = aRevokedToken()): Fact => ({ _tag: 'ApplicationTokenRevoked', token })

export const registered = (user = aUser()): Fact => ({ _tag: 'UserRegistered', user })

export const startedRecovery = (token = aOneTimeToken()): Fact => ({ _tag: 'RecoveryStarted', token })

export const removedUser = (user: User, factors: ReadonlyArray<Factor> = []): Fact => ({
  _tag: 'UserRemoved',
  user,
  factors,
})

/** The factor is new. */
export const enrolled = (factor: Factor, user: User, session?: Session): Fact => ({
  _tag: 'FactorEnrolled',
  user,
  session,
  factor: { ...factor, version: 0 },
})

/** It happens when everything happens. */
export const steppedUpSession = (facts: {
  session: Session
  user: User
  application: Application
}): Fact => ({
  _tag: 'SessionSteppedUp',
  methods: 'password',
  authenticatedAtSeconds: AT_SECONDS,
  ...facts,
})

export const renewedSession = (facts: {
  session: Session
  user: User
  application: Application
  expiresAtSeconds: number
}): Fact => ({ _tag: 'SessionRenewed', ...facts })

/** It is opened when everything happens; by no application, unless one is the actor of the change. */
export const signedIn = (session = aSession()): Fact => ({ _tag: 'UserSignedIn', session })

export const signedOut = (session = aSession()): Fact => ({ _tag: 'UserSignedOut', session })

export const changedPassword = (user: User, session: Session, passwordRecord = '1$$bmV3'): Fact => ({
  _tag: 'PasswordChanged',
  user,
  session,
  password: { record: passwordRecord, scheme: SCHEME },
})

export const createdKey = (key = aKey()): Fact => ({ _tag: 'SigningKeyCreated', key, superseded: [] })

/** One change of these facts, made by the operator without a request. */
export const change = (fact: Fact, ...more: ReadonlyArray<Fact>): Change => changeBy({}, fact, ...more)

export const changeBy = (
  circumstances: Partial<Pick<Circumstances, 'actor' | 'requestId' | 'uuid' | 'sha256'>>,
  fact: Fact,
  ...more: ReadonlyArray<Fact>
): Change =>
  toChange([fact, ...more], {
    actor: { kind: 'operator' },
    requestId: undefined,
    atMilliseconds: Date.parse(AT),
    uuid: newId,
    sha256: () => DIGEST,
    ...circumstances,
  })

/** Returns a new valid change each time: a user is registered, and a token is issued. Every store must accept it. */
export const someChange = (): Change => change(registered(), issuedToken())

/** The entry of a renewal by an operator, another one each time. */
export const aRenewal = (ended: EndedEpoch): NewEntry => change({ _tag: 'LogRenewed', ended }).events[0]
