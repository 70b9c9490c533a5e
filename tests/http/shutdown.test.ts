import { once } from 'node:events'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { HashingRefused } from '../../application/ports/password-hasher.ts'
import { onMemory } from '../support/one-store.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { answersIn, requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { type Gate, gate } from '../support/waiting.ts'

onMemory('a stopping service', (stores) => {
  let held: Gate
  let turn: () => Promise<HashingRefused | undefined>
  let running: RunningService
  let applicationToken: string
  let open: Array<Duplex>
  beforeEach(async () => {
    held = gate()
    open = []
    turn = async () => undefined
    running = await startService(
      await stores.fresh(),
      provide(Dependency.passwordHasher, () => plainHasher(() => turn())),
    )
    applicationToken = await running.applicationToken()
    turn = () => held.pass()
  })
  afterEach(() => {
    for (const socket of open) socket.destroy()
    return running.stop()
  })

  const signIn = () =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: applicationToken,
      body: { email: 'ada@example.com', password: 'correct horse' },
    })

  /** Collects everything that arrives until the connection ends. */
  const listenTo = (connection: Duplex) => {
    open.push(connection)
    let received = ''
    connection.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    const ended = once(connection, 'end').then(() => answersIn(received))
    return { connection, ended, answered: () => once(connection, 'data') }
  }
  const connected = async () => {
    const socket = connect(running.port, '127.0.0.1')
    await once(socket, 'connect')
    return listenTo(socket)
  }
  const keptAlive = (path: string) => requestText('GET', path).replace('Connection: close\r\n', '')

  it('answers the request in flight and closes its connection', async () => {
    const inFlight = signIn()
    await held.reached
    const stopped = running.service.stop()
    held.open()
    const answer = await inFlight
    await stopped
    expect(answer.status).to.equal(200)
    expect(answer.body).to.include.keys('token', 'user_id')
    expect(answer.headers.connection).to.equal('close')
  })

  it('stops only after the request in flight is answered', async () => {
    const order: Array<string> = []
    const inFlight = signIn().then(() => order.push('answered'))
    await held.reached
    const stopped = running.service.stop().then(() => order.push('stopped'))
    held.open()
    await Promise.all([inFlight, stopped])
    expect(order).to.deep.equal(['answered', 'stopped'])
  })

  it('refuses new connections', async () => {
    const inFlight = signIn()
    await held.reached
    const stopped = running.service.stop()
    const refused = await once(connect(running.port, '127.0.0.1'), 'error')
    expect(refused[0]).to.have.property('code', 'ECONNREFUSED')
    held.open()
    await Promise.all([inFlight, stopped])
  })

  it('reports on existing connections that it is alive but not ready', async () => {
    const [ready, alive] = await Promise.all([connected(), connected()])
    for (const { connection, answered } of [ready, alive]) {
      connection.write(keptAlive('/readyz'))
      await answered()
    }
    const inFlight = signIn()
    await held.reached
    const stopped = running.service.stop()
    ready.connection.write(keptAlive('/readyz'))
    alive.connection.write(keptAlive('/healthz'))
    const [first, last] = await ready.ended
    expect(first?.status).to.equal(200)
    expect(last?.status).to.equal(503)
    expect(last?.headers).to.include({ connection: 'close', 'x-content-type-options': 'nosniff' })
    expect(last?.headers['retry-after']).to.match(/^[1-9]\d*$/)
    expect(JSON.parse(last?.body ?? '')).to.deep.equal({
      success: false,
      code: 503,
      message: 'The server is stopping.',
      outcome: 'none',
    })
    const [, aliveAnswer] = await alive.ended
    expect(aliveAnswer?.status).to.equal(200)
    expect(aliveAnswer?.headers.connection).to.equal('close')
    held.open()
    expect((await inFlight).status).to.equal(200)
    await stopped
  })

  it('closes the store after the last response', async () => {
    await running.service.stop()
    const left = await running.service.store.listSigningKeys()()
    expect(left).to.deep.equal({
      _tag: 'Left',
      left: { _tag: 'StoreUnavailable', reason: 'the store is closed' },
    })
  })

  it('may be stopped twice', async () => {
    await Promise.all([running.service.stop(), running.service.stop()])
    await running.service.stop()
  })
})
