import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { compose, Dependency, type Module, memoryStore, provide } from '../../adapters/index.ts'
import { findWeakness } from '../../application/passwords/find-weakness.ts'
import type { Overloaded, PasswordCheckUnavailable } from '../../application/ports/failures.ts'
import { type PasswordChangeRequest, passwordChangeCode } from '../../domain/password-change.ts'
import type { PasswordPolicy } from '../../domain/password-policy.ts'
import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { settings } from '../support/settings.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

/** Three code points, the length of Ada's first password. */
const SHORT_NIST: PasswordPolicy = { kind: 'nist', minCodePoints: 3 }

/** A module with observable lookups, which a test can make fail. */
const lookUps = (policy: PasswordPolicy) => {
  const asked: { leaked: Array<string>; estimated: Array<string> } = { leaked: [], estimated: [] }
  const broken: { leaked?: PasswordCheckUnavailable; estimator?: Overloaded } = {}
  const leaked = leakedAre('leaked before', 'ada leaked before')
  const find = findWeakness({
    policy,
    services: ['portcullis', 'auth.example.org'],
    leaked: (password) => {
      asked.leaked.push(password)
      return broken.leaked === undefined ? leaked(password) : TE.left(broken.leaked)
    },
    estimator: {
      estimate: (text) => {
        asked.estimated.push(text)
        return broken.estimator === undefined ? plainEstimator.estimate(text) : TE.left(broken.estimator)
      },
    },
  })
  const module: Module = provide(Dependency.findWeakness, () => find)
  return { asked, broken, module }
}

const WEAK = [
  ['too short', 'ab', 'PasswordTooShort'],
  ['leaked', 'leaked before', 'PasswordLeaked'],
  ['leaked and built from a name', 'ada leaked before', 'PasswordLeaked'],
  ['built from the local part', 'ada', 'PasswordFromNames'],
  ['built from the domain and a common word', 'example password', 'PasswordFromNames'],
  ['built from the name of the service', 'Portcullis1', 'PasswordFromNames'],
  ['built from the host of the service', 'auth.example.org', 'PasswordFromNames'],
  ['common', 'password', 'PasswordCommon'],
  ['a pattern', 'xxxxxxxxxxxxxxxxxxxx', 'PasswordGuessable'],
] as const

describe('a policy, given that Ada@Example.com is registered and signed in', () => {
  let world: World
  let found: ReturnType<typeof lookUps>
  let hashed: number
  let ada: Awaited<ReturnType<World['signIn']>>
  beforeEach(async () => {
    found = lookUps(SHORT_NIST)
    const hasher = plainHasher(async (work) => {
      if (work === 'hash') hashed += 1
      return undefined
    })
    world = await newWorld({ hasher, modules: [found.module] })
    ada = await world.signIn()
    hashed = 0
    found.asked.leaked.splice(0)
    found.asked.estimated.splice(0)
  })

  const change = (request: Partial<PasswordChangeRequest>) =>
    world.service.changePassword(CONTEXT, ada.caller, {
      oldPassword: 'old',
      newPassword: request.newPassword,
      newPasswordCheck: request.newPassword,
      ...request,
    })
  const register = (email: string | undefined, password: string | undefined) =>
    world.service.registerUser(CONTEXT, { email, password }, OPERATOR)
  const set = (password: string) => world.service.setPassword(CONTEXT, { user: 'ada@example.com', password })
  const codesNoted = async () =>
    (await world.settledEvents()).flatMap(({ data }) => ('codes' in data ? [data.codes] : []))

  for (const [what, password, weakness] of WEAK) {
    it(`when a new password is ${what}, then it is ${weakness} in every use case, and never hashed`, async () => {
      const refused = { _tag: 'Invalid', problems: [weakness] }
      const before = await world.events()
      expect(await fail(register('ada@example.net', password))).to.deep.equal(refused)
      expect(await fail(change({ newPassword: password }))).to.deep.equal(refused)
      expect(await fail(set(password))).to.deep.equal(refused)
      expect(await world.events()).to.deep.equal(before)
      expect(hashed).to.equal(0)
      expect(await codesNoted()).to.deep.equal([[passwordChangeCode(weakness)]])
      await succeed(world.service.authenticate(CONTEXT, 'getProfile', ada.token))
      await world.signIn('old')
    })
  }

  it('when it is strong, then every use case accepts it', async () => {
    await succeed(register('ada@example.net', 'nothing wrong'))
    await succeed(change({ newPassword: 'nothing wrong' }))
    await world.signIn('nothing wrong')
    await succeed(set('nothing wrong either'))
    await world.signIn('nothing wrong either')
  })

  it('when it is the old one, then it is accepted: the policy compares it with nothing secret', async () => {
    await succeed(change({ newPassword: 'old' }))
  })

  const WITH_OTHERS: ReadonlyArray<
    readonly [what: string, wrong: Partial<PasswordChangeRequest>, problems: string[], codes: number[]]
  > = [
    ['the old one is missing', { oldPassword: '' }, ['OldPasswordMissing', 'PasswordCommon'], [1, 10]],
    ['the old one is wrong', { oldPassword: 'x' }, ['OldPasswordWrong', 'PasswordCommon'], [4, 10]],
    [
      'the check is missing',
      { newPasswordCheck: '' },
      ['PasswordCommon', 'NewPasswordCheckMissing'],
      [3, 10],
    ],
    ['the check differs', { newPasswordCheck: 'x' }, ['PasswordCommon', 'NewPasswordCheckDiffers'], [5, 10]],
  ]
  for (const [what, wrong, problems, codes] of WITH_OTHERS) {
    it(`when it is weak and ${what}, then both are reported and noted`, async () => {
      expect(await fail(change({ newPassword: 'password', ...wrong }))).to.deep.equal({
        _tag: 'Invalid',
        problems,
      })
      expect(await codesNoted()).to.deep.equal([codes])
    })
  }

  it('when the e-mail is wrong too, then both are reported', async () => {
    for (const [email, problem] of [
      [undefined, 'EmailMissing'],
      ['ada', 'EmailMalformed'],
      ['ADA@example.com', 'EmailTaken'],
    ] as const) {
      const problems = [problem, 'PasswordCommon']
      expect(await fail(register(email, 'password'))).to.deep.equal({ _tag: 'Invalid', problems })
    }
  })

  it('when it is missing, then only that is reported, and nothing is looked up', async () => {
    await fail(change({ newPassword: '' }))
    await fail(register('ada@example.net', undefined))
    await fail(register('ada@example.net', '\ud800'))
    await fail(set(''))
    expect(found.asked).to.deep.equal({ leaked: [], estimated: [] })
  })

  it('when it is too short, then nothing is looked up', async () => {
    await fail(register('ada@example.net', 'ab'))
    expect(found.asked).to.deep.equal({ leaked: [], estimated: [] })
  })

  it('when it contains names, then it is looked up with them and estimated without them', async () => {
    await succeed(register('grace@example.net', 'Grace and others at Portcullis'))
    expect(found.asked).to.deep.equal({
      leaked: ['Grace and others at Portcullis'],
      estimated: [' and others at '],
    })
  })

  it('when the e-mail is unknown, then no password is looked up', async () => {
    await fail(world.service.setPassword(CONTEXT, { user: 'eve@example.com', password: 'nothing wrong' }))
    expect(found.asked).to.deep.equal({ leaked: [], estimated: [] })
  })

  const AWAY: PasswordCheckUnavailable = { _tag: 'PasswordCheckUnavailable', reason: 'the list is away' }
  const BUSY: Overloaded = { _tag: 'Overloaded', retryAfterSeconds: 1 }
  for (const [what, broken] of [
    ['the list cannot be read', { leaked: AWAY }],
    ['the estimator is overloaded', { estimator: BUSY }],
  ] as const) {
    it(`when ${what}, then nothing is accepted, changed or noted as refused`, async () => {
      Object.assign(found.broken, broken)
      const failure = Object.values(broken)[0]
      const before = await world.settledEvents()
      expect(await fail(register('ada@example.net', 'nothing wrong'))).to.deep.equal(failure)
      expect(await fail(change({ newPassword: 'nothing wrong' }))).to.deep.equal(failure)
      expect(await fail(change({ newPassword: 'nothing wrong', oldPassword: 'x' }))).to.deep.equal(failure)
      expect(await fail(set('nothing wrong'))).to.deep.equal(failure)
      expect(await world.settledEvents()).to.deep.equal(before)
      expect(hashed).to.equal(0)
    })
  }
})

describe('the policy of the contract', () => {
  it('accepts every non-empty password without any lookup', async () => {
    const found = lookUps({ kind: 'contract' })
    const world = await newWorld({ modules: [found.module] })
    const { caller } = await world.signIn()
    for (const [index, [, password]] of WEAK.entries()) {
      await succeed(
        world.service.registerUser(CONTEXT, { email: `ada${index}@example.net`, password }, OPERATOR),
      )
    }
    const request = { oldPassword: 'old', newPassword: 'x', newPasswordCheck: 'x' }
    await succeed(world.service.changePassword(CONTEXT, caller, request))
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.email, password: 'password' }))
    expect(found.asked).to.deep.equal({ leaked: [], estimated: [] })
  })
})

describe('a first run under a policy', () => {
  for (const [minCodePoints, digits] of [
    [8, 32],
    [15, 32],
    [33, 34],
    [64, 64],
  ] as const) {
    it(`makes a password of ${digits} digits for a minimum of ${minCodePoints}, and the policy checks it`, async () => {
      const found = lookUps({ kind: 'nist', minCodePoints })
      const service = await compose(
        settings({ PASSWORD_POLICY: 'nist', PASSWORD_MIN_LENGTH: String(minCodePoints) }),
        provide(Dependency.storage, () => ({ store: memoryStore() })),
        provide(Dependency.passwordHasher, () => plainHasher()),
        found.module,
      )
      const made = await succeed(service.firstRun(CONTEXT))
      const password = isSome(made) ? made.value.password : ''
      expect(password).to.match(new RegExp(`^[0-9a-f]{${digits}}$`))
      expect(found.asked).to.deep.equal({ leaked: [password], estimated: [password] })
      await service.stop()
    })
  }
})
