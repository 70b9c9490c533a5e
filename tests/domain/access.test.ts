import { expect } from 'chai'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { ACCESS, authorize, type Caller, type Permission, requireProvedFresh } from '../../domain/access.ts'
import { SCOPES, type Scope } from '../../domain/application.ts'
import type { Methods } from '../../domain/assurance.ts'
import { NO_OWN_LIFETIMES } from '../../domain/lifetimes.ts'
import { NO_CLIENT } from '../../domain/redirect-uris.ts'
import { withoutIo } from './no-io.ts'

/** The user was authenticated now. */
const NOW_SECONDS = 1_000

const application = (...scope: ReadonlyArray<Scope>): Caller => ({
  kind: 'application',
  // The scopes of the token count, not those of the application.
  application: {
    id: 'shop',
    name: 'shop',
    scope: ['users:sign_in', 'users:register'],
    keyId: 'key',
    keyDigest: 'digest',
    previousKey: none,
    lifetimes: NO_OWN_LIFETIMES,
    requiredAssurance: 'aal1',
    requiresVerifiedEmail: false,
    passkeyOrigins: [],
    returnUrls: [],
    ...NO_CLIENT,
    revoked: false,
    version: 1,
  },
  scope,
})

const CALLERS = {
  'a user': {
    kind: 'user',
    presented: { auth_time: NOW_SECONDS, acr: 'aal1', amr: ['pwd'] },
    user: {
      id: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      emailVersion: 1,
      passwordRecord: 'r',
      passwordScheme: 's',
      passwordVersion: 1,
      sessionsVersion: 1,
      allEndedVersion: 1,
      roles: [],
      status: 'enabled',
      attributes: '',
      createdAtSeconds: 0,
      version: 1,
    },
    session: {
      id: 'session',
      userId: 'ada',
      passwordVersion: 1,
      sessionsVersion: 1,
      createdAtSeconds: NOW_SECONDS,
      expiresAtSeconds: 1,
      endsAtSeconds: 1,
      renewedAtSeconds: none,
      passwordChangedAtSeconds: none,
      cookie: none,
      browserId: none,
      label: none,
      applicationId: 'shop',
      remembered: false,
      methods: 'password',
      authenticatedAtSeconds: NOW_SECONDS,
      signedOut: false,
      version: 1,
    },
    application: none,
  },
  'an application with every scope': application(...SCOPES),
  'an application with the default scopes': application('users:sign_in', 'users:register'),
  'an application that signs in': application('users:sign_in'),
  'an application that registers': application('users:register'),
  'an application that recovers': application('users:recover'),
  'an application that confirms e-mails': application('users:confirm_email'),
  'an application that reads users': application('users:read'),
  'an application that manages users': application('users:manage'),
  'an application that changes attributes': application('users:attributes'),
  'an application that resets factors': application('users:reset_factors'),
  'an application that vouches for users': application('users:vouch'),
  'an application that changes roles': application('users:roles'),
  'an application that introspects': application('tokens:introspect'),
  'an application that reads events': application('events:read'),
  'an application without a scope': application(),
} as const satisfies Record<string, Caller>

/** docs/contract.md §1.5: which caller may do what. */
const MAY: Readonly<Record<Permission, ReadonlyArray<keyof typeof CALLERS>>> = {
  signIn: [
    'an application with every scope',
    'an application with the default scopes',
    'an application that signs in',
  ],
  vouchForUser: ['an application with every scope', 'an application that vouches for users'],
  renewSession: [
    'an application with every scope',
    'an application with the default scopes',
    'an application that signs in',
  ],
  registerUser: [
    'an application with every scope',
    'an application with the default scopes',
    'an application that registers',
  ],
  signOut: ['a user'],
  getProfile: ['a user'],
  changePassword: ['a user'],
  stepUp: ['a user'],
  listSessions: ['a user'],
  endSession: ['a user'],
  endOtherSessions: ['a user'],
  listFactors: ['a user'],
  startEnrolment: ['a user'],
  completeEnrolment: ['a user'],
  renameFactor: ['a user'],
  removeFactor: ['a user'],
  renewRecoveryCodes: ['a user'],
  startIdentityLink: ['a user'],
  completeIdentityLink: ['a user'],
  startRecovery: ['an application with every scope', 'an application that recovers'],
  mailRecovery: [
    'an application with every scope',
    'an application with the default scopes',
    'an application that signs in',
  ],
  mailEmail: ['a user'],
  startEmailConfirmation: ['an application with every scope', 'an application that confirms e-mails'],
  removeOwnAccount: ['a user'],
  changeOwnAttributes: ['a user'],
  searchUsers: ['an application with every scope', 'an application that reads users'],
  showUser: ['an application with every scope', 'an application that reads users'],
  manageUsers: ['an application with every scope', 'an application that manages users'],
  changeAttributes: ['an application with every scope', 'an application that changes attributes'],
  changeRoles: ['an application with every scope', 'an application that changes roles'],
  resetFactors: ['an application with every scope', 'an application that resets factors'],
  fetchLog: ['an application with every scope', 'an application that reads events'],
  readFeed: ['an application with every scope', 'an application that reads events'],
  introspect: ['an application with every scope', 'an application that introspects'],
}

describe('the access table', () => {
  withoutIo()

  it('names what each permission requires', () => {
    expect(ACCESS).to.deep.equal({
      signIn: { kind: 'application', scope: 'users:sign_in' },
      vouchForUser: { kind: 'application', scope: 'users:vouch' },
      renewSession: { kind: 'application', scope: 'users:sign_in' },
      registerUser: { kind: 'application', scope: 'users:register' },
      signOut: { kind: 'user' },
      getProfile: { kind: 'user' },
      changePassword: { kind: 'user' },
      stepUp: { kind: 'user' },
      listSessions: { kind: 'user' },
      endSession: { kind: 'user' },
      endOtherSessions: { kind: 'user' },
      listFactors: { kind: 'user' },
      startEnrolment: { kind: 'user', fresh: true, isFirstProof: true },
      completeEnrolment: { kind: 'user' },
      renameFactor: { kind: 'user' },
      removeFactor: { kind: 'user', fresh: true },
      renewRecoveryCodes: { kind: 'user', fresh: true },
      startIdentityLink: { kind: 'user', fresh: true },
      completeIdentityLink: { kind: 'user' },
      startRecovery: { kind: 'application', scope: 'users:recover' },
      mailRecovery: { kind: 'application', scope: 'users:sign_in' },
      mailEmail: { kind: 'user' },
      startEmailConfirmation: { kind: 'application', scope: 'users:confirm_email' },
      removeOwnAccount: { kind: 'user' },
      changeOwnAttributes: { kind: 'user' },
      searchUsers: { kind: 'application', scope: 'users:read' },
      showUser: { kind: 'application', scope: 'users:read' },
      manageUsers: { kind: 'application', scope: 'users:manage' },
      changeAttributes: { kind: 'application', scope: 'users:attributes' },
      changeRoles: { kind: 'application', scope: 'users:roles' },
      resetFactors: { kind: 'application', scope: 'users:reset_factors' },
      fetchLog: { kind: 'application', scope: 'events:read' },
      readFeed: { kind: 'application', scope: 'events:read' },
      introspect: { kind: 'application', scope: 'tokens:introspect' },
    })
  })

  for (const permission of Object.keys(MAY) as ReadonlyArray<Permission>) {
    for (const [name, caller] of Object.entries(CALLERS)) {
      const may = MAY[permission].some((allowed) => allowed === name)
      it(`${may ? 'lets' : 'does not let'} the token of ${name} ${permission}`, () => {
        expect(authorize(permission, caller, NOW_SECONDS)).to.deep.equal(
          may ? right(caller) : left({ _tag: 'InsufficientScope', required: ACCESS[permission] }),
        )
      })
    }
  }

  const FRESH = (Object.keys(ACCESS) as ReadonlyArray<Permission>).filter(
    (permission) => 'fresh' in ACCESS[permission],
  )
  const LATER = NOW_SECONDS + 601

  for (const permission of FRESH)
    it(`requires for ${permission} a user who was authenticated in the last 600 seconds`, () => {
      const user = CALLERS['a user']
      const problem = {
        _tag: 'InsufficientAuthentication',
        maxAgeSeconds: 600,
        acr: 'aal1',
        canStepUp: true,
      } as const
      expect(authorize(permission, user, NOW_SECONDS + 600)).to.deep.equal(right(user))
      expect(authorize(permission, user, LATER)).to.deep.equal(left(problem))
      const stronger: Caller = { ...user, session: { ...user.session, methods: 'password totp' } }
      expect(authorize(permission, stronger, LATER)).to.deep.equal(left({ ...problem, acr: 'aal2' }))
      expect(authorize(permission, CALLERS['an application with every scope'], LATER)).to.deep.equal(
        left({ _tag: 'InsufficientScope', required: ACCESS[permission] }),
      )
    })

  /** The word of an application opened the session, and the token says what was proved since. */
  const vouched = (methods: Methods, amr: ReadonlyArray<string>, passwordRecord: string) => {
    const { user, session } = CALLERS['a user']
    return {
      ...CALLERS['a user'],
      presented: { auth_time: NOW_SECONDS, acr: 'aal1', amr },
      user: { ...user, passwordRecord },
      session: { ...session, methods },
    } as const satisfies Caller
  }
  const VOUCHED = ['vouched', 'fed']
  const WITH_APP = ['vouched', 'fed', 'otp', 'mfa']
  for (const [what, caller, permitted] of [
    ['a user with a password', vouched('vouched_fed', VOUCHED, 'r'), []],
    ['a user with nothing to prove', vouched('vouched_fed', VOUCHED, ''), ['startEnrolment']],
    [
      'a user who has enrolled an app since, with the token of before',
      vouched('vouched_fed totp', VOUCHED, ''),
      [],
    ],
    ['a user who has proved an app', vouched('vouched_fed totp', WITH_APP, ''), FRESH],
    ['a user with a password who has proved an app', vouched('vouched_fed totp', WITH_APP, 'r'), FRESH],
  ] as const) {
    it(`permits by the word of an application ${what}: ${permitted.join(', ') || 'nothing that must be fresh'}`, () => {
      const may = (nowSeconds: number) =>
        FRESH.filter((permission) => isRight(authorize(permission, caller, nowSeconds)))
      expect(may(NOW_SECONDS)).to.deep.equal(permitted)
      expect(may(LATER)).to.deep.equal([])
      expect(isRight(requireProvedFresh(caller, NOW_SECONDS))).to.equal(permitted === FRESH)
      expect(requireProvedFresh(caller, LATER)).to.have.deep.nested.property('left', {
        _tag: 'InsufficientAuthentication',
        maxAgeSeconds: 600,
        acr: caller.session.methods === 'vouched_fed' ? 'aal1' : 'aal2',
        canStepUp: what !== 'a user with nothing to prove',
      })
    })
  }
})
