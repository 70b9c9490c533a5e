import type { Call } from '../../application/recording/recorder.ts'

/** Somebody waits for the answer. */
export const CALL: Call = { wanted: () => true }
