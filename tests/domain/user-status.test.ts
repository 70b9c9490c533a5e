import { expect } from 'chai'
import * as fc from 'fast-check'
import { none } from 'fp-ts/lib/Option.js'
import { isValidFor, type Session } from '../../domain/session.ts'
import {
  disabled,
  emailKey,
  enabled,
  isEmail,
  removed,
  USER_STATUSES,
  type User,
  withPassword,
} from '../../domain/user.ts'
import { SEED, withoutIo } from './no-io.ts'

const ADA: User = {
  id: '018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b',
  email: 'Ada@Example.com',
  emailVerified: true,
  emailVersion: 2,
  passwordRecord: 'record',
  passwordScheme: 'scheme',
  passwordVersion: 3,
  sessionsVersion: 5,
  allEndedVersion: 5,
  roles: ['editor'],
  status: 'enabled',
  attributes: '{"name":"Ada"}',
  createdAtSeconds: 0,
  version: 7,
}

describe('a user', () => {
  withoutIo()

  it('is enabled, disabled or removed', () => {
    expect(USER_STATUSES).to.deep.equal(['enabled', 'disabled', 'removed'])
  })

  const TRANSITIONS: ReadonlyArray<
    readonly [name: string, before: Partial<User>, step: (user: User) => User, after: Partial<User>]
  > = [
    ['who is disabled has no sessions', {}, disabled, { status: 'disabled', passwordVersion: 4 }],
    ['who is enabled again does not get earlier sessions back', { status: 'disabled' }, enabled, {}],
    [
      'who is removed leaves an id',
      {},
      removed,
      {
        status: 'removed',
        passwordVersion: 4,
        email: ADA.id,
        emailVerified: false,
        passwordRecord: '',
        passwordScheme: '',
        attributes: '',
        roles: [],
      },
    ],
    [
      'who was disabled and is removed leaves an id',
      { status: 'disabled' },
      removed,
      {
        status: 'removed',
        passwordVersion: 4,
        email: ADA.id,
        emailVerified: false,
        passwordRecord: '',
        passwordScheme: '',
        attributes: '',
        roles: [],
      },
    ],
    [
      'with another password has no sessions',
      {},
      (user) => withPassword(user, { record: 'new record', scheme: 'new scheme' }),
      { passwordRecord: 'new record', passwordScheme: 'new scheme', passwordVersion: 4 },
    ],
    [
      'stays disabled with another password',
      { status: 'disabled' },
      (user) => withPassword(user, { record: 'new record', scheme: 'new scheme' }),
      { status: 'disabled', passwordRecord: 'new record', passwordScheme: 'new scheme', passwordVersion: 4 },
    ],
  ]
  for (const [name, before, step, after] of TRANSITIONS) {
    it(name, () => {
      expect(step({ ...ADA, ...before })).to.deep.equal({ ...ADA, ...after })
    })
  }

  it('who was removed keeps nothing of the e-mail, and no address equals the id in its place', () => {
    const left = removed(ADA)
    expect(JSON.stringify(left)).to.not.match(/ada|example|record"?:"r/i)
    expect(isEmail(left.email)).to.equal(false)
    expect(emailKey(left.email)).to.equal(ADA.id)
  })
})

describe('the sessions of a user', () => {
  withoutIo()

  const STEPS: Readonly<Record<string, (user: User) => User>> = {
    disabled,
    enabled,
    removed,
    'with another password': (user) => withPassword(user, { record: 'another record', scheme: 'scheme' }),
  }
  const ENDING = ['disabled', 'removed', 'with another password']

  const sessionOf = (user: User): Session => ({
    id: 'session',
    userId: user.id,
    passwordVersion: user.passwordVersion,
    sessionsVersion: user.sessionsVersion,
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
    version: 1,
  })

  it('live until anything but enabling happens, and are dead for ever afterwards', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...Object.keys(STEPS))),
        fc.array(fc.constantFrom(...Object.keys(STEPS))),
        (before, after) => {
          const go = (user: User, steps: ReadonlyArray<string>) =>
            steps.reduce((current, step) => (STEPS[step] ?? enabled)(current), user)
          const user = enabled(go(ADA, before))
          const session = sessionOf(user)
          expect(isValidFor(user, session, 0)).to.equal(true)
          const later = go(user, after)
          const ended = after.some((step) => ENDING.includes(step))
          expect(isValidFor(later, session, 0)).to.equal(!ended)
          expect(isValidFor(enabled(later), session, 0)).to.equal(!ended)
        },
      ),
      { seed: SEED },
    )
  })
})
