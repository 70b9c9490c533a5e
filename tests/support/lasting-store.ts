import { memoryProtocolState } from '../../adapters/stores/memory/protocol-state.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import type { ProtocolState } from '../../application/ports/protocol-state.ts'
import type { Store } from '../../application/ports/store.ts'

/** A memory store that outlives the services on it, like a file: closing it does nothing. */
export const lastingStore = (): Store => lastingStorage().store

/** The same with what is beside it. */
export const lastingStorage = (): Readonly<{
  store: Store
  outbox: Outbox
  protocolState: ProtocolState
}> => {
  const { store, outbox } = memoryStorage()
  const close = async () => undefined
  return { store: { ...store, close }, outbox, protocolState: { ...memoryProtocolState(), close } }
}
