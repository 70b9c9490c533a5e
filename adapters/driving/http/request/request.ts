import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../../../../application/recording/recorder.ts'

/** A request whose route is known. */
export type Request = Readonly<{ message: IncomingMessage; context: RequestContext }>
