import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Field } from '../../domain/field.ts'
import {
  isCompleteRegistration,
  mayOmitPassword,
  type RegistrationProblem,
  registrationCodesOf,
  validateRegistration,
  validateRegistrationMail,
} from '../../domain/registration.ts'
import { withoutIo } from './no-io.ts'

describe('a registration', () => {
  withoutIo()

  const WRONG: ReadonlyArray<
    readonly [
      name: string,
      request: { email?: Field; password?: Field },
      taken: boolean,
      problems: RegistrationProblem[],
    ]
  > = [
    ['has neither field', {}, false, ['EmailMissing', 'PasswordMissing']],
    ['has two empty fields', { email: '', password: '' }, false, ['EmailMissing', 'PasswordMissing']],
    ['has no e-mail', { password: 'p' }, false, ['EmailMissing']],
    ['has no e-mail, and one that is taken', { password: 'p' }, true, ['EmailMissing']],
    ['has half a surrogate pair in the e-mail', { email: '\ud800', password: 'p' }, false, ['EmailMissing']],
    ['has no password', { email: 'a@b' }, false, ['PasswordMissing']],
    [
      'has half a surrogate pair in the password',
      { email: 'a@b', password: '\ud800' },
      false,
      ['PasswordMissing'],
    ],
    ['has a malformed e-mail', { email: 'ada', password: 'p' }, false, ['EmailMalformed']],
    ['has a malformed e-mail that is taken', { email: 'ada', password: 'p' }, true, ['EmailMalformed']],
    [
      'has a malformed e-mail and no password',
      { email: 'ada' },
      false,
      ['EmailMalformed', 'PasswordMissing'],
    ],
    ['has an e-mail that is taken', { email: 'a@b', password: 'p' }, true, ['EmailTaken']],
    [
      'has an e-mail that is taken and no password',
      { email: 'a@b', password: '' },
      true,
      ['EmailTaken', 'PasswordMissing'],
    ],
  ]
  for (const [name, { email, password }, taken, problems] of WRONG) {
    it(`that ${name} is refused with ${problems.join(' and ')}`, () => {
      expect(validateRegistration({ email, password }, taken, none, false)).to.deep.equal(left(problems))
    })
  }

  const WEAK: ReadonlyArray<
    readonly [name: string, request: { email?: Field; password?: Field }, problems: RegistrationProblem[]]
  > = [
    ['is all it has', { email: 'a@b', password: 'p' }, ['PasswordCommon']],
    ['comes without an e-mail', { password: 'p' }, ['EmailMissing', 'PasswordCommon']],
    ['comes with a malformed e-mail', { email: 'ada', password: 'p' }, ['EmailMalformed', 'PasswordCommon']],
    ['is not there', { email: 'a@b' }, ['PasswordMissing']],
    ['is empty', { email: 'a@b', password: '' }, ['PasswordMissing']],
  ]
  for (const [name, { email, password }, problems] of WEAK) {
    it(`whose weak password ${name} is refused with ${problems.join(' and ')}`, () => {
      const validated = validateRegistration({ email, password }, false, some('PasswordCommon'), false)
      expect(validated).to.deep.equal(left(problems))
    })
  }

  it('whose e-mail is taken and whose password is weak is refused for both', () => {
    const validated = validateRegistration(
      { email: 'a@b', password: 'p' },
      true,
      some('PasswordLeaked'),
      false,
    )
    expect(validated).to.deep.equal(left(['EmailTaken', 'PasswordLeaked']))
  })

  it('keeps e-mail and password exactly as they were sent', () => {
    expect(
      validateRegistration({ email: 'Ada@Example.com', password: ' p ' }, false, none, false),
    ).to.deep.equal(right({ email: 'Ada@Example.com', password: some(' p ') }))
  })

  for (const [what, fields, outcome] of [
    ['has no password', {}, right({ email: 'a@b', password: none })],
    ['has no password with an empty one', { password: '' }, right({ email: 'a@b', password: none })],
    ['keeps a password that is sent', { password: 'p' }, right({ email: 'a@b', password: some('p') })],
    ['needs an e-mail', { email: '' }, left(['EmailMissing'])],
  ] as const)
    it(`without a password ${what}`, () => {
      const request = { email: 'a@b', password: undefined, withoutPassword: true, ...fields }
      expect(validateRegistration(request, false, none, false)).to.deep.equal(outcome)
    })

  for (const [what, request, canConfirm, problems] of [
    ['a confirmation without mail', { sendConfirmation: true }, false, ['SendConfirmationOff']],
    ['a confirmation with mail', { sendConfirmation: true, language: 'de-AT' }, true, undefined],
    ['a malformed language', { language: 'de_AT' }, true, ['LanguageMalformed']],
    ['an empty language', { language: '' }, false, undefined],
  ] as const)
    it(`that asks for ${what} has ${problems === undefined ? 'no problem' : problems.join()}`, () => {
      const account = { email: 'a@b', password: 'p' }
      expect(validateRegistration({ ...account, ...request }, false, none, canConfirm)).to.deep.equal(
        problems === undefined ? right({ email: 'a@b', password: some('p') }) : left(problems),
      )
    })

  it('may omit the password only with the scope to vouch for the user', () => {
    expect(mayOmitPassword(['users:register', 'users:vouch'])).to.equal(true)
    expect(mayOmitPassword(['users:register', 'users:confirm_email'])).to.equal(false)
  })

  it('is complete with an e-mail, and a password or none to have', () => {
    const complete = (password: Field, withoutPassword: boolean, email = 'a@b') =>
      isCompleteRegistration({ email, password, withoutPassword })
    expect([complete('p', false), complete(undefined, true), complete('', false)]).to.deep.equal([
      true,
      true,
      false,
    ])
    expect(complete(undefined, true, '')).to.equal(false)
  })

  for (const [email, outcome] of [
    [undefined, left(['EmailMissing'])],
    ['', left(['EmailMissing'])],
    ['ada', left(['EmailMalformed'])],
    ['Ada@Example.com', right('Ada@Example.com')],
  ] as const)
    it(`that begins with a mail to ${email} is ${outcome._tag === 'Left' ? outcome.left : 'valid'}`, () =>
      expect(validateRegistrationMail({ email })).to.deep.equal(outcome))

  it('on a page has the codes of the API for what is wrong with the password, and none besides', () => {
    const problems = ['TokenInvalid', 'PasswordCommon', 'NewPasswordCheckDiffers', 'PasswordRule2']
    expect(registrationCodesOf(problems)).to.deep.equal([5, 9])
    expect(registrationCodesOf(['NewPasswordMissing', 'NewPasswordCheckMissing'])).to.deep.equal([2])
  })
})
