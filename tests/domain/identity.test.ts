import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { type Factor, type FactorFacts, MAX_IDENTITIES, removedFactor } from '../../domain/factor.ts'
import {
  type IdentityFacts,
  identityId,
  identityMaterial,
  judgeIdentity,
  validateIdentityLink,
  validateIdentityLinkStart,
  validateIdentitySignIn,
  validateIdentityStart,
} from '../../domain/identity.ts'
import type { User, UserStatus } from '../../domain/user.ts'
import { aFactor, aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

const ISSUER = 'https://accounts.google.com'
const EMAIL = 'ada@lovelace.example'
const ADA = aUser({ id: 'ada', email: EMAIL, emailVerified: true })
const UNVERIFIED = { ...ADA, emailVerified: false }

const identity = (userId: string, subject = '1', issuer = ISSUER): Factor =>
  aFactor({
    id: subject,
    userId,
    kind: 'identity',
    name: 'Google',
    mark: 0,
    material: identityMaterial({ issuer, subject }),
  })
const linkedTo = (user: User, factor = identity(user.id)): Option<FactorFacts> => some({ factor, user })
const withStatus = (status: UserStatus): User => ({ ...ADA, status })

const TOTP = aFactor({ id: 't', userId: 'ada' })
const CODES = aFactor({ id: 'c', userId: 'ada', kind: 'recovery_codes', counter: 10 })
const SIGN_IN = right({ kind: 'sign_in', user: ADA, factor: identity('ada') })
const LINK = right({ kind: 'link', user: ADA })

const owner = (user: User, ...factors: ReadonlyArray<Factor>): IdentityFacts['owner'] =>
  some({ user, factors })

const facts = (given: Partial<IdentityFacts>): IdentityFacts => ({
  linked: none,
  email: some(EMAIL),
  issuer: ISSUER,
  owner: none,
  mayRegister: true,
  ...given,
})

/** What an identity signs in to, by whom it is linked to, what its provider vouches for, and who has that e-mail. */
const ROWS: ReadonlyArray<readonly [what: string, Partial<IdentityFacts>, decision: unknown]> = [
  ['a linked identity signs its user in', { linked: linkedTo(ADA) }, SIGN_IN],
  [
    'whatever e-mail it has by now',
    { linked: linkedTo(ADA), email: some('other@lovelace.example') },
    SIGN_IN,
  ],
  [
    'also if another user has that e-mail',
    { linked: linkedTo(ADA), owner: owner({ ...ADA, id: 'eve' }) },
    SIGN_IN,
  ],
  ['also without an e-mail', { linked: linkedTo(ADA), email: none }, SIGN_IN],
  [
    'a linked identity of a disabled user does not',
    { linked: linkedTo(withStatus('disabled')) },
    left('UserDisabled'),
  ],
  [
    'a removed link does not come back by itself',
    { linked: linkedTo(ADA, removedFactor(identity('ada'))), owner: owner(ADA) },
    left('LinkFirst'),
  ],
  [
    'a removed user frees its identity for a new one',
    { linked: linkedTo(withStatus('removed'), removedFactor(identity('ada'))) },
    right({ kind: 'register', email: EMAIL }),
  ],
  [
    'and for another user with that e-mail',
    {
      linked: linkedTo({ ...withStatus('removed'), id: 'old' }, removedFactor(identity('old'))),
      owner: owner(ADA),
    },
    LINK,
  ],
  [
    'an e-mail for which the provider does not vouch links nothing',
    { email: none },
    left('EmailNotVouchedFor'),
  ],
  ['an e-mail that nobody has makes a new user', {}, right({ kind: 'register', email: EMAIL })],
  ['but not where registration is off', { mayRegister: false }, left('RegistrationOff')],
  ['an e-mail that both sides have verified links the identity', { owner: owner(ADA) }, LINK],
  ['also where registration is off', { owner: owner(ADA), mayRegister: false }, LINK],
  [
    'not to an account that a stranger may have registered first',
    { owner: owner(UNVERIFIED) },
    left('LinkFirst'),
  ],
  ['not beside a second factor, which it would replace', { owner: owner(ADA, TOTP) }, left('LinkFirst')],
  ['recovery codes alone are no second factor', { owner: owner(ADA, CODES) }, LINK],
  ['not to a disabled user', { owner: owner(withStatus('disabled')) }, left('UserDisabled')],
  [
    'not beside another identity of its provider, which may have given the address to another person',
    { owner: owner(ADA, identity('ada', '2')) },
    left('LinkFirst'),
  ],
  [
    'an identity of another provider is no obstacle',
    { owner: owner(ADA, identity('ada', '2', 'https://accounts.google.com.example')) },
    LINK,
  ],
  [
    'not beyond the greatest number of identities',
    {
      owner: owner(
        ADA,
        ...Array.from({ length: MAX_IDENTITIES }, (_, at) =>
          identity('ada', String(at), `https://${at}.example`),
        ),
      ),
    },
    left('LinkFirst'),
  ],
]

describe('a sign-in with an identity', () => {
  withoutIo()

  for (const [what, given, decision] of ROWS)
    it(what, () => {
      expect(judgeIdentity(facts(given))).to.deep.equal(decision)
    })

  it('needs an answer to a transaction, and a label that can be one', () => {
    const good = { answer: '?code=1', label: undefined }
    expect(validateIdentitySignIn(good, some('begun'))).to.deep.equal(
      right({ answer: '?code=1', begun: 'begun' }),
    )
    expect(validateIdentitySignIn({ answer: '', label: 'a\nb' }, none)).to.deep.equal(
      left(['TransactionEnded', 'AnswerMissing', 'LabelMalformed']),
    )
  })

  it('starts at a known provider, and comes back to a redirect URI of the application', () => {
    const client = { redirectUris: ['https://shop.example/back'], clientKind: 'confidential' } as const
    const known = { providers: [{ name: 'google' }], client }
    expect(
      validateIdentityStart({ provider: 'google', redirectUri: 'https://shop.example/back' }, known),
    ).to.deep.equal(right({ provider: { name: 'google' }, redirectUri: 'https://shop.example/back' }))
    for (const [provider, redirectUri] of [
      ['Google', 'https://shop.example/back/'],
      [undefined, undefined],
      ['', 'https://shop.example'],
    ])
      expect(validateIdentityStart({ provider, redirectUri }, known)).to.deep.equal(
        left(['ProviderUnknown', 'RedirectUriUnknown']),
      )
  })
})

describe('the link of an identity', () => {
  withoutIo()

  it('is started by a user with a confirmed e-mail and room for it', () => {
    const full = Array.from({ length: MAX_IDENTITIES }, (_, at) => identity('ada', String(at)))
    expect(validateIdentityLinkStart({ user: ADA, factors: full.slice(1) })).to.deep.equal(right(ADA))
    expect(validateIdentityLinkStart({ user: UNVERIFIED, factors: [] })).to.deep.equal(
      left(['OwnEmailNotVerified']),
    )
    expect(validateIdentityLinkStart({ user: ADA, factors: full })).to.deep.equal(left(['TooManyIdentities']))
  })

  const own = { user: ADA, factors: [TOTP] }
  const eve = { ...ADA, id: 'eve' }
  for (const [what, linked, outcome] of [
    ['which nobody has, is made', none, right(ADA)],
    ['which the user had before, is made again', linkedTo(ADA, removedFactor(identity('ada'))), right(ADA)],
    ['which another user had before, is made', linkedTo(eve, removedFactor(identity('eve'))), right(ADA)],
    ['which another user has, is refused', linkedTo(eve), left(['IdentityTaken'])],
    [
      'which a disabled user has, is refused',
      linkedTo({ ...eve, status: 'disabled' }),
      left(['IdentityTaken']),
    ],
    ['which the user has, is refused', linkedTo(ADA), left(['IdentityTaken'])],
  ] as const)
    it(`${what}`, () => {
      expect(validateIdentityLink(own, linked)).to.deep.equal(outcome)
    })
})

describe('the id of an identity', () => {
  withoutIo()

  it('follows from a text in which issuer and subject cannot be confused', () => {
    const texts = [
      { issuer: 'a', subject: 'b","c' },
      { issuer: 'a","b', subject: 'c' },
      { issuer: 'a', subject: '\ud800' },
      { issuer: 'a', subject: '\udfff' },
    ].map(identityMaterial)
    expect(new Set(texts).size).to.equal(4)
    for (const text of texts) expect(text.isWellFormed()).to.equal(true)
  })

  it('is a UUID of version 8', () => {
    expect(identityId('02919258e8ac1f4991f8ecd728587239462783b95a9ef4a7af258f5dca559457')).to.equal(
      '02919258-e8ac-8f49-91f8-ecd728587239',
    )
  })
})
