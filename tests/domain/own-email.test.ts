import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { type OwnEmailProblem, type OwnEmailRequest, validateOwnEmail } from '../../domain/own-email.ts'
import { validateRecoveryMail } from '../../domain/recovery.ts'
import { aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

const ADA = aUser({ email: 'Ada@Example.com' })
const NO_PASSWORD = { ...ADA, passwordRecord: '', passwordScheme: '' }
const OTHER = 'grace@example.com'
const URL = 'https://shop.example/back'
const NOTHING = { email: undefined, password: undefined, language: undefined, returnTo: undefined }

describe('a mail to the own e-mail', () => {
  withoutIo()
  const validate = (request: Partial<OwnEmailRequest>, user = ADA, passwordMatches = false) =>
    validateOwnEmail({ ...NOTHING, ...request }, { user, returnUrls: [URL], passwordMatches })

  const WRONG: ReadonlyArray<
    readonly [what: string, request: Partial<OwnEmailRequest>, problems: ReadonlyArray<OwnEmailProblem>]
  > = [
    ['another e-mail and no password', { email: OTHER }, ['PasswordMissing']],
    ['another e-mail and an empty password', { email: OTHER, password: '' }, ['PasswordMissing']],
    ['the e-mail in another case', { email: 'ada@example.com' }, ['PasswordMissing']],
    ['another e-mail and a wrong password', { email: OTHER, password: 'p' }, ['PasswordWrong']],
    ['a malformed e-mail', { email: 'grace', password: 'p' }, ['EmailMalformed', 'PasswordWrong']],
    ['a malformed language', { language: 'de_AT' }, ['LanguageMalformed']],
    ['a URL of no application', { returnTo: `${URL}/x` }, ['ReturnToUnknown']],
    [
      'nothing right',
      { email: 'grace', language: 'German', returnTo: 'x' },
      ['EmailMalformed', 'PasswordMissing', 'LanguageMalformed', 'ReturnToUnknown'],
    ],
  ]
  for (const [what, request, problems] of WRONG)
    it(`with ${what} has the problems ${problems.join(', ')}`, () => {
      expect(validate(request)).to.deep.equal(left(problems))
    })

  const ON_RECORD = { email: ADA.email, language: none, returnTo: none }
  for (const [what, request, user, matches, outcome] of [
    ['nothing', {}, ADA, false, ON_RECORD],
    ['empty fields', { email: '', language: '', returnTo: '' }, ADA, false, ON_RECORD],
    ['the e-mail on record and a wrong password', { email: ADA.email, password: 'p' }, ADA, false, ON_RECORD],
    [
      'another e-mail and the password',
      { email: OTHER, password: 'p' },
      ADA,
      true,
      { ...ON_RECORD, email: OTHER },
    ],
    [
      'another e-mail of a user without a password',
      { email: OTHER },
      NO_PASSWORD,
      false,
      { ...ON_RECORD, email: OTHER },
    ],
    [
      'a language and a URL',
      { language: 'de-AT', returnTo: `${URL}?a=b` },
      ADA,
      false,
      { ...ON_RECORD, language: some('de-AT'), returnTo: some(`${URL}?a=b`) },
    ],
  ] as const)
    it(`with ${what} is valid`, () => {
      expect(validate(request, user, matches)).to.deep.equal(right(outcome))
    })
})

describe('a recovery mail', () => {
  withoutIo()
  const REQUEST = { email: 'no e-mail', language: undefined, returnTo: undefined }

  it('takes every e-mail', () => {
    expect(validateRecoveryMail(REQUEST, [])).to.deep.equal(
      right({ email: 'no e-mail', language: none, returnTo: none }),
    )
  })

  for (const [what, request, problems] of [
    ['no e-mail', { email: '' }, ['EmailMissing']],
    ['a malformed language', { language: 'deutsch' }, ['LanguageMalformed']],
    ['a URL of another application', { returnTo: 'https://evil.example/back' }, ['ReturnToUnknown']],
  ] as const)
    it(`with ${what} has the problem ${problems.join()}`, () => {
      expect(validateRecoveryMail({ ...REQUEST, ...request }, [URL])).to.deep.equal(left(problems))
    })
})
