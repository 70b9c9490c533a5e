import type { ServerResponse } from 'node:http'
import type { Deadline } from './deadline.ts'

/**
 * The signal of a request, aborted when its client disconnects before the response, or its deadline passes. A client that has ended its side may still
 * read, so its request is aborted half a second after it started. By then the client has probably disconnected (docs/wire.md §4).
 *
 * @param startedAt when the request started, by `performance.now()`
 */
export const abortSignalOf = (
  response: ServerResponse,
  startedAt: number,
  deadline: Pick<Deadline, 'onLate'>,
): AbortSignal => {
  const { socket } = response.req
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const abortSoon = (): void => {
    const remainingMs = startedAt + HALF_CLOSED_MS - performance.now()
    if (remainingMs > 0) timer = setTimeout(() => controller.abort(), remainingMs)
    else controller.abort()
  }
  // The connection outlives the request, so it keeps no listener. Node emits `close` after the response too.
  response.once('close', () => {
    clearTimeout(timer)
    socket.off('end', abortSoon)
    if (!response.writableFinished) controller.abort()
  })
  deadline.onLate(() => controller.abort())
  if (socket.destroyed) controller.abort()
  else if (socket.readableEnded) abortSoon()
  else socket.once('end', abortSoon)
  return controller.signal
}

const HALF_CLOSED_MS = 500
