import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { Pool } from 'undici'
import type { HttpOperation } from '../../adapters/http/operation/operation.ts'
import { type HttpService, httpService } from '../../adapters/http/service.ts'
import type { AbortSignalLike } from '../../application/ports/password-hasher.ts'
import { aborted } from '../support/aborted.ts'
import { capturedLog } from '../support/captured-log.ts'
import { manualTimers } from '../support/manual-timers.ts'
import { plainRoute } from '../support/plain-route.ts'
import { requestText } from '../support/raw-text.ts'
import { gate } from '../support/waiting.ts'

type Respond = HttpOperation['respond']

describe('the abort signal of a request', () => {
  let respond: Respond
  let service: HttpService
  let port: number
  const timers = manualTimers()
  before(async () => {
    const plain = plainRoute('/', { status: 204 })
    const operation = { ...plain.methods.GET, respond: (request) => respond(request) } as HttpOperation
    service = httpService({
      routes: () => [{ ...plain, methods: { GET: operation } }],
      log: capturedLog().log,
      makeId: () => 'made',
      trustedProxies: 0,
      startTimer: timers.startTimer,
    })
    port = await service.listen('127.0.0.1', 0)
  })
  after(() => service.stop())

  for (const [what, leave] of [
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['has ended its side for half a second', (socket) => socket.end()],
  ] satisfies ReadonlyArray<readonly [string, (socket: Socket) => void]>) {
    it(`is aborted when the client ${what}, before the response`, async () => {
      const held = gate()
      let signal: AbortSignalLike | undefined
      respond =
        ({ context }) =>
        async () => {
          signal = context.signal?.()
          await held.pass()
          return { status: 204 }
        }
      const socket = connect(port, '127.0.0.1')
      socket.write(requestText('GET', '/'))
      await held.reached
      expect(signal).to.have.property('aborted', false)
      leave(socket)
      await aborted(signal)
      held.open()
    })
  }

  it('is aborted when its deadline passes, before the response', async () => {
    const held = gate()
    let signal: AbortSignalLike | undefined
    respond = ({ context, deadline }) =>
      deadline.limit(
        async () => {
          signal = context.signal?.()
          await held.pass()
          return { status: 204 }
        },
        () => ({ status: 503 }),
      )
    const socket = connect(port, '127.0.0.1')
    socket.write(requestText('GET', '/'))
    await held.reached
    expect(signal).to.have.property('aborted', false)
    timers.pass()
    expect(signal).to.have.property('aborted', true)
    held.open()
    socket.destroy()
  })

  it('is already aborted if it is first read after the client disconnected', async () => {
    const held = gate()
    const reading = gate()
    let signal: AbortSignalLike | undefined
    let connection: Socket | undefined
    respond =
      ({ message, context }) =>
      async () => {
        connection = message.socket
        await held.pass()
        signal = context.signal?.()
        reading.pass()
        return { status: 204 }
      }
    const socket = connect(port, '127.0.0.1')
    socket.write(requestText('GET', '/'))
    await held.reached
    const closed = new Promise((resolve) => connection?.once('close', resolve))
    socket.resetAndDestroy()
    await closed
    held.open()
    await reading.reached
    expect(signal).to.have.property('aborted', true)
  })

  it('is one per request, and ends with it: no listener stays, and nothing is aborted later', async () => {
    const signals: Array<AbortSignalLike | undefined> = []
    const listeners: Array<ReadonlyArray<number>> = []
    let connection: Socket | undefined
    respond =
      ({ message: { socket }, context }) =>
      async () => {
        const before = listenersOf(socket)
        signals.push(context.signal?.())
        expect(context.signal?.()).to.equal(signals.at(-1))
        listeners.push([before, listenersOf(socket)])
        connection = socket
        return { status: 204 }
      }
    const client = new Pool(`http://127.0.0.1:${port}`, { connections: 1 })
    for (let each = 0; each < 3; each += 1) await client.request({ method: 'GET', path: '/' })
    const closed = new Promise((resolve) => connection?.once('close', resolve))
    await client.close()
    await closed
    const [before = 0] = listeners[0] ?? []
    expect(listeners).to.deep.equal(Array(3).fill([before, before + 1]))
    expect(new Set(signals).size).to.equal(3)
    expect(signals.filter((signal) => signal?.aborted)).to.deep.equal([])
  })
})

const listenersOf = (socket: Socket): number =>
  socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0)
