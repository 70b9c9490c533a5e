import { expect } from 'chai'
import {
  isOneTimeToken,
  isUsable,
  linkState,
  ONE_TIME_TOKEN_BYTES,
  type OneTimeTokenFacts,
  oneTimeToken,
  used,
} from '../../domain/one-time-token.ts'
import {
  disabled,
  removed,
  type User,
  withConfirmedEmail,
  withoutOtherSessions,
  withoutProofs,
  withoutSessions,
  withPassword,
} from '../../domain/user.ts'
import { anApplication, aOneTimeToken, aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

const NOW = 1_800_000_000
const BYTES = Uint8Array.from({ length: ONE_TIME_TOKEN_BYTES }, (_, index) => index * 7)

describe('the text of a one-time token', () => {
  withoutIo()

  it('is a prefix of its purpose, 43 characters and a checksum of 6', () => {
    expect(oneTimeToken('recovery', BYTES)).to.match(/^ort_[0-9A-Za-z]{49}$/)
    expect(oneTimeToken('email_confirmation', BYTES)).to.match(/^oct_[0-9A-Za-z]{49}$/)
    expect(oneTimeToken('sign_in', BYTES)).to.match(/^ost_[0-9A-Za-z]{49}$/)
  })

  it('is well-formed for its own purpose only', () => {
    const text = oneTimeToken('recovery', BYTES)
    expect(isOneTimeToken('recovery', text)).to.equal(true)
    expect(isOneTimeToken('email_confirmation', text)).to.equal(false)
    expect(isOneTimeToken('email_confirmation', text.replace('ort_', 'oct_'))).to.equal(true)
  })

  it('is malformed if one character is wrong, missing or added', () => {
    const text = oneTimeToken('recovery', BYTES)
    const broken = [...text].map((character, at) => {
      const other = character === 'a' ? 'b' : 'a'
      return `${text.slice(0, at)}${other}${text.slice(at + 1)}`
    })
    for (const wrong of [...broken, text.slice(1), text.slice(0, -1), `${text}0`, `${text}\n`, ''])
      expect(isOneTimeToken('recovery', wrong), wrong).to.equal(false)
  })
})

describe('a one-time token', () => {
  withoutIo()

  const user = aUser({ email: 'ada@example.com', emailVersion: 2 })
  const fresh: OneTimeTokenFacts = {
    token: aOneTimeToken({
      userId: user.id,
      emailVersion: 2,
      email: user.email,
      expiresAtSeconds: NOW + 1,
    }),
    user,
    application: anApplication({ scope: [] }),
  }

  it('is usable for its purpose until it expires', () => {
    expect(isUsable(fresh, 'recovery', NOW)).to.equal(true)
    expect(isUsable(fresh, 'recovery', NOW + 0.999)).to.equal(true)
    expect(isUsable(fresh, 'recovery', NOW + 1)).to.equal(false)
    expect(isUsable(fresh, 'email_confirmation', NOW)).to.equal(false)
  })

  const ENDED: ReadonlyArray<readonly [how: string, facts: Partial<OneTimeTokenFacts>]> = [
    ['it is used', { token: used(fresh.token) }],
    ['it is used, although nothing else changed', { token: { ...fresh.token, used: true } }],
    ['the password is changed', { user: withPassword(user, { record: 'r', scheme: 's' }) }],
    ['an application or an operator resets the factors', { user: withoutProofs(user) }],
    ['the user is disabled', { user: { ...user, status: 'disabled' } }],
    ['the user was disabled and enabled', { user: { ...disabled(user), status: 'enabled' } }],
    ['the user is removed', { user: removed(user) }],
    ['another e-mail is confirmed', { user: withConfirmedEmail(user, 'ada@example.org') }],
    ['the e-mail is confirmed in another case', { user: withConfirmedEmail(user, 'Ada@example.com') }],
    [
      'another e-mail and then the former one is confirmed',
      { user: withConfirmedEmail(withConfirmedEmail(user, 'ada@example.org'), user.email) },
    ],
    ['the application is revoked', { application: { ...fresh.application, revoked: true } }],
  ]
  for (const [how, facts] of ENDED) {
    it(`has ended once ${how}`, () => {
      expect(isUsable({ ...fresh, ...facts }, 'recovery', NOW)).to.equal(false)
    })
  }

  it('of a recovery lives on when sessions end: a thief of one could otherwise end each recovery', () => {
    for (const end of [withoutSessions, withoutOtherSessions])
      expect(isUsable({ ...fresh, user: end(user) }, 'recovery', NOW)).to.equal(true)
  })

  const WAITING: ReadonlyArray<readonly [user: User, isUsable: boolean]> = [
    [withoutOtherSessions(user), true],
    [withoutSessions(user), false],
    [withoutOtherSessions(withoutSessions(user)), false],
  ]
  for (const purpose of ['sign_in', 'email_confirmation'] as const) {
    for (const [ended, expected] of WAITING) {
      const how = `sessions ${ended.sessionsVersion}, all ended at ${ended.allEndedVersion}`
      it(`of purpose ${purpose} is ${expected ? 'usable' : 'over'} with ${how}`, () => {
        const token = { ...fresh.token, purpose }
        expect(isUsable({ ...fresh, token, user: ended }, purpose, NOW)).to.equal(expected)
      })
    }

    it(`of purpose ${purpose} that was made after all sessions were ended is usable`, () => {
      const ended = withoutSessions(user)
      const token = { ...fresh.token, purpose, sessionsVersion: ended.sessionsVersion }
      expect(isUsable({ ...fresh, token, user: ended }, purpose, NOW)).to.equal(true)
    })
  }

  it('lives on when the same e-mail is confirmed', () => {
    expect(isUsable({ ...fresh, user: withConfirmedEmail(user, user.email) }, 'recovery', NOW)).to.equal(true)
  })

  it('contains no e-mail once it is used', () => {
    expect(used(fresh.token)).to.deep.equal({ ...fresh.token, used: true, email: '' })
  })
})

describe('the state of a mailed link', () => {
  withoutIo()

  const user = aUser({ email: 'ada@example.com', emailVersion: 2, emailVerified: false })
  const confirmed = withConfirmedEmail(user, 'ada@example.org')
  const factsOf = (
    purpose: 'recovery' | 'email_confirmation',
    more: Partial<OneTimeTokenFacts['token']> = {},
    owner: User = user,
  ): OneTimeTokenFacts => ({
    token: aOneTimeToken({
      userId: user.id,
      purpose,
      emailVersion: 2,
      email: purpose === 'recovery' ? '' : 'ada@example.org',
      expiresAtSeconds: NOW + 1,
      ...more,
    }),
    user: owner,
    application: anApplication({ scope: [] }),
  })
  const spent = (facts: OneTimeTokenFacts): OneTimeTokenFacts => ({ ...facts, token: used(facts.token) })
  const disabledUser: User = { ...user, status: 'disabled' }

  for (const [what, facts, recovery, confirmation] of [
    ['a fresh recovery', factsOf('recovery'), 'usable', 'unusable'],
    ['a recovery that was used', spent(factsOf('recovery')), 'done', 'unusable'],
    ['a recovery that has expired', factsOf('recovery', { expiresAtSeconds: NOW }), 'unusable', 'unusable'],
    ['a recovery of a disabled user', factsOf('recovery', {}, disabledUser), 'unusable', 'unusable'],
    ['a recovery after another one', factsOf('recovery', { passwordVersion: 9 }), 'unusable', 'unusable'],
    ['a fresh confirmation', factsOf('email_confirmation'), 'unusable', 'usable'],
    ['a confirmation that was used', spent(factsOf('email_confirmation', {}, confirmed)), 'unusable', 'done'],
    [
      'one whose e-mail another link confirmed',
      factsOf('email_confirmation', {}, confirmed),
      'unusable',
      'done',
    ],
    [
      'one after another e-mail was confirmed',
      factsOf('email_confirmation', {}, withConfirmedEmail(user, 'ada@example.net')),
      'unusable',
      'unusable',
    ],
    [
      'one that was used, of a user whose e-mail is not verified any more',
      spent(factsOf('email_confirmation')),
      'unusable',
      'unusable',
    ],
    [
      'one that has expired',
      factsOf('email_confirmation', { expiresAtSeconds: NOW }),
      'unusable',
      'unusable',
    ],
  ] as const)
    it(`of ${what} is ${recovery} on the page of a recovery and ${confirmation} on that of an e-mail`, () => {
      expect(linkState(facts, 'recovery', NOW)).to.equal(recovery)
      expect(linkState(facts, 'email_confirmation', NOW)).to.equal(confirmation)
    })
})
