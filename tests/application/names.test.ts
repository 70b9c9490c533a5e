import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { namedIn, namesIn } from '../../application/log/names.ts'
import type { Store } from '../../application/ports/store.ts'
import { SERVICE } from '../../domain/event.ts'
import { fail, succeed } from '../support/outcome.ts'
import { anApplication, aUser, change, registered, registeredApplication } from '../testkit/builders.ts'
import { FULL } from './world.ts'

describe('namesIn, given a store with a user, a removed user and an application', () => {
  const [ada, gone, shop] = [aUser({ email: 'ada@example.com' }), aUser(), anApplication({ name: 'shop' })]
  let reads: Array<string>
  let isFull: boolean
  let names: ReturnType<typeof namesIn>
  beforeEach(async () => {
    const store = memoryStore()
    for (const fact of [registered(ada), registered(gone), registeredApplication(shop)])
      await succeed(store.commit(change(fact)))
    await succeed(store.commit(change({ _tag: 'UserRemoved', user: gone, factors: [] })))
    reads = []
    isFull = false
    const counted =
      <A>(read: (id: string) => A) =>
      (id: string): A => {
        reads.push(id)
        return isFull ? ((async () => left(FULL)) as A) : read(id)
      }
    names = namesIn({
      findUser: counted<ReturnType<Store['findUser']>>(store.findUser),
      findApplication: counted<ReturnType<Store['findApplication']>>(store.findApplication),
    })
  })

  const entry = (userId: string) => ({
    subject: { kind: 'user' as const, id: userId },
    actor: { kind: 'application' as const, id: shop.id },
  })
  const of = (...userIds: ReadonlyArray<string>) =>
    names.of(namedIn([...userIds.map(entry), { subject: SERVICE, actor: { kind: 'nobody' } }]), [
      'user',
      'application',
    ])

  it('returns e-mails and names, and none of a removed user or without a row', async () => {
    const nameOf = await succeed(() => of(ada.id, gone.id, 'unknown'))
    expect(nameOf('application', shop.id)).to.equal('shop')
    expect([ada.id, gone.id, 'unknown'].map((id) => nameOf('user', id))).to.deep.equal([
      'ada@example.com',
      undefined,
      undefined,
    ])
  })

  it('reads each row once, and only rows of the wanted kinds', async () => {
    await succeed(() => names.of(namedIn([entry(ada.id)]), ['user']))
    expect(reads).to.deep.equal([ada.id])
    await succeed(() => of(ada.id, ada.id))
    await succeed(() => of(ada.id))
    expect(reads).to.deep.equal([ada.id, shop.id])
  })

  it('fails with the store, and reads again once it works', async () => {
    isFull = true
    expect(await fail(() => of(ada.id))).to.deep.equal(FULL)
    isFull = false
    expect((await succeed(() => of(ada.id)))('user', ada.id)).to.equal('ada@example.com')
  })
})
