import type { RequestContext } from '../../application/recording/recorder.ts'

/** The context of a request that is never aborted. */
export const CONTEXT: RequestContext = {}
