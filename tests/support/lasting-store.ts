import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import type { Store } from '../../application/ports/store.ts'

/** A memory store that outlives the services on it, like a file: closing it does nothing. */
export const lastingStore = (): Store => lastingStorage().store

/** The same with its outbox. */
export const lastingStorage = (): Readonly<{ store: Store; outbox: Outbox }> => {
  const { store, outbox } = memoryStorage()
  return { store: { ...store, close: async () => undefined }, outbox }
}
