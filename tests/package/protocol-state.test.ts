import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import {
  compose,
  Dependency,
  type Module,
  memoryProtocolState,
  memoryStore,
  type ProtocolState,
  provide,
} from '../../adapters/index.ts'
import { settings } from '../support/settings.ts'

/** The protocol state that a service with these modules gives to its parts. */
const composed = async (...modules: ReadonlyArray<Module>): Promise<Option<ProtocolState> | undefined> => {
  let given: Option<ProtocolState> | undefined
  const service = await compose(
    settings({ DATABASE_URL: 'memory:' }),
    ...modules,
    provide(Dependency.housekeeping, { state: Dependency.protocolState }, ({ state }) => {
      given = state
      return { start: () => {} }
    }),
  )
  await service.stop()
  return given
}

describe('the protocol state of a service', () => {
  it('is that of its storage', async () => {
    const state = memoryProtocolState()
    const given = await composed(
      provide(Dependency.storage, () => ({ store: memoryStore(), protocolState: state })),
    )
    expect(given).to.deep.equal(some(state))
  })

  it('is none if the storage has none', async () => {
    expect(await composed(provide(Dependency.storage, () => ({ store: memoryStore() })))).to.deep.equal(none)
  })

  it('is closed with the service', async () => {
    const state = memoryProtocolState()
    const service = await compose(
      settings({ DATABASE_URL: 'memory:' }),
      provide(Dependency.storage, () => ({ store: memoryStore(), protocolState: state })),
    )
    expect(isRight(await state.find('code', 'id')())).to.equal(true)
    await service.stop()
    expect(isRight(await state.find('code', 'id')())).to.equal(false)
  })
})
