import { once } from 'node:events'
import { type Duplex, PassThrough } from 'node:stream'
import { expect } from 'chai'
import { stalledConnections } from '../../adapters/http/server/stalled-connections.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { strictAnswers } from '../support/strict-answers.ts'
import { withService } from '../support/with-service.ts'
import { bearer, CREDENTIALS, gatedHasher, post } from './transport-gate.ts'
import { get } from './transport-talk.ts'

const BOUND = 64 * 1024 * 1024

describe('unread responses of all connections together', () => {
  it('are dropped in the order in which the connections stalled, down to the limit', () => {
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => new PassThrough())
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) return
    const all = [first, second, third, fourth]
    const left = () => all.map(({ destroyed }) => !destroyed)
    let dropped = 0
    const connections = stalledConnections(100, () => {
      dropped += 1
    })
    connections.hold(first, 40)
    connections.hold(second, 40)
    connections.hold(third, 20)
    expect(left()).to.deep.equal([true, true, true, true])
    connections.release(first) // resumes, and stalls again as the last one
    connections.hold(first, 40)
    connections.hold(second, 30) // fewer bytes, stalled since the same time
    connections.hold(fourth, 11)
    expect(left()).to.deep.equal([true, false, true, true])
    connections.hold(second, 1_000) // already dropped
    connections.hold(fourth, 100)
    expect(left()).to.deep.equal([false, false, false, true])
    expect(dropped).to.equal(3)
  })

  /** Opens this many connections without a socket. Each sends the text and reads nothing. */
  const stalled = (connect: () => Duplex, count: number, text: string) =>
    Array.from({ length: count }, () => {
      const connection = connect()
      connection.on('error', () => {})
      const closed = once(connection, 'close')
      connection.write(text)
      return { connection, closed }
    })

  const bodyOf = async (connection: Duplex): Promise<string> => {
    let received = ''
    connection.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    await once(connection, 'end')
    return strictAnswers(received, () => false).answers[0]?.body ?? ''
  }

  for (const path of ['/docs', '/openapi.json']) {
    it(`are limited: the first stalled connections are dropped, and the last one gets its whole response: ${path}`, () => {
      const { log, lines } = capturedLog()
      return withService(
        {},
        async ({ service }) => {
          const asks = get(path, 'Connection: close')
          const [one] = stalled(service.connect, 1, asks)
          if (one === undefined) throw new Error('no connection')
          const { length } = await bodyOf(one.connection)
          expect(length).to.be.above(4 * 1024)
          const fit = Math.floor(BOUND / length)
          const many = stalled(service.connect, fit + 20, asks)
          await Promise.all(many.slice(0, 10).map(({ closed }) => closed))
          const last = many.at(-1)
          if (last === undefined) throw new Error('no connection')
          expect(last.connection.destroyed).to.equal(false)
          expect((await bodyOf(last.connection)).length).to.equal(length)
          for (const { connection } of many) connection.destroy()
          expect(lines.filter((line) => line.includes('did not read its responses'))).not.to.deep.equal([])
        },
        provide(Dependency.log, () => log),
      )
    })
  }

  it('are limited for requests that wait behind a slow one, too', () => {
    const { module, hold } = gatedHasher()
    return withService(
      {},
      async ({ service, applicationToken, send }) => {
        const token = await applicationToken()
        const held = hold()
        const waiting = get('/healthz', `X: ${'y'.repeat(1_000)}`).repeat(31)
        const each = post('/api/v1/auth/user/token', CREDENTIALS, bearer(token)) + waiting
        const many = stalled(service.connect, Math.ceil(BOUND / (31 * 4 * 1024)) + 20, each)
        await Promise.all(many.slice(0, 10).map(({ closed }) => closed))
        expect(many.at(-1)?.connection.destroyed).to.equal(false)
        for (const { connection } of many) connection.destroy()
        held.open()
        expect((await send({ method: 'GET', path: '/healthz' })).status).to.equal(200)
      },
      module,
    )
  })
})
