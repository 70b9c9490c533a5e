import type { RequestContext } from '../../application/recording/recorder.ts'

/** Somebody waits for the answer. */
export const CONTEXT: RequestContext = { wanted: () => true }
