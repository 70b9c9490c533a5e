import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestRequest } from '../support/http-client.ts'
import { answersIn } from '../support/raw-text.ts'

/** The outcome of a request, as its sender knows it. */
export type Exchange =
  | Readonly<{
      fate: 'answered'
      status: number
      headers: Readonly<Record<string, string>>
      // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what a test is about to find out
      body: any
    }>
  /** No connection, so nothing was sent. */
  | Readonly<{ fate: 'not sent' }>
  /** Sent, at least in part, and the connection ended without a complete response. */
  | Readonly<{ fate: 'broken'; because: string; onNewConnection: boolean }>

/** One keep-alive connection at a time to a local port, with one request at a time. */
export type KeepAlive = Readonly<{
  send: (request: TestRequest) => Promise<Exchange>
  close: () => void
}>

/**
 * A client that never retries, and that knows whether each request left this process. With a library that reconnects,
 * the service might have received more requests than the test knows.
 */
export const keepAlive = (port: number): KeepAlive => {
  let socket: Socket | undefined

  const connected = async (): Promise<Socket | undefined> => {
    if (socket?.writable && !socket.readableEnded) return socket
    const fresh = connect(port, '127.0.0.1')
    fresh.setNoDelay(true)
    try {
      await once(fresh, 'connect')
    } catch {
      return undefined
    }
    fresh.on('error', () => {}) // the waiting caller is notified by 'close'
    socket = fresh
    return fresh
  }

  return {
    send: async (request) => {
      const open = await connected()
      if (open === undefined) return { fate: 'not sent' }
      const exchange = await exchangeOn(open, request)
      if (exchange.fate === 'broken' || exchange.headers?.connection === 'close') open.destroy()
      return exchange
    },
    close: () => {
      socket?.destroy()
    },
  }
}

const exchangeOn = (socket: Socket, request: TestRequest): Promise<Exclude<Exchange, { fate: 'not sent' }>> =>
  new Promise((resolve) => {
    const onNewConnection = socket.bytesWritten === 0
    let received = ''
    let because = 'the connection ended'
    const settle = (exchange: Exclude<Exchange, { fate: 'not sent' }>): void => {
      clearTimeout(giveUp)
      socket.off('data', onData).off('error', onError).off('end', onEnd).off('close', onEnd)
      resolve(exchange)
    }
    const onData = (chunk: Buffer): void => {
      received += chunk.toString('latin1')
      const answer = isWhole(received) ? answersIn(received)[0] : undefined
      if (answer === undefined) return
      const body = answer.body === '' ? undefined : JSON.parse(answer.body)
      settle({ fate: 'answered', status: answer.status, headers: answer.headers, body })
    }
    const onError = (error: Error): void => {
      because = String(error)
    }
    const onEnd = (): void =>
      settle({ fate: 'broken', because: `${because} after ${received.length} bytes`, onNewConnection })
    const giveUp = setTimeout(() => {
      because = 'the client gave up'
      socket.destroy()
    }, GIVE_UP_AFTER_MS)
    socket.on('data', onData).on('error', onError).on('end', onEnd).on('close', onEnd)
    socket.write(textOf(request))
  })

/** The service answers each request within ten seconds. The rest is for a busy machine. */
const GIVE_UP_AFTER_MS = 15_000

const isWhole = (received: string): boolean => {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1]
  return received.length >= end + 4 + Number(length ?? 0)
}

const textOf = ({ method, path, token, body, headers = {} }: TestRequest): string => {
  const content = body === undefined ? '' : JSON.stringify(body)
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: service.test',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(content === ''
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    content,
  ].join('\r\n')
}
