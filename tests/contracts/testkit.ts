export { failureCountsContract, type OpenFailureCounts } from './failure-counts.ts'
export { type OpenStore, type Runner, storeContract } from './store.ts'
