import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { isSome, none } from 'fp-ts/lib/Option.js'
import { compose, composeOperations, Dependency, type Operations, provide } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { Store } from '../../application/ports/store.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { settings } from '../support/settings.ts'
import { refusingHasher } from './fakes.ts'
import { allEvents, CONTEXT, FULL } from './world.ts'

const operationsOn = (store: Store, hasher: PasswordHasher = plainHasher()): Promise<Operations> =>
  composeOperations(
    settings(),
    provide(Dependency.storage, () => ({ store: store })),
    provide(Dependency.passwordHasher, () => hasher),
  )

const types = async (store: Store) => (await allEvents(store)).map(({ type }) => type)

const BOTH = ['ApplicationRegistered', 'UserRegistered']

describe('firstRun, given an empty store', () => {
  it('when it runs, then there is an application with the default scopes and a user, and their secrets work', async () => {
    const service = await compose(
      settings(),
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
    const made = await succeed(service.firstRun(CONTEXT))
    if (!isSome(made)) throw new Error('nothing was made')
    const { publicApiKey, privateApiKey, email, password } = made.value
    expect(made.value).to.have.all.keys('publicApiKey', 'privateApiKey', 'email', 'password')
    expect(email).to.equal('owner@example.com')
    expect(password).to.match(/^[0-9a-f]{32}$/)

    const { token } = await succeed(service.issueApplicationToken(CONTEXT, { publicApiKey, privateApiKey }))
    const caller = await succeed(service.authenticate(CONTEXT, 'signIn', token))
    expect(caller.scope).to.deep.equal(['users:sign_in', 'users:register'])
    await succeed(service.signIn(CONTEXT, caller, { email, password }))
  })

  it('when it runs, then both registrations are logged for an operator, without a secret', async () => {
    const store = memoryStore()
    const made = await succeed((await operationsOn(store)).firstRun(CONTEXT))
    expect(await types(store)).to.deep.equal(BOTH)
    const events = await allEvents(store)
    expect(events.map(({ actor }) => actor)).to.deep.equal([{ kind: 'operator' }, { kind: 'operator' }])
    if (!isSome(made)) throw new Error('nothing was made')
    for (const secret of [made.value.privateApiKey, made.value.password, made.value.email]) {
      expect(JSON.stringify(events)).to.not.include(secret)
    }
  })

  it('when two of them run on other stores, then the secrets differ', async () => {
    const [one, other] = await Promise.all(
      [memoryStore(), memoryStore()].map(async (store) =>
        succeed((await operationsOn(store)).firstRun(CONTEXT)),
      ),
    )
    if (one === undefined || other === undefined || !isSome(one) || !isSome(other))
      throw new Error('not made')
    expect(one.value.password).to.not.equal(other.value.password)
    expect(one.value.privateApiKey).to.not.equal(other.value.privateApiKey)
  })

  it('when a user was imported, then nothing is created', async () => {
    const store = memoryStore()
    const operations = await operationsOn(store)
    const record = `$2b$04$${'.'.repeat(53)}`
    await succeed(operations.importUsers(CONTEXT, [{ email: 'ada@example.com', password_hash: record }]))
    expect(await succeed(operations.firstRun(CONTEXT))).to.deep.equal(none)
    expect(await types(store)).to.deep.equal(['UserImported'])
  })

  it('when it runs again, then nothing is created', async () => {
    const store = memoryStore()
    const operations = await operationsOn(store)
    await succeed(operations.firstRun(CONTEXT))
    expect(await succeed(operations.firstRun(CONTEXT))).to.deep.equal(none)
    expect(await types(store)).to.deep.equal(BOTH)
  })

  it('when ten processes run it concurrently, then one creates both and the others nothing', async () => {
    const store = memoryStore()
    const processes = await Promise.all(Array.from({ length: 10 }, () => operationsOn(store)))
    const made = await Promise.all(processes.map(({ firstRun }) => succeed(firstRun(CONTEXT))))
    expect(made.filter(isSome)).to.have.lengthOf(1)
    expect(await types(store)).to.deep.equal(BOTH)
  })

  it('when the store takes no change, then neither is created', async () => {
    const store = memoryStore()
    const full = await operationsOn({ ...store, commit: () => async () => left(FULL) })
    expect(await fail(full.firstRun(CONTEXT))).to.deep.equal(FULL)
    expect(await types(store)).to.deep.equal([])
  })

  it('when the hasher is overloaded, then neither is created', async () => {
    const store = memoryStore()
    const hasher = refusingHasher({ _tag: 'Overloaded', retryAfterSeconds: 7 })
    hasher.refusing = true
    const operations = await operationsOn(store, hasher)
    expect(await fail(operations.firstRun(CONTEXT))).to.deep.equal({
      _tag: 'Overloaded',
      retryAfterSeconds: 7,
    })
    expect(await types(store)).to.deep.equal([])
  })
})

describe('firstRun, given a store that was used', () => {
  const USED: ReadonlyArray<readonly [what: string, use: (operations: Operations) => Promise<unknown>]> = [
    [
      'an application',
      ({ registerApplication }) =>
        succeed(registerApplication(CONTEXT, { name: 'shop', scope: 'users:sign_in' })),
    ],
    [
      'a user',
      ({ registerUser }) =>
        succeed(registerUser(CONTEXT, { email: 'ada@example.com', password: 'p' }, OPERATOR)),
    ],
  ]
  for (const [what, use] of USED) {
    it(`when ${what} exists, then nothing is created`, async () => {
      const store = memoryStore()
      const operations = await operationsOn(store)
      await use(operations)
      expect(await succeed(operations.firstRun(CONTEXT))).to.deep.equal(none)
      expect(await types(store)).to.have.lengthOf(1)
    })
  }
})
