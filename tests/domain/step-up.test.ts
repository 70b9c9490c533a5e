import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Session } from '../../domain/session.ts'
import { type StepUpProblem, steppedUp, validateStepUp } from '../../domain/step-up.ts'
import { withoutIo } from './no-io.ts'

describe('a step-up', () => {
  withoutIo()

  const CASES: ReadonlyArray<
    readonly [what: string, password: string | undefined, matches: boolean, problem?: StepUpProblem]
  > = [
    ['the right password', 'correct horse', true],
    ['a wrong password', 'battery staple', false, 'PasswordWrong'],
    ['no password', undefined, false, 'PasswordMissing'],
    ['an empty password', '', false, 'PasswordMissing'],
    ['an empty password that would match', '', true, 'PasswordMissing'],
    ['malformed Unicode', '\ud800', false, 'PasswordMissing'],
  ]
  for (const [what, password, matches, problem] of CASES)
    it(`with ${what} ${problem === undefined ? 'is accepted' : `is ${problem}`}`, () => {
      const valid = validateStepUp({ password }, matches)
      expect(valid).to.deep.equal(problem === undefined ? right(password) : left([problem]))
    })

  const SESSION: Session = {
    id: 'session',
    userId: 'ada',
    passwordVersion: 3,
    createdAtSeconds: some(100),
    expiresAtSeconds: 1_000,
    endsAtSeconds: some(5_000),
    renewedAtSeconds: some(200),
    label: some('Firefox'),
    applicationId: some('shop'),
    methods: some('password'),
    authenticatedAtSeconds: some(100),
    signedOut: false,
    version: 2,
  }

  it('moves only the time of the authentication', () => {
    expect(steppedUp(SESSION, 300)).to.deep.equal({ ...SESSION, authenticatedAtSeconds: some(300) })
  })

  it('records the time in a session of a former version', () => {
    const former = { ...SESSION, methods: none, authenticatedAtSeconds: none }
    expect(steppedUp(former, 300)).to.deep.equal({ ...former, authenticatedAtSeconds: some(300) })
  })
})
