import { expect } from 'chai'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Application } from '../../domain/application.ts'
import { NO_OWN_LIFETIMES } from '../../domain/lifetimes.ts'
import { NO_CLIENT } from '../../domain/redirect-uris.ts'
import {
  isAlive,
  isSameAuthentication,
  liveSessions,
  MAX_SESSIONS,
  type Session,
  sessionsInBrowser,
  tokenLifetime,
} from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import { withoutIo } from './no-io.ts'

const USER: User = {
  id: 'ada',
  email: 'ada@example.com',
  emailVerified: true,
  emailVersion: 2,
  passwordRecord: 'record',
  passwordScheme: 'scheme',
  passwordVersion: 3,
  sessionsVersion: 5,
  allEndedVersion: 5,
  roles: [],
  status: 'enabled',
  attributes: '',
  createdAtSeconds: 0,
  version: 7,
}
const SESSION: Session = {
  id: 'session',
  userId: 'ada',
  passwordVersion: 3,
  sessionsVersion: 5,
  createdAtSeconds: 0,
  expiresAtSeconds: 1000,
  endsAtSeconds: 1000,
  renewedAtSeconds: none,
  passwordChangedAtSeconds: none,
  cookie: none,
  browserId: none,
  label: none,
  applicationId: 'shop',
  remembered: false,
  methods: 'password',
  authenticatedAtSeconds: 0,
  signedOut: false,
  version: 2,
}

const SHOP: Application = {
  id: 'shop',
  name: 'shop',
  scope: ['users:sign_in'],
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
}

describe('a session', () => {
  withoutIo()

  const CASES: ReadonlyArray<
    readonly [
      name: string,
      facts: {
        session?: Partial<Session>
        user?: Partial<User>
        application?: Option<Application>
        now?: number
      },
      alive: boolean,
    ]
  > = [
    ['lives before it expires', {}, true],
    ['lives at the moment it expires, because clocks differ', { now: 1000 }, true],
    ['lives a moment before the tolerance of 5 s is over', { now: 1004.999 }, true],
    ['is dead when the tolerance is over', { now: 1005 }, false],
    ['is dead long after', { now: 1e9 }, false],
    ['is dead when it was signed out', { session: { signedOut: true } }, false],
    ['is dead when the password has changed since', { user: { passwordVersion: 4 } }, false],
    ['is dead when its user has ended other sessions since', { user: { sessionsVersion: 6 } }, false],
    ['is dead under a sessions version its user never had', { session: { sessionsVersion: 6 } }, false],
    ['lives after all sessions before it were ended', { user: { allEndedVersion: 4 } }, true],
    ['is dead under a password version its user never had', { session: { passwordVersion: 4 } }, false],
    ['is dead for another user', { user: { id: 'eve' } }, false],
    ['is dead while its user is disabled', { user: { status: 'disabled' } }, false],
    ['is dead when its user was removed', { user: { status: 'removed' } }, false],
    ['lives after any number of writes of its user', { user: { version: 8 } }, true],
    ['lives after any number of writes', { session: { version: 3 } }, true],
    [
      'lives if it got the new password version',
      { session: { passwordVersion: 4 }, user: { passwordVersion: 4 } },
      true,
    ],
    [
      'is dead when the application that opened it is revoked',
      { application: some({ ...SHOP, revoked: true }) },
      false,
    ],
    ['is dead when the application that opened it does not exist', { application: none }, false],
  ]
  for (const [name, { session, user, application = some(SHOP), now = 999 }, alive] of CASES) {
    it(name, () => {
      expect(
        isAlive({ session: { ...SESSION, ...session }, user: { ...USER, ...user }, application }, now),
      ).to.equal(alive)
    })
  }
})

describe('the listed sessions', () => {
  withoutIo()

  const at = (number: number, fields: Partial<Session> = {}): Session => ({
    ...SESSION,
    id: `id-${String(number).padStart(3, '0')}`,
    ...fields,
  })
  const idsOf = (sessions: ReadonlyArray<Session>) => sessions.map(({ id }) => id)
  const shown = (current: Session, found: ReadonlyArray<Session>) =>
    liveSessions({ current, found, user: USER, nowSeconds: 999 })

  it('are only the current one if there is no other', () => {
    expect(shown(at(1), [])).to.deep.equal([at(1)])
    expect(shown(at(1), [at(1)])).to.deep.equal([at(1)])
  })

  it('come newest first, in every order of the input', () => {
    expect(idsOf(shown(at(2), [at(1), at(3), at(2)]))).to.deep.equal(['id-003', 'id-002', 'id-001'])
  })

  it('are only those that are alive', () => {
    const dead: ReadonlyArray<Session> = [
      at(3, { signedOut: true }),
      at(4, { passwordVersion: 2 }),
      at(7, { sessionsVersion: 4 }),
      at(5, { userId: 'eve' }),
      at(6, { expiresAtSeconds: 994 }),
    ]
    expect(shown(at(1), [...dead, at(2)])).to.deep.equal([at(2), at(1)])
  })

  for (const [what, expiresAtSeconds, lifetime] of [
    ['as long as one of a sign-in', 2_592_000, 600],
    ['no longer than the session', 1_400, 400],
    ['not at all at its end', 1_000, 0],
  ] as const)
    it(`get another token that lives ${what}`, () => {
      expect(tokenLifetime({ expiresAtSeconds }, { userTokenTtlSeconds: 600 }, 1_000)).to.equal(lifetime)
    })

  const many = Array.from({ length: MAX_SESSIONS + 20 }, (_, index) => at(MAX_SESSIONS + 20 - index))

  it('are at most 100, those that come first in the input', () => {
    const [newest] = many
    if (newest === undefined) throw new Error('there are none')
    const all = shown(newest, many)
    expect(MAX_SESSIONS).to.equal(100)
    expect(all).to.deep.equal(many.slice(0, 100))
  })

  it('include the current one, even if many are newer', () => {
    const own = at(0)
    for (const found of [many, [...many, own]])
      expect(shown(own, found)).to.deep.equal([...many.slice(0, 99), own])
  })
})

describe('the sessions in the browser of a session', () => {
  withoutIo()

  const OWN: Session = { ...SESSION, id: 'own', browserId: some('here') }
  const inBrowser = (found: ReadonlyArray<Session>, session = OWN) =>
    sessionsInBrowser({ session, user: USER }, found, 999).map(({ id }) => id)

  const OTHERS: Readonly<Record<string, readonly [fields: Partial<Session>, isThere: boolean]>> = {
    'of the same browser': [{}, true],
    'of another application in it': [{ applicationId: 'desk' }, true],
    'of another browser': [{ browserId: some('elsewhere') }, false],
    'of no browser': [{ browserId: none }, false],
    'that is signed out': [{ signedOut: true }, false],
    'that has expired': [{ expiresAtSeconds: 994 }, false],
    'of an earlier password': [{ passwordVersion: 2 }, false],
    'of another user': [{ userId: 'eve' }, false],
  }
  for (const [what, [fields, isThere]] of Object.entries(OTHERS))
    it(`${isThere ? 'include' : 'leave out'} one ${what}`, () => {
      const other = { ...OWN, id: 'other', ...fields }
      expect(inBrowser([other, OWN])).to.deep.equal(isThere ? ['own', 'other'] : ['own'])
    })

  it('are those opened through it, if it has ended itself', () => {
    expect(inBrowser([{ ...OWN, id: 'other' }], { ...OWN, signedOut: true })).to.deep.equal(['other'])
  })

  it('are only itself, if it has no browser', () => {
    const alone = { ...OWN, browserId: none }
    expect(inBrowser([{ ...alone, id: 'other' }], alone)).to.deep.equal(['own'])
  })
})

describe('two sessions', () => {
  for (const [what, fields, isSame] of [
    ['with the same methods at the same time', { id: 'other' }, true],
    ['with other methods', { methods: 'password totp' }, false],
    ['at another time', { authenticatedAtSeconds: 1 }, false],
  ] as const)
    it(`say ${isSame ? 'the same' : 'something else'} of the authentication ${what}`, () => {
      expect(isSameAuthentication(SESSION, { ...SESSION, ...fields })).to.equal(isSame)
    })
})
