import { expect } from 'chai'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { mayVerifyEmail } from '../../domain/registration.ts'
import type { User } from '../../domain/user.ts'
import { namedBy } from '../../domain/user-naming.ts'
import {
  VOUCHED_METHODS,
  type VouchedSignInProblem,
  type VouchedSignInRequest,
  validateVouchedSignIn,
  vouchedRefusal,
} from '../../domain/vouched-sign-in.ts'
import { aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

const ADA = aUser({ email: 'ada@example.com', emailVerified: true })
const UNPROVED = aUser({ email: 'eve@example.com' })
const DISABLED: User = { ...UNPROVED, status: 'disabled' }

const validate = (
  request: Partial<VouchedSignInRequest>,
  found: Option<User>,
  requiresVerifiedEmail = false,
) =>
  validateVouchedSignIn({ userId: undefined, email: undefined, method: undefined, ...request }, found, {
    requiresVerifiedEmail,
  })

const byId = { userId: ADA.id, method: 'fed' }
const byEmail = { email: 'ada@example.com', method: 'fed' }

describe('a sign-in that an application vouches for', () => {
  withoutIo()

  const WRONG: ReadonlyArray<
    readonly [
      what: string,
      request: Partial<VouchedSignInRequest>,
      found: Option<User>,
      problems: ReadonlyArray<VouchedSignInProblem>,
    ]
  > = [
    ['no field', {}, none, ['MethodMissing', 'UserNotNamed']],
    ['two names', { ...byId, ...byEmail }, none, ['UserNotNamed']],
    ['two empty names', { userId: '', email: '', method: 'fed' }, none, ['UserNotNamed']],
    ['an unknown id', byId, none, ['UserUnknown']],
    ['an unknown e-mail', byEmail, none, ['EmailUnknown']],
    ['no method', { userId: ADA.id }, some(ADA), ['MethodMissing']],
    ['an empty method', { userId: ADA.id, method: '' }, some(ADA), ['MethodMissing']],
    ...['pwd', 'mfa', 'otp', 'pop', 'FED', 'vouched', 'vouched_fed', 'toString'].map(
      (method) =>
        [
          `the method ${method}`,
          { userId: ADA.id, method },
          some(ADA),
          ['MethodUnknown'] as ReadonlyArray<VouchedSignInProblem>,
        ] as const,
    ),
    ['a malformed label', { ...byId, label: 'a\nb' }, some(ADA), ['LabelMalformed']],
    ['a disabled user', byId, some(DISABLED), ['UserDisabled']],
    ['the e-mail of a disabled user', byEmail, some(DISABLED), ['UserDisabled']],
    [
      'the e-mail of a disabled user, which the application has proved',
      { ...byEmail, emailVerified: true },
      some(DISABLED),
      ['UserDisabled'],
    ],
    ['an e-mail that is not proved', byEmail, some(UNPROVED), ['EmailNotVerified']],
    [
      'all that can be wrong together',
      { email: 'eve@example.com', label: ' ', method: 'x' },
      some(UNPROVED),
      ['LabelMalformed', 'MethodUnknown', 'EmailNotVerified'],
    ],
  ]
  for (const [what, request, found, problems] of WRONG)
    it(`with ${what} is refused with ${problems.join(' and ')}`, () => {
      expect(validate(request, found)).to.deep.equal(left(problems))
    })

  const RIGHT: ReadonlyArray<
    readonly [what: string, request: Partial<VouchedSignInRequest>, user: User, claims: boolean]
  > = [
    ['by id', byId, ADA, false],
    ['by a proved e-mail', byEmail, ADA, false],
    [
      'by a proved e-mail, which the application has proved too',
      { ...byEmail, emailVerified: true },
      ADA,
      false,
    ],
    ['by the id of a user whose e-mail is not proved', byId, UNPROVED, false],
    [
      'by that id, with an e-mail that the application has proved',
      { ...byId, emailVerified: true },
      UNPROVED,
      false,
    ],
    [
      'by an e-mail that only the application has proved',
      { ...byEmail, emailVerified: true },
      UNPROVED,
      true,
    ],
  ]
  for (const [what, request, user, claims] of RIGHT)
    it(`${what} ${claims ? 'claims the account' : 'claims nothing'}`, () => {
      expect(validate(request, some(user))).to.deep.equal(
        right({ label: undefined, user, method: 'vouched_fed', claims }),
      )
    })

  it('needs a proved e-mail in an application that requires one', () => {
    expect(validate(byId, some(UNPROVED), true)).to.deep.equal(left(['EmailNotVerified']))
    for (const [request, user] of [
      [byId, ADA],
      [{ ...byEmail, emailVerified: true }, UNPROVED],
    ] as const)
      expect(validate(request, some(user), true)).to.deep.equal(validate(request, some(user)))
  })

  it('has four methods, which say what the application saw', () => {
    const methods = VOUCHED_METHODS.map((method) => validate({ ...byId, method }, some(ADA)))
    expect(methods.map((one) => (isLeft(one) ? one.left : one.right.method))).to.deep.equal([
      'vouched_fed',
      'vouched_email',
      'vouched_sms',
      'vouched',
    ])
  })

  it('looks up no user whom it does not name once', () => {
    for (const userId of [undefined, ''])
      for (const email of [undefined, '']) expect(namedBy({ userId, email })).to.equal(undefined)
    expect(namedBy({ userId: 'a', email: 'b' })).to.equal(undefined)
    expect(namedBy({ userId: 'a', email: '' })).to.deep.equal({ userId: 'a' })
    expect(namedBy({ userId: undefined, email: 'b' })).to.deep.equal({ email: 'b' })
  })

  it('claims accounts only with the scope for that', () => {
    expect(mayVerifyEmail(['users:vouch', 'users:confirm_email'])).to.equal(true)
    expect(mayVerifyEmail(['users:vouch', 'users:register'])).to.equal(false)
  })

  for (const [problems, reason] of [
    [['UserNotNamed', 'LabelMalformed'], 'missing_field'],
    [['LabelMalformed', 'MethodMissing', 'UserUnknown'], 'missing_field'],
    [['MethodUnknown', 'UserDisabled'], 'missing_field'],
    [['LabelMalformed', 'EmailNotVerified'], 'invalid_label'],
    [['UserUnknown'], 'unknown_user'],
    [['EmailUnknown'], 'unknown_email'],
    [['UserDisabled'], 'user_disabled'],
    [['EmailNotVerified'], 'email_not_verified'],
  ] as const)
    it(`that is refused with ${problems.join(' and ')} is noted as ${reason}`, () => {
      expect(vouchedRefusal(problems)).to.equal(reason)
    })
})
