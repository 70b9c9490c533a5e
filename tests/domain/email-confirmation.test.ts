import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  type EmailConfirmationStartProblem,
  type EmailConfirmationStartRequest,
  validateEmailConfirmation,
  validateEmailConfirmationStart,
} from '../../domain/email-confirmation.ts'
import type { User } from '../../domain/user.ts'
import { aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

const ADA = aUser({ email: 'Ada@Example.com' })
const NO_PASSWORD = { ...ADA, passwordRecord: '', passwordScheme: '' }
const OTHER = 'grace@example.com'

type Facts = Readonly<{
  user?: User
  known?: boolean
  taken?: boolean
  matches?: boolean
  suffices?: boolean
}>

const validate = (request: Partial<EmailConfirmationStartRequest>, facts: Facts) =>
  validateEmailConfirmationStart(
    { userId: undefined, email: undefined, password: undefined, ...request },
    {
      user: facts.known === false ? none : some(facts.user ?? ADA),
      emailTaken: facts.taken === true,
      passwordMatches: facts.matches === true,
      tokenSuffices: facts.suffices !== false,
    },
  )

describe('the start of a confirmation', () => {
  withoutIo()
  const userId = ADA.id

  const TABLE: ReadonlyArray<
    readonly [
      what: string,
      request: Partial<EmailConfirmationStartRequest>,
      facts: Facts,
      problems: EmailConfirmationStartProblem[],
    ]
  > = [
    ['no field', {}, { known: false }, ['UserIdMissing', 'EmailMissing', 'PasswordMissing']],
    ['no e-mail', { userId, password: 'p' }, { matches: true }, ['EmailMissing']],
    ['another e-mail and no password', { userId, email: OTHER }, {}, ['PasswordMissing']],
    ['another e-mail and a wrong password', { userId, email: OTHER, password: 'p' }, {}, ['PasswordWrong']],
    [
      'the e-mail in another case and no password',
      { userId, email: 'ada@example.com' },
      {},
      ['PasswordMissing'],
    ],
    ['an unknown user', { userId: 'x', email: OTHER, password: 'p' }, { known: false }, ['UserUnknown']],
    [
      'an unknown user, no password',
      { userId: 'x', email: OTHER },
      { known: false },
      ['UserUnknown', 'PasswordMissing'],
    ],
    ['a malformed e-mail', { userId, email: 'ada', password: 'p' }, { matches: true }, ['EmailMalformed']],
    [
      'a malformed e-mail that is taken, and a wrong password',
      { userId, email: 'ada', password: 'p' },
      { taken: true },
      ['EmailMalformed', 'PasswordWrong'],
    ],
    [
      'a taken e-mail',
      { userId, email: OTHER, password: 'p' },
      { taken: true, matches: true },
      ['EmailTaken'],
    ],
    [
      'a taken e-mail and a wrong password',
      { userId, email: OTHER, password: 'p' },
      { taken: true },
      ['EmailTaken', 'PasswordWrong'],
    ],
    [
      'a taken e-mail and no token that suffices',
      { userId, email: OTHER, password: 'p' },
      { taken: true, matches: true, suffices: false },
      ['EmailTaken', 'UserTokenNotFresh'],
    ],
    [
      'a wrong password and no token that suffices',
      { userId, email: OTHER, password: 'p' },
      { suffices: false },
      ['PasswordWrong'],
    ],
    [
      'another e-mail and no token that suffices, of a user without a password',
      { userId, email: OTHER },
      { user: NO_PASSWORD, suffices: false },
      ['UserTokenNotFresh'],
    ],
    [
      'a password, of a user who has none',
      { userId, email: OTHER, password: 'p' },
      { user: NO_PASSWORD, suffices: false },
      ['UserTokenNotFresh'],
    ],
  ]
  for (const [what, request, facts, problems] of TABLE) {
    it(`with ${what} is refused with ${problems.join(' and ')}`, () => {
      expect(validate(request, facts)).to.deep.equal(left(problems))
    })
  }

  it('of the e-mail on record needs neither password nor user token', () => {
    const email = 'Ada@Example.com'
    expect(validate({ userId, email }, { suffices: false })).to.deep.equal(right({ user: ADA, email }))
    expect(validate({ userId, email, password: 'wrong' }, { suffices: false })).to.deep.equal(
      right({ user: ADA, email }),
    )
  })

  it('of another e-mail succeeds with the password', () => {
    const valid = validate({ userId, email: OTHER, password: 'p' }, { matches: true })
    expect(valid).to.deep.equal(right({ user: ADA, email: OTHER }))
  })

  it('of another e-mail succeeds for a user without a password with a token that suffices', () => {
    const valid = validate({ userId, email: OTHER }, { user: NO_PASSWORD })
    expect(valid).to.deep.equal(right({ user: NO_PASSWORD, email: OTHER }))
  })
})

describe('the completion of a confirmation', () => {
  withoutIo()

  it('without a token is refused, also for a usable one', () => {
    for (const token of [undefined, '', '\ud800'])
      expect(validateEmailConfirmation({ token }, some('facts'))).to.deep.equal(left(['TokenMissing']))
  })

  it('with an unusable token is refused', () => {
    expect(validateEmailConfirmation({ token: 't' }, none)).to.deep.equal(left(['TokenInvalid']))
  })

  it('with a usable token returns its facts', () => {
    expect(validateEmailConfirmation({ token: 't' }, some('facts'))).to.deep.equal(right('facts'))
  })
})
