import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { HashingRefused } from '../../application/ports/password-hasher.ts'
import { eventsOf } from '../support/events.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type StrictAnswer, strictAnswers } from '../support/strict-answers.ts'
import { gate } from '../support/waiting.ts'
import { connected, get, ISSUE, lines, talk } from './transport-talk.ts'

const JSON_TYPE = 'Content-Type: application/json'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('many requests on one connection', () => {
  const { running, expectNoHarm } = talk()

  const post = (body: string, ...headers: ReadonlyArray<string>) =>
    lines(`POST ${ISSUE} HTTP/1.1`, 'Host: a', ...headers, `Content-Length: ${body.length}`) + body
  const keys = () => JSON.stringify(running().keys)

  /** Requests that keep the connection open, each with its status. */
  const KINDS: ReadonlyArray<[number, () => string]> = [
    [200, () => get('/healthz')],
    [200, () => post(keys(), JSON_TYPE)],
    [404, () => get('/nothing')],
    [405, () => `${lines('PUT /healthz HTTP/1.1', 'Host: a', 'Content-Length: 4')}body`],
    [401, () => get('/api/v1/profile')],
    [422, () => post('', JSON_TYPE)],
    [415, () => post('{}', 'Content-Type: text/plain')],
    [400, () => post('{', JSON_TYPE)],
    [400, () => get('/healthz', 'Host: again')],
    [413, () => post(' '.repeat(16 * 1024 + 1), JSON_TYPE)],
    [204, () => lines('OPTIONS /healthz HTTP/1.1', 'Host: a')],
    [200, () => lines('HEAD /healthz HTTP/1.1', 'Host: a')],
    [
      422,
      () =>
        `${lines(`POST ${ISSUE} HTTP/1.1`, 'Host: a', JSON_TYPE, 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`,
    ],
  ]
  /** The limit of waiting requests on one connection, less the last one. */
  const COUNT = 31

  for (const [how, pieceBytes] of [
    ['at once', Number.POSITIVE_INFINITY],
    ['in pieces of 1,000 bytes, wherever they end', 1_000],
  ] as const) {
    it(`sent ${how} each get a response, in order, with a unique id`, async () => {
      const sent = Array.from({ length: COUNT }, (_, index) => {
        const [status, text] = KINDS[(index * 7 + Math.floor(index / 13)) % KINDS.length] ?? [0, () => '']
        const id = index % 3 === 0 ? `request-${index}` : undefined
        const named = id === undefined ? text() : text().replace('\r\n', `\r\nX-Request-Id: ${id}\r\n`)
        return { status, id, text: named }
      })
      const all = Buffer.from(sent.map(({ text }) => text).join('') + get('/healthz', 'Connection: close'))
      const { socket, received, closed } = await connected(running().port)
      for (let at = 0; at < all.length; at += pieceBytes) {
        socket.write(all.subarray(at, at + pieceBytes))
        if (pieceBytes < all.length) await new Promise(setImmediate)
      }
      await closed
      const { answers, rest } = strictAnswers(
        received(),
        (index) => sent[index]?.text.startsWith('HEAD') ?? false,
      )
      expect(rest).to.equal('')
      expect(answers).to.have.length(COUNT + 1)
      expect(answers.slice(0, COUNT).map(({ status }) => status)).to.deep.equal(
        sent.map(({ status }) => status),
      )
      for (const [index, { id }] of sent.entries()) {
        if (id !== undefined) expect(answers[index]?.headers['x-request-id']).to.equal(id)
        else expect(answers[index]?.headers['x-request-id']).to.match(UUID)
      }
      expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).to.equal(COUNT + 1)
      expect(new Set(answers.map(({ headers }) => headers.connection))).to.deep.equal(
        new Set(['keep-alive', 'close']),
      )
      expect(answers.at(-1)?.headers.connection).to.equal('close')
      await expectNoHarm()
    })
  }
})

/** RFC 9112 §9.6: a request after a response that ends the connection is never answered. */
describe('a request after one that ends the connection', () => {
  const noWait = async (): Promise<HashingRefused | undefined> => undefined
  let turn = noWait
  beforeEach(() => {
    turn = noWait
  })
  const { running, expectNoHarm } = talk(provide(Dependency.passwordHasher, () => plainHasher(() => turn())))

  const issue = () => {
    const body = JSON.stringify(running().keys)
    return lines(`POST ${ISSUE} HTTP/1.1`, 'Host: a', JSON_TYPE, `Content-Length: ${body.length}`) + body
  }
  const issued = async () => (await eventsOf(running().service.store, 'ApplicationTokenIssued')).length
  const statusesOf = (received: string) =>
    strictAnswers(received, () => false).answers.map(({ status }: StrictAnswer) => status)

  const UPGRADE = ['Upgrade: websocket', 'Connection: Upgrade']

  const LAST: ReadonlyArray<[string, string, number]> = [
    ['Connection: close', get('/healthz', 'Connection: close'), 200],
    ['a list with close', get('/healthz', 'Connection: x, close'), 200],
    ['HTTP/1.0', lines('GET /healthz HTTP/1.0'), 200],
    ['HTTP/2.0', lines('GET /healthz HTTP/2.0'), 400],
    ['an unsupported expectation', get('/healthz', 'Expect: x'), 417],
    ['101 header lines', get('/healthz', ...Array(100).fill('X: y')), 431],
    ['an unknown transfer coding', `${get('/healthz', 'Transfer-Encoding: x, chunked')}0\r\n\r\n`, 400],
    ['an upgrade', get('/healthz', ...UPGRADE), 200],
    ['an upgrade to HTTP/2', get('/healthz', 'Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings'), 200],
    ['an upgrade and a body', `${get('/healthz', ...UPGRADE, 'Content-Length: 4')}body`, 200],
    ['CONNECT', lines('CONNECT a:1 HTTP/1.1', 'Host: a'), 405],
    ['invalid HTTP', 'rubbish\r\n\r\n', 400],
    ['a malformed body', `${get('/healthz', 'Transfer-Encoding: chunked')}rubbish\r\n`, 400],
  ]

  for (const [what, text, status] of LAST) {
    it(`is not processed: ${what}`, async () => {
      const before = await issued()
      for (const pieces of [
        [text + issue()],
        [text, issue()],
        [text + issue().slice(0, 40), issue().slice(40)],
      ]) {
        const { socket, received, closed } = await connected(running().port)
        for (const piece of pieces) {
          socket.write(piece)
          await new Promise(setImmediate)
        }
        await closed
        expect(statusesOf(received())).to.deep.equal([status])
        expect(received()).to.match(/^Connection: close\r$/m)
      }
      await expectNoHarm()
      expect(await issued()).to.equal(before)
    })
  }

  const signIn = async (...headers: ReadonlyArray<string>) => {
    const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse' })
    const token = `Authorization: Bearer ${await running().applicationToken()}`
    const length = `Content-Length: ${body.length}`
    return (
      lines('POST /api/v1/auth/user/token HTTP/1.1', 'Host: a', JSON_TYPE, token, length, ...headers) + body
    )
  }

  it('is not processed when it arrives while the last one is answered', async () => {
    const held = gate()
    const text = await signIn(...UPGRADE)
    const before = await issued()
    turn = held.pass
    const { socket, received, closed } = await connected(running().port)
    socket.write(text)
    await held.reached
    socket.write(issue())
    await expectNoHarm()
    held.open()
    await closed
    expect(statusesOf(received())).to.deep.equal([200])
    expect(await issued()).to.equal(before)
  })

  for (const [what, text, status] of LAST.filter(([, , status]) => status !== 200))
    it(`is refused only after the preceding response: ${what}`, async () => {
      const held = gate()
      const first = await signIn()
      turn = held.pass
      const { socket, received, closed } = await connected(running().port)
      socket.write(first + text)
      await held.reached
      await expectNoHarm()
      held.open()
      await closed
      expect(statusesOf(received())).to.deep.equal([200, status])
    })

  it('is not read from the second part of what follows an upgrade', async () => {
    const before = await issued()
    const { socket, received, closed } = await connected(running().port)
    const outer = lines('POST /nothing HTTP/1.1', 'Host: a', `Content-Length: ${issue().length}`)
    socket.write(get('/healthz', ...UPGRADE) + outer)
    await new Promise(setImmediate)
    socket.write(issue())
    await closed
    expect(statusesOf(received())).to.deep.equal([200])
    expect(await issued()).to.equal(before)
  })

  it('is processed when the service stops meanwhile: only the last response ends the connection', async () => {
    const held = gate()
    const text = await signIn()
    turn = held.pass
    const { socket, received, closed } = await connected(running().port)
    socket.write(text + issue() + get('/nothing') + text)
    await held.reached
    const stopped = running().service.stop()
    held.open()
    await Promise.all([closed, stopped])
    const { answers } = strictAnswers(received(), () => false)
    expect(answers.map(({ status, headers }) => [status, headers.connection])).to.deep.equal([
      [200, 'keep-alive'],
      [200, 'keep-alive'],
      [404, 'keep-alive'],
      [200, 'close'],
    ])
  })
})
