import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, Dependency, provide, type Service } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import type { User } from '../../domain/user.ts'
import { eventsOf } from '../support/events.ts'
import { foreignRecords } from '../support/foreign-records.ts'
import { lastingStore } from '../support/lasting-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { settings } from '../support/settings.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { CONTEXT } from './world.ts'

describe('sign-ins at services of one store, with the real hasher', () => {
  let store: Store
  beforeEach(() => {
    store = lastingStore()
  })

  /** Starts a service with these settings for `use`, and stops it together with its background work. */
  const on = async <A>(
    environment: Environment,
    use: (service: Service, signIn: (email: string, password: string) => Promise<boolean>) => Promise<A>,
  ): Promise<A> => {
    const service = await compose(
      settings(environment),
      provide(Dependency.storage, () => ({ store })),
    )
    const request = { name: 'shop', scope: 'users:sign_in' }
    const shop = await succeed(service.registerApplication(CONTEXT, request))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, shop))
    const caller = await succeed(service.authenticate(CONTEXT, 'signIn', token))
    const signIn = async (email: string, password: string) =>
      (await service.signIn(CONTEXT, caller, { email, password })())._tag === 'Right'
    try {
      return await use(service, signIn)
    } finally {
      await service.stop()
    }
  }
  const userOf = async (email: string): Promise<User> => {
    const found = await succeed(store.findUserByEmail(email))
    if (found._tag === 'None') throw new Error(email)
    return found.value
  }
  const rehashes = async () => (await eventsOf(store, 'PasswordRehashed')).length

  it('give the record the cost and the pepper of the settings, and match no password without its pepper', async () => {
    const ada = { email: 'ada@example.com', password: 'correct horse' }
    await on({}, (service) => succeed(service.registerUser(CONTEXT, ada, OPERATOR)))
    const [OLD, NEW] = [`old:${'o'.repeat(32)}`, `new:${'n'.repeat(32)}`]
    const higher = { SCRYPT_LOG_N: '3' }
    for (const [environment, matches, pepper, count] of [
      [{}, true, '', 0],
      [higher, true, '', 1],
      [{}, true, '', 1], // the current cost is lower
      [{ ...higher, PASSWORD_PEPPER: OLD }, true, 'old', 2],
      [{ ...higher, PASSWORD_PEPPER: NEW }, false, 'old', 2],
      [{ ...higher, PASSWORD_PEPPER: `old:${'x'.repeat(32)}` }, false, 'old', 2],
      [{ ...higher, PASSWORD_PEPPER: `${NEW} ${OLD}` }, true, 'new', 3],
      [{ ...higher, PASSWORD_PEPPER: NEW }, true, 'new', 3],
    ] as const) {
      const what = JSON.stringify(environment)
      expect(await on(environment, (_, signIn) => signIn(ada.email, ada.password)), what).to.equal(matches)
      const [, id, record = ''] = (await userOf(ada.email)).passwordRecord.split('$')
      expect([id, await rehashes()], what).to.deep.equal([pepper, count])
      expect(Buffer.from(record, 'base64')[7], what).to.equal(count === 0 ? 1 : 3)
    }
  })

  it('replace each record of another system, unless another password could fit it too', async () => {
    const password = 'Zoë’s correct horse'
    const long = `${'é'.repeat(36)} the real ending` // bcrypt reads 72 bytes
    const users = (await foreignRecords(password)).map(({ record, scheme }) =>
      aUser({ passwordRecord: record, passwordScheme: scheme }),
    )
    const [bcrypt] = await foreignRecords(long)
    if (bcrypt === undefined) throw new Error('no record')
    const kept = aUser({ passwordRecord: bcrypt.record, passwordScheme: bcrypt.scheme })
    await commitAll(store, ...[...users, kept].map((user) => change(registered(user))))
    for (const { email, passwordScheme } of users)
      await on({}, async (_, signIn) => {
        expect(await signIn(email, `${password}\0`), passwordScheme).to.equal(false)
        expect(await signIn(email, password), passwordScheme).to.equal(true)
      })
    await on({}, async (_, signIn) => {
      for (const ending of [long, `${'é'.repeat(36)} a mistyped ending`, 'é'.repeat(36)])
        expect(await signIn(kept.email, ending)).to.equal(true)
      for (const { email } of users) {
        const user = await userOf(email)
        expect([user.passwordRecord.slice(0, 3), user.passwordScheme.slice(0, 7)]).to.deep.equal([
          '1$$',
          'scrypt ',
        ])
        expect([await signIn(email, password), await signIn(email, 'wrong')]).to.deep.equal([true, false])
      }
    })
    expect((await userOf(kept.email)).passwordRecord).to.equal(bcrypt.record)
    expect(await rehashes()).to.equal(users.length)
  })
})
