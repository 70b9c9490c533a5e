import { expect } from 'chai'
import { scryptPasswordHasher } from '../../adapters/credentials/scrypt/password-hasher.ts'
import type { Store } from '../../application/ports/store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { allEvents, CONTEXT, newWorld, type World } from './world.ts'

/** Texts that some databases cannot hold, alone and inside otherwise valid texts. */
const ODD = ['\0', '\ud800', '\udc00x'].flatMap((odd) => [
  odd,
  `ada${odd}`,
  `ada${odd}@example.com`,
  `1${odd}`,
])

/** Calls everything that takes a text from a client or an operator. The outcome does not matter here. */
const askEverything = async ({ service, caller, shop, signIn }: World, odd: string): Promise<void> => {
  const ada = (await signIn('old')).caller
  const asked = [
    service.registerUser(CONTEXT, { email: odd, password: odd }, OPERATOR),
    service.registerUser(CONTEXT, { email: `${odd.length}@example.com`, password: odd }, OPERATOR),
    service.registerApplication(CONTEXT, { name: odd, scope: 'users:register' }),
    service.registerApplication(CONTEXT, { name: 'shop', scope: `users:register ${odd}` }),
    service.signIn(CONTEXT, caller, { email: odd, password: odd }),
    service.signIn(CONTEXT, caller, { email: 'Ada@Example.com', password: odd }),
    service.changePassword(CONTEXT, ada, { oldPassword: odd, newPassword: odd, newPasswordCheck: odd }),
    service.changePassword(CONTEXT, ada, { oldPassword: 'old', newPassword: odd, newPasswordCheck: odd }),
    service.setPassword(CONTEXT, { user: odd, password: odd }),
    service.setPassword(CONTEXT, { user: 'Ada@Example.com', password: odd }),
    service.disableUser(CONTEXT, odd),
    service.removeUser(CONTEXT, odd),
    service.issueApplicationToken(CONTEXT, { publicApiKey: odd, privateApiKey: odd }),
    service.issueApplicationToken(CONTEXT, { ...shop, publicApiKey: `pk_${odd}` }),
    service.rotateApplicationKey(CONTEXT, { id: odd, overlapSeconds: 60 }),
    service.revokeApplication(CONTEXT, odd),
    service.authenticate(CONTEXT, 'signIn', odd),
  ]
  for (const task of asked) await task()
  await succeed(service.setPassword(CONTEXT, { user: 'Ada@Example.com', password: 'old' }))
}

describe('every text that the service passes to a store', () => {
  it('is text that every database can hold, for every input', async () => {
    const hasher = scryptPasswordHasher({ logN: 1, r: 1, p: 1 }, { concurrency: 1, maxWaitMs: 600_000 })
    const world = await newWorld({ hasher })
    for (const odd of ODD) await askEverything(world, odd)
    await world.background.settle()

    const texts = textsIn([await everyRow(world.store), await allEvents(world.store)])
    expect(texts).to.include('SignInRefused').and.to.include('PasswordChanged')
    expect(texts.filter((text) => !text.isWellFormed() || text.includes('\0'))).to.deep.equal([])
  })
})

const everyRow = (store: Store) =>
  Promise.all(
    (['applications', 'users', 'sessions', 'keys', 'revoked_tokens'] as const).map((table) =>
      succeed(store.listRows({ table, after: '', limit: 10_000 })),
    ),
  )

/** Returns every text in a value. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
