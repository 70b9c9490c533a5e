import { expect } from 'chai'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import { enrolmentFacts } from '../../application/recording/factor-facts.ts'
import { type Fact, toChange } from '../../application/recording/facts.ts'
import { NOTICED_TYPES } from '../../application/recording/notices.ts'
import type { ExtraMailKind, Mail, MailFacts, MailKind } from '../../domain/mail.ts'
import {
  AT,
  AT_SECONDS,
  aFactor,
  anApplication,
  aOneTimeToken,
  aSession,
  aUser,
  changedPassword,
  enrolled,
  registered,
  signedIn,
} from '../testkit/builders.ts'

const EXTRA: ReadonlyArray<ExtraMailKind> = ['welcome', 'new_sign_in']

const changeOf = (
  facts: NonEmptyArray<Fact>,
  given: {
    extra?: ReadonlyArray<ExtraMailKind>
    language?: Option<string>
    mails?: ReadonlyArray<Mail>
  } = {},
) => {
  const { extra = EXTRA, language = none, mails = [] } = given
  return toChange(facts, {
    actor: { kind: 'operator' },
    requestId: undefined,
    atMilliseconds: Date.parse(AT),
    uuid: () => 'new id',
    sha256: (text) => text,
    mail: { notices: { extra }, language, mails },
  })
}

const mailsOf = (...given: Parameters<typeof changeOf>): ReadonlyArray<Mail> => changeOf(...given).mails ?? []

const user = aUser({ id: 'ada', email: 'old@example.com', emailVerified: true })
const of = { userId: user.id }
const application = anApplication()
const factor = aFactor({ ...of, kind: 'passkey' })
const codes = aFactor({ ...of, kind: 'recovery_codes', counter: 9, name: 'a name that a thief chose' })
const waiting = aOneTimeToken({ ...of, purpose: 'sign_in', email: '', expiresAtSeconds: AT_SECONDS + 300 })
const confirming = (email: string) => aOneTimeToken({ ...of, purpose: 'email_confirmation', email })
const password = { record: 'new', scheme: 'tests' }

/** Each fact that causes notices, and what causes none although it looks like one. By default they go to the address before. */
const CASES: ReadonlyArray<
  readonly [what: string, fact: Fact, notices: ReadonlyArray<readonly [MailKind, MailFacts?, string?]>]
> = [
  ['a changed password', changedPassword(user, aSession(of)), [['password_changed']]],
  ['a password that an operator sets', { _tag: 'PasswordSet', user, password }, [['password_changed']]],
  [
    'a recovered password',
    { _tag: 'PasswordRecovered', user, token: aOneTimeToken(of), application, password },
    [['password_recovered']],
  ],
  [
    'another e-mail, which the notice goes not to',
    { _tag: 'EmailConfirmed', user, token: confirming('new@example.com'), application },
    [['email_changed']],
  ],
  [
    'the first confirmation',
    {
      _tag: 'EmailConfirmed',
      user: { ...user, emailVerified: false },
      token: confirming(user.email),
      application,
    },
    [['welcome']],
  ],
  [
    'the first confirmation, of another e-mail',
    {
      _tag: 'EmailConfirmed',
      user: { ...user, emailVerified: false },
      token: confirming('new@example.com'),
      application,
    },
    [['email_changed'], ['welcome', {}, 'new@example.com']],
  ],
  [
    'an e-mail that is confirmed again',
    { _tag: 'EmailConfirmed', user, token: confirming(user.email), application },
    [],
  ],
  [
    'an e-mail that is confirmed in other letter case',
    { _tag: 'EmailConfirmed', user, token: confirming('Old@Example.com'), application },
    [],
  ],
  ['a new factor', enrolled(factor, user), [['factor_added', { factor: 'passkey' }]]],
  [
    'a removed factor',
    { _tag: 'FactorRemoved', user, factor, factors: [factor, codes] },
    [['factor_removed', { factor: 'passkey' }]],
  ],
  ['a reset', { _tag: 'FactorsReset', user, factors: [factor, codes] }, [['factor_removed']]],
  ['a reset without a factor', { _tag: 'FactorsReset', user, factors: [] }, []],
  [
    'new recovery codes',
    { _tag: 'RecoveryCodesGenerated', user, codes },
    [['recovery_codes', { codesLeft: 9, areNew: true }]],
  ],
  [
    'a used recovery code',
    { _tag: 'FactorUsed', user, factor: codes },
    [['recovery_codes', { codesLeft: 9 }]],
  ],
  ['another used factor', { _tag: 'FactorUsed', user, factor }, []],
  ['a removal', { _tag: 'UserRemoved', user, factors: [factor] }, [['account_removed']]],
  ['a removal', { _tag: 'UserRemoved', user, factors: [] }, [['account_removed']]],
  [
    'a password without the second factor',
    { _tag: 'SecondFactorRequested', user, token: waiting },
    [['password_leaked']],
  ],
  [
    'a vouched sign-in without the second factor',
    { _tag: 'SecondFactorRequested', user, token: { ...waiting, first: some('vouched_fed') } },
    [],
  ],
  ['a registration', registered(user), []],
  ['a registration with the link of a mail', { _tag: 'UserRegistered', user, isByLink: true }, [['welcome']]],
  ['a sign-in', signedIn(aSession(of)), []],
  [
    'a sign-in on a page, in a browser that is new',
    {
      _tag: 'UserSignedIn',
      session: aSession({ ...of, label: some('Firefox on Linux') }),
      newDeviceOf: user,
    },
    [['new_sign_in', { device: 'Firefox on Linux' }]],
  ],
  [
    'a sign-in in a new browser that told no name',
    { _tag: 'UserSignedIn', session: aSession({ ...of, label: none }), newDeviceOf: user },
    [['new_sign_in']],
  ],
  ['a disabled user', { _tag: 'UserDisabled', user }, []],
]

describe('the notices of a change', () => {
  for (const [what, fact, expected] of CASES)
    it(`after ${what} (${fact._tag}): ${expected.map(([kind]) => kind).join(', ') || 'none'}`, () => {
      const mails = mailsOf([fact])
      const told = mails.map(({ kind, facts, address }) => [kind, facts, address])
      expect(told).to.deep.equal(
        expected.map(([kind, facts = {}, address = 'old@example.com']) => [kind, facts, address]),
      )
      for (const { userId } of mails) expect(userId).to.deep.equal(some('ada'))
    })

  it('have a case for each fact that causes one', () => {
    const noticed = CASES.filter(([, , notices]) => notices.length > 0).map(([, { _tag }]) => _tag)
    expect(new Set(noticed)).to.deep.equal(new Set(NOTICED_TYPES))
    expect(EVENT_TYPES).to.include.members([...NOTICED_TYPES])
  })

  it('are one for the first factor, with its recovery codes', () => {
    const own = {
      session: aSession(of),
      application,
      methods: 'password totp',
      authenticatedAtSeconds: 0,
    } as const
    const facts = enrolmentFacts({ user, factor, codes, own })
    expect(facts.map(({ _tag }) => _tag)).to.deep.equal([
      'FactorEnrolled',
      'RecoveryCodesGenerated',
      'SessionSteppedUp',
    ])
    expect(mailsOf(facts).map(({ kind }) => kind)).to.deep.equal(['factor_added'])
  })

  it('include a used code beside the password that it recovered', () => {
    const recovered = { user, token: aOneTimeToken(of), application, password }
    const mails = mailsOf([
      { _tag: 'FactorUsed', user, factor: codes },
      { _tag: 'PasswordRecovered', ...recovered },
    ])
    expect(mails.map(({ kind }) => kind)).to.deep.equal(['recovery_codes', 'password_recovered'])
  })

  it('include extra ones only if the settings name them', () => {
    const first = { user: { ...user, emailVerified: false }, token: confirming(user.email), application }
    expect(mailsOf([{ _tag: 'EmailConfirmed', ...first }], { extra: ['new_sign_in'] })).to.deep.equal([])
  })

  const LANGUAGES = [
    ['the user', '{"locale":"de-AT"}', some('fr'), some('de-AT')],
    ['the request, if the user has none', '{"name":"Ada"}', some('fr'), some('fr')],
    ['neither', '', none, none],
  ] as const
  for (const [what, attributes, language, expected] of LANGUAGES)
    it(`that outlive the user have the language of ${what}`, () => {
      const fact: Fact = { _tag: 'UserRemoved', user: { ...user, attributes }, factors: [] }
      expect(mailsOf([fact], { language }).map((mail) => mail.language)).to.deep.equal([expected])
    })

  it('have otherwise the language of the request: the sender reads that of the user, and the service may not know it', () => {
    const french = { ...user, attributes: '{"locale":"fr"}' }
    const mails = mailsOf([changedPassword(french, aSession(of))], { language: some('de') })
    expect(mails.map((mail) => mail.language)).to.deep.equal([some('de')])
  })

  it('are due at once, and expire after 72 hours', () => {
    const [mail] = mailsOf([changedPassword(user, aSession(of))])
    expect(mail).to.include({
      id: 'new id',
      state: 'waiting',
      createdAtSeconds: AT_SECONDS,
      dueAtSeconds: AT_SECONDS,
      expiresAtSeconds: AT_SECONDS + 72 * 3_600,
    })
  })

  it('are due when the sign-in can no longer be completed, and withdrawn by its completion', () => {
    const [mail] = mailsOf([{ _tag: 'SecondFactorRequested', user, token: waiting }])
    expect(mail).to.include({ id: waiting.id, createdAtSeconds: AT_SECONDS, dueAtSeconds: AT_SECONDS + 300 })
    const completed: Fact = { _tag: 'UserSignedIn', session: aSession(of), token: waiting }
    expect(changeOf([completed]).withdrawn).to.deep.equal([waiting.id])
  })

  it('come behind the other mails of the change', () => {
    const [mail] = mailsOf([{ _tag: 'UserRemoved', user, factors: [] }])
    const mails = mail === undefined ? [] : [{ ...mail, id: 'given' }]
    const ids = mailsOf([changedPassword(user, aSession(of))], { mails }).map(({ id }) => id)
    expect(ids).to.deep.equal(['given', 'new id'])
  })

  const withoutMail = (...facts: NonEmptyArray<Fact>) =>
    toChange(facts, {
      actor: { kind: 'operator' },
      requestId: undefined,
      atMilliseconds: 0,
      uuid: () => 'id',
      sha256: (text) => text,
    })

  it('are none without mail, and then a change names no mails at all', () => {
    for (const [, fact] of CASES)
      expect(withoutMail(fact)).to.have.all.keys('id', 'events', 'compared', 'rows')
  })

  it('are withdrawn also without mail: another instance may have written them', () => {
    const completed: Fact = { _tag: 'UserSignedIn', session: aSession(of), token: waiting }
    expect(withoutMail(completed).withdrawn).to.deep.equal([waiting.id])
  })

  it('leave a change without one as it is', () => {
    expect(changeOf([registered(user)])).to.have.all.keys('id', 'events', 'compared', 'rows')
  })
})

describe('what became of a mail', () => {
  const [claimed] = mailsOf([changedPassword(user, aSession(of))])
  const mail = { ...(claimed as Mail), attempts: 2, claim: some('claim-1') }
  const failed = { code: '550', keptUntilSeconds: 9 }

  it('takes the mail from its sender in the same change', () => {
    const settledBy = (fact: Fact) => changeOf([fact]).settled
    expect(settledBy({ _tag: 'MailSent', mail, ...of })).to.deep.equal([{ id: 'new id', claim: 'claim-1' }])
    expect(settledBy({ _tag: 'MailFailed', mail, failed, ...of })).to.deep.equal([
      { id: 'new id', claim: 'claim-1', failed },
    ])
  })

  it('has neither an address nor a row in the log', () => {
    const change = changeOf([{ _tag: 'MailFailed', mail, failed, ...of }])
    expect(JSON.stringify(change.events)).not.to.contain('example.com')
    expect(change.rows).to.deep.equal([])
  })
})
