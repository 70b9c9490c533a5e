import type { Finding } from '../../../application/ports/inspection.ts'
import type { StorageOptions } from '../../../application/ports/storage.ts'
import { memoryProtocolState } from './protocol-state.ts'
import { memoryServerNotes } from './server-notes.ts'
import { memoryStorage } from './store-copy.ts'

/** Opens, inspects and copies a store in memory. There is nothing to inspect, and nothing to copy. */
export const memory = () => ({
  open: ({ clock }: Pick<StorageOptions, 'clock'>) => ({
    ...memoryStorage(clock),
    protocolState: memoryProtocolState(),
    serverNotes: memoryServerNotes(),
  }),
  expectStore: () => {},
  inspect: (): ReadonlyArray<Finding> => [],
  backUp: () => {},
})
