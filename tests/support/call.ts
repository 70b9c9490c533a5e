import type { Call } from '../../application/recorder.ts'

/** Somebody waits for the answer. */
export const CALL: Call = { wanted: () => true }
