import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Field } from '../../domain/field.ts'
import {
  isComplete,
  isPossibleLabel,
  nextStep,
  type SignInProblem,
  validateCredentials,
  validateSignIn,
} from '../../domain/sign-in.ts'
import { aFactor } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

describe('a sign-in', () => {
  withoutIo()

  const WRONG: ReadonlyArray<
    readonly [name: string, request: { email?: Field; password?: Field }, problems: SignInProblem[]]
  > = [
    ['has neither field', {}, ['EmailMissing', 'PasswordMissing']],
    ['has two empty fields', { email: '', password: '' }, ['EmailMissing', 'PasswordMissing']],
    ['has no e-mail', { password: 'secret' }, ['EmailMissing']],
    ['has half a surrogate pair in the e-mail', { email: '\ud800', password: 'secret' }, ['EmailMissing']],
    ['has no password', { email: 'ada@example.com' }, ['PasswordMissing']],
    ['has an empty password', { email: 'ada@example.com', password: '' }, ['PasswordMissing']],
    ['has half a surrogate pair in the password', { email: 'a@b', password: '\udc00' }, ['PasswordMissing']],
  ]
  for (const [name, { email, password }, problems] of WRONG) {
    it(`that ${name} is refused with ${problems.join(' and ')}, for every account`, () => {
      expect(validateSignIn({ email, password }, none)).to.deep.equal(left(problems))
      expect(validateSignIn({ email, password }, some('account'))).to.deep.equal(left(problems))
      expect(validateCredentials({ email, password }, some('account'))).to.deep.equal(left(problems))
      expect(isComplete({ email, password })).to.equal(false)
    })
  }

  const LABELS: ReadonlyArray<readonly [name: string, label: Field, isPossible: boolean]> = [
    ['none', undefined, true],
    ['an empty one', '', true],
    ['a browser', 'Firefox on Linux', true],
    ['100 characters outside the BMP', '🦊'.repeat(100), true],
    ['101 characters', 'x'.repeat(101), false],
    ['a space', ' ', false],
    ['a line feed', 'Firefox\non Linux', false],
    ['half a surrogate pair', 'Firefox \ud800', false],
  ]
  for (const [name, label, isPossible] of LABELS)
    it(`${isPossible ? 'takes' : 'refuses'} as label ${name}, before any password`, () => {
      const complete = { email: 'ada@example.com', password: 'wrong', label }
      expect(isPossibleLabel(label)).to.equal(isPossible)
      expect(validateSignIn(complete, some('account'))).to.deep.equal(
        isPossible ? right('account') : left(['LabelMalformed']),
      )
      expect(validateSignIn(complete, none)).to.deep.equal(
        left([isPossible ? 'PasswordDoesNotMatch' : 'LabelMalformed']),
      )
    })

  const APP = aFactor({ kind: 'totp' })
  const CODES = aFactor({ kind: 'recovery_codes' })
  const STEPS = [
    ['aal1', 'no factor', [], 'session'],
    ['aal1', 'recovery codes alone', [CODES], 'session'],
    ['aal1', 'a removed app', [{ ...APP, removed: true }], 'session'],
    ['aal1', 'an app', [APP, CODES], 'second_factor'],
    ['aal2', 'no factor', [], 'enrolment'],
    ['aal2', 'recovery codes alone', [CODES], 'enrolment'],
    ['aal2', 'a removed app', [{ ...APP, removed: true }], 'enrolment'],
    ['aal2', 'an app', [APP, CODES], 'second_factor'],
  ] as const
  for (const [requiredAssurance, what, factors, step] of STEPS)
    it(`of a user with ${what}, where ${requiredAssurance} is required, continues with: ${step}`, () => {
      const next = (requiresVerifiedEmail: boolean, emailVerified: boolean) =>
        nextStep(factors, { requiredAssurance, requiresVerifiedEmail }, { emailVerified })
      expect([next(false, false), next(true, true)]).to.deep.equal([step, step])
      expect(next(true, false), 'without the verified e-mail that is required').to.equal('confirmation')
    })

  it('on a page has no label: the account decides', () => {
    const complete = { email: 'ada@example.com', password: 'wrong' }
    expect(validateCredentials(complete, some('account'))).to.deep.equal(right('account'))
    expect(validateCredentials(complete, none)).to.deep.equal(left(['PasswordDoesNotMatch']))
  })

  it('with both fields is complete, even if the e-mail is malformed', () => {
    expect(isComplete({ email: 'no e-mail', password: ' ' })).to.equal(true)
  })

  it('for no account is refused with PasswordDoesNotMatch', () => {
    expect(validateSignIn({ email: 'ada@example.com', password: 'wrong' }, none)).to.deep.equal(
      left(['PasswordDoesNotMatch']),
    )
  })

  it('for an account yields it', () => {
    expect(validateSignIn({ email: 'ada@example.com', password: 'right' }, some('account'))).to.deep.equal(
      right('account'),
    )
  })
})
