import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { isAlive, type Session } from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import { withoutIo } from './no-io.ts'

const USER: User = {
  id: 'ada',
  email: 'ada@example.com',
  passwordRecord: 'record',
  passwordVersion: 3,
  status: 'enabled',
  version: 7,
}
const SESSION: Session = {
  id: 'session',
  userId: 'ada',
  passwordVersion: 3,
  createdAtSeconds: none,
  expiresAtSeconds: 1000,
  applicationId: none,
  signedOut: false,
  version: 2,
}

describe('a session', () => {
  withoutIo()

  const CASES: ReadonlyArray<
    readonly [
      name: string,
      facts: { session?: Partial<Session>; user?: Partial<User>; now?: number },
      alive: boolean,
    ]
  > = [
    ['lives before it expires', {}, true],
    ['lives at the moment it expires, for clocks differ', { now: 1000 }, true],
    ['lives a moment before the tolerance of 5 s is over', { now: 1004.999 }, true],
    ['is dead when the tolerance is over', { now: 1005 }, false],
    ['is dead long after', { now: 1e9 }, false],
    ['is dead when it was signed out', { session: { signedOut: true } }, false],
    ['is dead when the password has changed since', { user: { passwordVersion: 4 } }, false],
    ['is dead under a password version its user never had', { session: { passwordVersion: 4 } }, false],
    ['is dead for another user', { user: { id: 'eve' } }, false],
    ['is dead while its user is disabled', { user: { status: 'disabled' } }, false],
    ['is dead when its user was removed', { user: { status: 'removed' } }, false],
    ['lives however often its user was written', { user: { version: 8 } }, true],
    ['lives however often it was written', { session: { version: 3 } }, true],
    [
      'lives when the password changed and it went along',
      { session: { passwordVersion: 4 }, user: { passwordVersion: 4 } },
      true,
    ],
  ]
  for (const [name, { session, user, now = 999 }, alive] of CASES) {
    it(name, () => {
      expect(isAlive({ ...SESSION, ...session }, { ...USER, ...user }, now)).to.equal(alive)
    })
  }
})
