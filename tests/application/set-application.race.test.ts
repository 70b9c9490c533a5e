import { expect } from 'chai'
import { isSome, some } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld } from './world.ts'

describe('setApplication, given several changes of one application at once', () => {
  it('then each keeps what the others changed, and the log has every step', async () => {
    const world = await newWorld()
    const { service, store, shop } = world
    const { id } = shop.application
    const changes = [{ name: 'store' }, { scope: 'users:sign_in' }, { userTokenTtl: 60 }, { name: 'store' }]
    await Promise.all(changes.map((change) => succeed(service.setApplication(CONTEXT, id, change))))
    const found = await succeed(store.findApplication(id))
    expect(isSome(found) && found.value).to.deep.include({ name: 'store', scope: ['users:sign_in'] })
    expect(isSome(found) && found.value.lifetimes.userTokenTtlSeconds).to.deep.equal(some(60))
    const types = (await world.events()).map(({ type }) => type)
    expect(types.filter((type) => type === 'ApplicationChanged')).to.have.length(3)
    const log = await succeed(checkLog({ store, clock: world.clock.read, digests: nodeDigests }))
    expect(log.disagreements).to.deep.equal([])
  })

  it('then a revocation among them is final', async () => {
    const { service, store, shop } = await newWorld()
    const { id } = shop.application
    const names = Array.from({ length: 5 }, (_, index) =>
      service.setApplication(CONTEXT, id, { name: `n${index}` })(),
    )
    await Promise.all([...names, succeed(service.revokeApplication(CONTEXT, id))])
    const found = await succeed(store.findApplication(id))
    expect(isSome(found) && found.value.revoked).to.equal(true)
  })
})
