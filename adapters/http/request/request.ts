import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../../../application/recording/recorder.ts'

/** A request whose route is known. */
export type Request = Readonly<{
  message: IncomingMessage
  context: RequestContext
  /** Returns the query as sent. It may contain a token, so it must not reach the log. The URL of `message` has none. */
  query: () => string
  /** Returns the rest of the path as sent, if the route is a prefix. Nothing in it is decoded, and it must not reach the log. */
  subpath: () => string
}>
