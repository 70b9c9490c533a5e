import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { bearer, CREDENTIALS, gatedHasher, post } from './transport-gate.ts'
import { connected, ISSUE, lines, talk } from './transport-talk.ts'

const JSON_TYPE = 'Content-Type: application/json'

describe('a reset connection', () => {
  const { module, hold, release, aborted } = gatedHasher()
  const { running, expectNoHarm } = talk(module)
  afterEach(release)

  for (const [what, text] of [
    ['before anything came', () => ''],
    ['in the headers', () => 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: '],
    ['in the body', () => `${lines(`POST ${ISSUE} HTTP/1.1`, 'Host: a', JSON_TYPE, 'Content-Length: 9')}{"`],
    ['behind a request that writes', () => post(ISSUE, running().keys)],
    ['behind a hundred requests', () => post(ISSUE, running().keys).repeat(100)],
  ] as const) {
    it(`does not affect other clients: ${what}`, async () => {
      const sockets = await Promise.all(Array.from({ length: 20 }, () => connected(running().port)))
      for (const [index, { socket }] of sockets.entries()) {
        socket.write(text())
        if (index % 2 === 0) await nextTurn() // part of it has arrived by then, and part has not
        socket.resetAndDestroy()
      }
      await Promise.all(sockets.map(({ closed }) => closed))
      await expectNoHarm()
      expect(await running().applicationToken()).to.match(/^eyJ/)
    })
  }

  it('before its response is read does no harm, and its request is carried out', async () => {
    const id = 'never-read'
    const issued = async () => {
      const events = await eventsOf(running().service.store, 'ApplicationTokenIssued')
      return events.filter(({ request_id }) => request_id === id).length
    }
    const { socket, closed } = await connected(running().port)
    socket.pause()
    socket.write(post(ISSUE, running().keys, `X-Request-Id: ${id}`))
    while ((await issued()) === 0) await nextTurn()
    socket.resetAndDestroy()
    await closed
    await expectNoHarm()
    expect(await issued()).to.equal(1)
  })

  it('is noticed while its request is processed', async () => {
    const text = post('/api/v1/auth/user/token', CREDENTIALS, bearer(await running().applicationToken()))
    const { reached, open } = hold()
    const { socket, closed } = await connected(running().port)
    socket.write(text)
    await reached
    socket.resetAndDestroy()
    await closed
    await aborted()
    open()
    await expectNoHarm()
  })
})
