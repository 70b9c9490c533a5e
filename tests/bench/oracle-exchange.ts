import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends a request and measures the time of the response, in microseconds. One at a time, on one connection. */
export type Exchange = Readonly<{
  microseconds: (request: Buffer, status: string) => Promise<number>
  close: () => void
}>

export const exchange = async (port: number): Promise<Exchange> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  let heard: (answer: Buffer | Error, at: number) => void = () => {}
  // Responses are far smaller than a packet.
  socket.on('data', (answer) => heard(answer, performance.now()))
  socket.on('error', (error) => heard(error, 0))
  socket.on('close', () => heard(new Error('the connection was closed'), 0))
  return {
    microseconds: (request, status) =>
      new Promise((resolve, reject) => {
        heard = (answer, at) => {
          if (answer instanceof Error) reject(answer)
          else if (answer.toString('latin1', 9, 12) !== status) reject(new Error(answer.toString()))
          else resolve((at - sentAt) * 1000)
        }
        const sentAt = performance.now()
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}
