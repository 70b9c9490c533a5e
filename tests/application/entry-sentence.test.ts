import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { entrySentence } from '../../application/log/entry-sentence.ts'
import type { LogEntry } from '../../application/ports/store.ts'
import { aRefusal, aRefusedChange, aSummary } from '../support/modelled-log.ts'
import { aFactor, aSession, aUser, change, enrolled, signedIn } from '../testkit/builders.ts'

const sentence = (entry: object): string =>
  entrySentence({ position: 1, ...entry } as LogEntry, (id) => `the ${id}`)

const MAIL = { id: 'mail-1', attempts: 1, claim: none } as const

const SENTENCES: ReadonlyArray<readonly [entry: object, sentence: string]> = [
  [
    { ...change(signedIn()).events[0], actor: { kind: 'application', id: 'shop' } },
    'signed in through the shop',
  ],
  [{ ...change(signedIn()).events[0], actor: { kind: 'nobody' } }, 'signed in'],
  [
    { ...change(signedIn(aSession({ remembered: true }))).events[0], actor: { kind: 'nobody' } },
    'signed in and remembered',
  ],
  [
    { ...change(enrolled(aFactor(), aUser())).events[0], actor: { kind: 'user', id: 'a' } },
    'authenticator app added',
  ],
  [
    {
      ...change({
        _tag: 'FactorUsed',
        user: aUser(),
        factor: aFactor({ kind: 'passkey' }),
        counterWentBack: true,
        backupEligible: true,
      }).events[0],
      actor: { kind: 'user', id: 'a' },
    },
    'passkey used (its counter went back) (it may now be synced)',
  ],
  [
    {
      ...change({
        _tag: 'FactorUsed',
        user: aUser(),
        factor: aFactor({ kind: 'passkey' }),
        backupEligible: false,
      }).events[0],
      actor: { kind: 'user', id: 'a' },
    },
    'passkey used (it can no longer be synced)',
  ],
  [
    {
      ...change({ _tag: 'MailSent', mail: { ...MAIL, kind: 'recovery' }, userId: 'a' }).events[0],
      actor: { kind: 'nobody' },
    },
    'a recovery mail was sent',
  ],
  [
    {
      ...change({
        _tag: 'MailFailed',
        mail: { ...MAIL, kind: 'password_changed' },
        userId: 'a',
        failed: { code: '550', keptUntilSeconds: 9 },
      }).events[0],
      actor: { kind: 'nobody' },
    },
    'a notice of the changed password was not sent: 550',
  ],
  [
    {
      ...change({ _tag: 'UserRolesChanged', user: aUser(), roles: ['editor', 'shop:admin'] }).events[0],
      actor: { kind: 'application', id: 'desk' },
    },
    'roles: editor, shop:admin through the desk',
  ],
  [
    {
      ...change({ _tag: 'UserRolesChanged', user: aUser(), roles: [] }).events[0],
      actor: { kind: 'operator' },
    },
    'roles: none by an operator',
  ],
  [
    aRefusal('wrong_password', { user: 'a', application: 'shop' }),
    'sign-in refused: wrong_password through the shop',
  ],
  [aRefusedChange([4], 'a'), 'password change refused: wrong_password'],
  [aRefusedChange([], 'a'), 'password change refused: too_many_failures'],
  [aSummary({ wrong_password: 3 }), 'sign-in refused 3 more times'],
  [
    { type: 'OfAnotherStore', subject: {}, data: {}, actor: { kind: 'operator', id: 'grace' } },
    'OfAnotherStore by operator grace',
  ],
]

describe('an entry in words', () => {
  for (const [entry, expected] of SENTENCES)
    it(expected, () => {
      expect(sentence(entry)).to.equal(expected)
    })
})
