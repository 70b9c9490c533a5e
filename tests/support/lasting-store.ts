import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { Store } from '../../application/ports/store.ts'

/** A memory store that outlives the services on it, like a file: closing it does nothing. */
export const lastingStore = (): Store => ({ ...memoryStore(), close: async () => undefined })
