import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { statusOf } from '../load.ts'

/**
 * Keeps a number of requests in flight: each answer is followed by the next request. `stop` throws if any answer was neither a
 * success nor a refusal for lack of capacity.
 */
export const keepInFlight = (
  port: number,
  request: string,
  count: number,
): Readonly<{ stop: () => void }> => {
  const { exchange, stop } = exchanges(port, request)
  let isStopped = false
  const one = async (): Promise<void> => {
    while (!isStopped) await exchange()
  }
  for (let started = 0; started < count; started += 1) one().catch(() => {})
  return {
    stop: () => {
      isStopped = true
      stop()
    },
  }
}

/** Sends requests at a fixed rate for a while, and returns the response time of each, in milliseconds. */
export const timesAtRate = async (
  port: number,
  request: string,
  { perSecond, ms }: Readonly<{ perSecond: number; ms: number }>,
): Promise<ReadonlyArray<number>> => {
  const { exchange, times, stop } = exchanges(port, request)
  const sent: Array<Promise<void>> = []
  const timer = setInterval(() => sent.push(exchange()), 1000 / perSecond)
  await pause(ms)
  clearInterval(timer)
  await Promise.all(sent)
  stop()
  return times
}

const exchanges = (port: number, request: string) => {
  const times: Array<number> = []
  const wrong: Array<string> = []
  const idle: Array<Socket> = []
  const open = new Set<Socket>()

  const connected = (): Socket => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    open.add(socket)
    return socket
  }
  /** One request and its answer, on an idle connection or a new one. Rejects once all are stopped. */
  const exchange = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = idle.pop() ?? connected()
      const sentAt = performance.now()
      const failed = () => reject(new Error('the connection ended'))
      socket.once('close', failed)
      socket.once('error', failed)
      socket.once('data', (answer) => {
        const status = statusOf(answer)
        if (status === '200') times.push(performance.now() - sentAt)
        else if (status !== '503') wrong.push(answer.toString())
        socket.removeAllListeners()
        idle.push(socket)
        resolve()
      })
      socket.write(request)
    })
  const stop = (): void => {
    for (const socket of open) socket.destroy()
    if (wrong[0] !== undefined) throw new Error(wrong[0])
  }
  return { times, exchange, stop }
}
