import { memoryFailureCounts } from '../../adapters/stores/memory/failure-counts.ts'
import { memoryProtocolState } from '../../adapters/stores/memory/protocol-state.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import type { StoreKind } from './store-kind.ts'

const nobodyCan = async (): Promise<never> => {
  throw new Error('a memory store is out of reach')
}

/** The memory store as a kind of store. Only one process can reach it. */
export const memory: StoreKind = {
  name: 'memory',
  isShared: false,
  layOut: async () => ({ url: 'memory:', remove: async () => {} }),
  openStore: async () => memoryStore(),
  openCopyable: async () => ({ ...memoryStorage(), protocolState: memoryProtocolState() }),
  openFaulty: undefined, // there is no layer between the process and its memory
  openFailureCounts: async (_, clock, keptAtMost) => memoryFailureCounts(clock, keptAtMost),
  openProtocolState: async (_, keptAtMost) => memoryProtocolState(keptAtMost),
  contents: nobodyCan,
  spoil: nobodyCan,
  copy: nobodyCan,
}
