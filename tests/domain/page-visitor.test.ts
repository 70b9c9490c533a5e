import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Methods } from '../../domain/assurance.ts'
import {
  mayChangeFactors,
  type PageVisitor,
  proofState,
  provedUserId,
  visitorAfterChange,
  visitorOf,
} from '../../domain/page-visitor.ts'
import { aFactor, aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

const USER = aUser({ id: 'ada', passwordVersion: 3, sessionsVersion: 5, allEndedVersion: 4 })
const VISITOR: PageVisitor = { kind: 'visitor', user: USER, methods: 'password totp', provedAtMs: 5 }
const STATE = proofState(VISITOR)

describe('the proof of a visitor', () => {
  withoutIo()

  it('names the user, the versions, the methods and the time, and gives the visitor again', () => {
    expect(STATE).to.deep.equal({ issuedAtMs: 5, parts: ['ada', '3.4', 'password totp'] })
    expect(provedUserId(STATE)).to.equal('ada')
    const renamed = { ...USER, version: 9, sessionsVersion: 6 }
    expect(visitorOf(STATE, renamed)).to.deep.equal(some({ ...VISITOR, user: renamed }))
  })

  for (const [name, user] of [
    ['another user', { id: 'bob' }],
    ['another password version', { passwordVersion: 4 }],
    ['a user whose sessions were all ended', { allEndedVersion: 5 }],
    ['a disabled user', { status: 'disabled' }],
    ['a removed user', { status: 'removed' }],
  ] as const)
    it(`is none for ${name}`, () => expect(visitorOf(STATE, { ...USER, ...user })).to.deep.equal(none))

  for (const parts of [
    [],
    ['ada'],
    ['ada', '3.4'],
    ['ada', '3.4', 'magic'],
    ['ada', '3.4', 'toString'],
    ['ada', '3', 'password'],
    ['ada', '03.4', 'password'],
  ])
    it(`is none with the parts ${JSON.stringify(parts)}`, () =>
      expect(visitorOf({ issuedAtMs: 5, parts }, USER)).to.deep.equal(none))

  it('ends with a change of factors, after which the visitor has a new one of the same time', () => {
    const after = visitorAfterChange(VISITOR)
    expect(visitorOf(STATE, after.user)).to.deep.equal(none)
    expect(visitorOf(proofState(after), after.user)).to.deep.equal(some(after))
    expect(after.provedAtMs).to.equal(5)
  })
})

describe('a visitor', () => {
  const app = aFactor({ kind: 'totp' })
  const codes = aFactor({ kind: 'recovery_codes' })
  const PROVED: ReadonlyArray<Methods> = ['password totp', 'password recovery_code']

  it('may change factors with the password alone only while none is due', () => {
    const byPassword = { methods: 'password' } as const
    for (const factors of [[], [codes], [{ ...app, removed: true }]])
      expect(mayChangeFactors(byPassword, factors)).to.equal(true)
    for (const factors of [[app], [app, codes]]) expect(mayChangeFactors(byPassword, factors)).to.equal(false)
  })

  for (const methods of PROVED)
    it(`may always change factors with ${methods}`, () => {
      for (const factors of [[], [app], [app, codes]])
        expect(mayChangeFactors({ methods }, factors)).to.equal(true)
    })
})
