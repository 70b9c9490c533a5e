import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { composeOperations, Dependency, memoryStore, provide } from '../../adapters/index.ts'
import { findWeakness } from '../../application/accounts/find-weakness.ts'
import type { PasswordRule } from '../../application/ports/password-rule.ts'
import type { PasswordPolicy } from '../../domain/password-policy.ts'
import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
import { fail, succeed } from '../support/outcome.ts'
import { BROKEN_RULES, ruleAgainst, UNAVAILABLE_RULE } from '../support/password-rules.ts'
import { settings } from '../support/settings.ts'
import { CONTEXT } from './world.ts'

const CONTRACT: PasswordPolicy = { kind: 'contract' }
const NIST: PasswordPolicy = { kind: 'nist', minCodePoints: 8 }

const finding = (policy: PasswordPolicy, ...rules: ReadonlyArray<PasswordRule>) =>
  findWeakness({ policy, services: [], leaked: leakedAre('leaked shop'), estimator: plainEstimator, rules })

describe('the rules of a program for new passwords', () => {
  const RULES = [ruleAgainst('shop'), ruleAgainst('tea')]
  const CASES: ReadonlyArray<readonly [what: string, password: string, contract: string, nist: string]> = [
    ['no rule refuses it', 'something else', '', ''],
    ['the first refuses it', 'in a shop ab', 'PasswordRule1', 'PasswordRule1'],
    ['the second refuses it', 'cup of tea ab', 'PasswordRule2', 'PasswordRule2'],
    ['both refuse it', 'tea in a shop', 'PasswordRule1', 'PasswordRule1'],
    ['the policy refuses it for its length', 'a shop', 'PasswordRule1', 'PasswordTooShort'],
    ['the policy refuses it as leaked', 'leaked shop', 'PasswordRule1', 'PasswordLeaked'],
  ]
  for (const [what, password, contract, nist] of CASES)
    it(`report the first weakness, if ${what}`, async () => {
      for (const [policy, weakness] of [
        [CONTRACT, contract],
        [NIST, nist],
      ] as const)
        expect(await succeed(finding(policy, ...RULES)(password, undefined))).to.deep.equal(
          weakness === '' ? none : some(weakness),
        )
    })

  it('are asked in their order with password and e-mail, until one refuses', async () => {
    const asked: Array<unknown> = []
    const find = finding(
      CONTRACT,
      ruleAgainst('x', asked),
      ruleAgainst('tea', asked),
      ruleAgainst('z', asked),
    )
    await succeed(find('tea', 'a@b.c'))
    await succeed(find('tea', undefined))
    const [known, unknown] = [{ email: 'a@b.c' }, { email: undefined }]
    expect(asked).to.deep.equal([
      ['tea', known],
      ['tea', known],
      ['tea', unknown],
      ['tea', unknown],
    ])
  })

  it('are not asked about a password that is missing, or that the policy refuses', async () => {
    const asked: Array<unknown> = []
    const find = finding(NIST, ruleAgainst('x', asked))
    for (const password of [undefined, '', 'short', 'passwordpassword'])
      await succeed(find(password, 'a@b.c'))
    expect(asked).to.deep.equal([])
  })

  it('fail if one is unavailable, unless one before it refuses', async () => {
    const find = finding(CONTRACT, ruleAgainst('tea'), UNAVAILABLE_RULE)
    const away = { _tag: 'PasswordCheckUnavailable', reason: 'the list is away' }
    expect(await fail(find('x', undefined))).to.deep.equal(away)
    expect(await succeed(find('tea', undefined))).to.deep.equal(some('PasswordRule1'))
  })

  for (const [what, rule] of Object.entries(BROKEN_RULES))
    it(`are unavailable if one ${what}, without its text`, async () => {
      const broken = { _tag: 'PasswordCheckUnavailable', reason: 'password rule 2 threw an error' }
      expect(await fail(finding(CONTRACT, ruleAgainst('x'), rule)('secret', undefined))).to.deep.equal(broken)
    })

  it('make each present password expensive, so that attempts count', () => {
    expect(finding(CONTRACT).isExpensive('x')).to.equal(false)
    expect(finding(CONTRACT, ruleAgainst('x')).isExpensive('x')).to.equal(true)
    expect(finding(CONTRACT, ruleAgainst('x')).isExpensive('')).to.equal(false)
  })

  it('stop a first run whose password they refuse, and nothing is made', async () => {
    const store = memoryStore()
    const everything: PasswordRule = { name: 'all', refusal: 'is not liked.', refuses: () => TE.right(true) }
    const operations = await composeOperations(
      settings(),
      provide(Dependency.storage, () => ({ store })),
      provide(Dependency.passwordRules, () => [everything]),
    )
    expect(await fail(operations.firstRun(CONTEXT))).to.deep.equal({
      _tag: 'PasswordCheckUnavailable',
      reason: 'a password rule refuses the password of a first run',
    })
    expect(await succeed(store.readEvents({ after: 0, limit: 9 }))).to.deep.equal([])
  })
})
