import { once } from 'node:events'
import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { HashingRefused } from '../../application/ports/password-hasher.ts'
import { eventually } from '../support/eventually.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { startService } from '../support/running-service.ts'
import { strictAnswers } from '../support/strict-answers.ts'
import { gate } from '../support/waiting.ts'
import { bearer, CREDENTIALS, PASSWORD, post } from './transport-gate.ts'
import { connected, get, ISSUE, lines, talk } from './transport-talk.ts'

const QUIET_MS = 5_000

/** RFC 9112 §9.3.2: a request after an unsafe method is not processed until that method has completed. */
describe('pipelined requests on one connection', () => {
  const noWait = async (): Promise<HashingRefused | undefined> => undefined
  let turn = noWait
  beforeEach(() => {
    turn = noWait
  })
  const { running, log, expectNoHarm } = talk(
    provide(Dependency.passwordHasher, () => plainHasher(() => turn())),
  )

  const statusesOf = (received: string) =>
    strictAnswers(received, () => false).answers.map(({ status }) => status)
  const answered = async (...texts: ReadonlyArray<string>) =>
    statusesOf(await sendRaw(running().port, texts.join(''), QUIET_MS))
  const profile = (token: string, ...headers: ReadonlyArray<string>) =>
    get('/api/v1/profile', bearer(token), ...headers)
  const change = (token: string, from: string, to: string, ...headers: ReadonlyArray<string>) =>
    post(
      '/api/v1/profile/change_password',
      { old_password: from, new_password: to, new_password_check: to },
      bearer(token),
      ...headers,
    )

  it('see a preceding sign-out', async () => {
    const token = await running().userToken()
    const signOut = lines('DELETE /api/v1/auth/user/token HTTP/1.1', 'Host: a', bearer(token))
    expect(await answered(profile(token), signOut, profile(token, 'Connection: close'))).to.deep.equal([
      200, 200, 401,
    ])
  })

  it('see a preceding password change', async () => {
    const token = await running().userToken()
    expect(
      await answered(
        change(token, PASSWORD, 'another one'),
        change(token, 'another one', PASSWORD, 'Connection: close'),
      ),
    ).to.deep.equal([200, 200])
  })

  it('are processed one at a time, however many arrive at once', async () => {
    const token = await running().applicationToken()
    const signIn = (...headers: ReadonlyArray<string>) =>
      post('/api/v1/auth/user/token', CREDENTIALS, bearer(token), ...headers)
    let [now, most] = [0, 0]
    turn = async () => {
      now += 1
      most = Math.max(most, now)
      for (let each = 0; each < 5; each += 1) await new Promise(setImmediate)
      now -= 1
      return undefined
    }
    const statuses = await answered(...Array.from({ length: 9 }, () => signIn()), signIn('Connection: close'))
    expect(statuses).to.deep.equal(Array(10).fill(200))
    expect(most).to.equal(1)
  })

  it('are not processed after their client has disconnected', async () => {
    const held = gate()
    const token = await running().applicationToken()
    turn = held.pass
    const { socket, closed } = await connected(running().port)
    const [first, behind] = ['that-of-one-who-went', 'behind-one-who-went']
    socket.write(
      post('/api/v1/auth/user/token', CREDENTIALS, bearer(token), `X-Request-Id: ${first}`) +
        post(ISSUE, running().keys, `X-Request-Id: ${behind}`).repeat(5),
    )
    await held.reached
    socket.resetAndDestroy()
    await closed
    held.open()
    const logged = (id: string) => log.filter((line) => line.includes(id))
    await eventually('it is answered', async () => (logged(first).length > 0 ? true : undefined))
    await expectNoHarm()
    expect(logged(behind)).to.deep.equal([])
  })

  it('are read on from where reading paused, even when their bodies arrive later', async () => {
    const token = await running().applicationToken()
    const held = gate()
    turn = held.pass
    const { socket, received, closed } = await connected(running().port)
    const signIn = post('/api/v1/auth/user/token', CREDENTIALS, bearer(token))
    const last = post('/api/v1/auth/user/token', CREDENTIALS, bearer(token), 'Connection: close')
    socket.write(signIn + signIn.slice(0, -10))
    await held.reached
    socket.write(signIn.slice(-10) + last.slice(0, 30))
    await new Promise(setImmediate)
    socket.write(last.slice(30))
    held.open()
    await closed
    expect(statusesOf(received())).to.deep.equal([200, 200, 200])
  })

  it('are not read while others wait, if they exceed the limit per connection', async () => {
    const token = await running().applicationToken()
    const held = gate()
    turn = held.pass
    const { socket, received, closed } = await connected(running().port)
    socket.write(post('/api/v1/auth/user/token', CREDENTIALS, bearer(token)) + get('/healthz').repeat(20))
    await held.reached
    socket.write(get('/healthz').repeat(20) + get('/healthz', 'Connection: close'))
    await running().send({ method: 'GET', path: '/healthz' })
    held.open()
    await closed
    expect(statusesOf(received())).to.deep.equal(Array(42).fill(200))
  })
})

describe('a connection without a socket', () => {
  it('processes one request at a time, too', async () => {
    const running = await startService()
    try {
      const token = await running.userToken()
      const connection = running.service.connect()
      let received = ''
      connection.on('data', (chunk) => {
        received += chunk.toString('latin1')
      })
      connection.write(
        lines('DELETE /api/v1/auth/user/token HTTP/1.1', 'Host: a', bearer(token)) +
          get('/api/v1/profile', bearer(token)) +
          get('/healthz', 'Connection: close'),
      )
      await once(connection, 'end')
      expect(strictAnswers(received, () => false).answers.map(({ status }) => status)).to.deep.equal([
        200, 401, 200,
      ])
    } finally {
      await running.stop()
    }
  })
})
