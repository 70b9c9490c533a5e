import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type IsHead, type StrictAnswer, strictAnswers } from './strict-answers.ts'

/** Bytes to send, in the chunks that are passed to the socket. */
export type Pieces = ReadonlyArray<Uint8Array>

/** Longer than any response takes. */
const LIMIT_MS = 12_000

/**
 * Sends complete requests, sequentially or pipelined, and reads until all are answered or the
 * connection closes, and then the remaining bytes.
 *
 * @returns the responses, fewer than the requests if the server closed the connection early
 */
export const converse = async (
  port: number,
  requests: ReadonlyArray<Pieces>,
  isHead: IsHead,
  atOnce: boolean,
): Promise<ReadonlyArray<StrictAnswer>> => {
  const { socket, received, closed, write } = await open(port)
  let sent = 0
  const sendNext = (): Promise<void> => write(requests[sent++] ?? [])
  socket.on('data', () => {
    try {
      const { answers } = strictAnswers(received(), isHead)
      if (answers.length >= requests.length) socket.end()
      else if (!atOnce && answers.length === sent) void sendNext()
    } catch (error) {
      socket.destroy(error instanceof Error ? error : undefined)
    }
  })
  await sendNext()
  while (atOnce && sent < requests.length) await sendNext()
  await closed
  return wholeAnswers(received(), isHead)
}

type Open = Readonly<{
  socket: Socket
  received: () => string
  closed: Promise<void>
  write: (pieces: Pieces) => Promise<void>
}>

const open = async (port: number): Promise<Open> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const chunks: Array<Buffer> = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const closed = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      socket.destroy()
      reject(new Error(`nothing came for ${LIMIT_MS} ms after ${JSON.stringify(all(chunks))}`))
    }, LIMIT_MS)
    socket.on('error', (error: Error & { code?: string }) => {
      // A server that has closed the connection resets what is still in flight.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
    })
    socket.on('close', () => {
      clearTimeout(late)
      resolve()
    })
  })
  closed.catch(() => {}) // it is awaited later
  await once(socket, 'connect')
  return {
    socket,
    received: () => all(chunks),
    closed,
    write: async (pieces) => {
      for (const piece of pieces) {
        if (!socket.writable) return
        socket.write(piece)
        await nextTurn()
      }
    },
  }
}

const all = (chunks: ReadonlyArray<Buffer>): string => Buffer.concat(chunks).toString('latin1')

const wholeAnswers = (text: string, isHead: IsHead): ReadonlyArray<StrictAnswer> => {
  const { answers, rest } = strictAnswers(text, isHead)
  if (rest !== '')
    throw new Error(`no whole answer, but ${rest.length} characters: ${JSON.stringify(rest.slice(0, 500))}`)
  return answers
}
