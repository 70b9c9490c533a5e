import { memoryStore } from '../../adapters/driven/memory/store.ts'
import type { Store } from '../../application/ports/store.ts'

/** A store in memory that outlives the services on it, as a file would: closing it does nothing. */
export const lastingStore = (): Store => ({ ...memoryStore(), close: async () => undefined })
