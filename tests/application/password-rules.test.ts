import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { composeOperations, Dependency, memoryStore, provide } from '../../adapters/index.ts'
import { findWeakness } from '../../application/passwords/find-weakness.ts'
import {
  asPorts,
  type PasswordRule as PlainRule,
  withRules,
} from '../../application/passwords/password-rules.ts'
import type { PasswordRule } from '../../application/ports/password-rule.ts'
import type { PasswordPolicy } from '../../domain/password-policy.ts'
import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
import { fail, succeed } from '../support/outcome.ts'
import { ruleAgainst, UNAVAILABLE_RULE } from '../support/password-rules.ts'
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

describe('a rule of a program', () => {
  const SECRET = 'refused7Secret'
  const isRefused = (password: string): boolean => password === SECRET
  const wrong = (answer: unknown) => answer as boolean
  const fails = (password: string) => {
    throw new Error(`cannot check ${password}`)
  }
  const THREW = 'password rule 2 threw an error'
  const NEITHER = 'password rule 2 answered neither true nor false'

  /** What a rule may answer, and what becomes of a password that it refuses. A reason never contains the password. */
  const ANSWERS: ReadonlyArray<readonly [what: string, refuses: PlainRule['refuses'], outcome: string]> = [
    ['returns a boolean', isRefused, 'refused'],
    ['returns a promise', async (password) => isRefused(password), 'refused'],
    ['returns a task', (password) => TE.right(isRefused(password)), 'refused'],
    ['accepts with false', () => false, 'accepted'],
    ['accepts with a promise', () => Promise.resolve(false), 'accepted'],
    [
      'is unavailable',
      () => TE.left({ _tag: 'PasswordCheckUnavailable', reason: 'the list is away' }),
      'the list is away',
    ],
    ['throws', fails, THREW],
    ['rejects', (password) => Promise.reject(new Error(`cannot check ${password}`)), THREW],
    ['throws in its task', (password) => () => fails(password), THREW],
    ['returns nothing', () => wrong(undefined), NEITHER],
    ['returns a text', () => wrong('no'), NEITHER],
    ['resolves to nothing', async () => wrong(undefined), NEITHER],
    ['resolves to a task', async () => wrong(TE.right(false)), NEITHER],
    ['has a task of a boolean', () => wrong(async () => true), NEITHER],
    ['has a task of nothing', () => wrong(async () => undefined), THREW],
  ]
  for (const [what, refuses, outcome] of ANSWERS)
    it(`that ${what}: ${outcome}`, async () => {
      const rule = { name: 'own', refusal: 'is refused.', refuses }
      const found = await finding(CONTRACT, ...asPorts([ruleAgainst('x'), rule]))(SECRET, undefined)()
      expect(
        found._tag === 'Left'
          ? 'reason' in found.left && found.left.reason
          : found.right._tag === 'Some'
            ? 'refused'
            : 'accepted',
      ).to.equal(outcome)
    })

  it('keeps its own state: it is called as a method', async () => {
    class Rule implements PlainRule {
      readonly name = 'known'
      readonly refusal = 'is known.'
      readonly #known = [SECRET]
      refuses(password: string) {
        return this.#known.includes(password)
      }
    }
    const find = finding(CONTRACT, ...asPorts([new Rule()]))
    expect(await succeed(find(SECRET, undefined))).to.deep.equal(some('PasswordRule1'))
    expect(await succeed(find('another', undefined))).to.deep.equal(none)
  })

  const named = (...names: ReadonlyArray<unknown>) =>
    withRules(
      CONTRACT,
      names.map((name) => ({ name: name as string, refusal: 'is refused.' })),
    )

  it('has a name of letters, digits and hyphens', () => {
    const names = ['a', 'company-name', 'rule2', 'a'.repeat(64)]
    expect(named(...names)).to.deep.equal(
      right({ ...CONTRACT, rules: names.map((name) => ({ name, refusal: 'is refused.' })) }),
    )
    for (const name of [undefined, null, 7, '', 'Company', '2nd', '-a', 'two words', 'naïve', 'a'.repeat(65)])
      expect(named('first', name)).to.deep.equal(
        left(
          `Password rule 2 must have a name of 1 to 64 characters of a-z, 0-9 and "-" that begins with a letter, got ${JSON.stringify(name)}.`,
        ),
      )
  })

  it('stops the start if another rule has its name', async () => {
    const started = composeOperations(
      settings(),
      provide(Dependency.storage, () => ({ store: memoryStore() })),
      provide(Dependency.passwordRules, () =>
        ['one', 'two', 'one'].map((name) => ({ ...UNAVAILABLE_RULE, name })),
      ),
    )
    expect(
      await started.then(
        () => 'started',
        ({ message }: Error) => message,
      ),
    ).to.equal('Password rules 1 and 3 have the same name "one". Give each rule its own name.')
  })
})
