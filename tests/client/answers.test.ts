import { expect } from 'chai'
import { PortcullisUnavailable } from '../../adapters/client/client.ts'
import { CALLS, type Kind } from './calls.ts'
import {
  answer,
  envelope,
  type FaultyServer,
  html,
  json,
  type Play,
  REQUEST_ID,
  redirect,
  startFaultyServer,
  unavailable,
} from './faulty-server.ts'
import { thrownBy } from './thrown-by.ts'
import { timedClient } from './timed-client.ts'

const OUTCOME: Readonly<Record<Kind, 'none' | 'unknown'>> = {
  read: 'none',
  repeatable: 'unknown',
  change: 'unknown',
  once: 'unknown',
}

/** Answers with 2xx that the service never gives. */
const STRANGE: ReadonlyArray<readonly [name: string, play: Play]> = [
  ['HTML', html(200)],
  ['broken JSON', answer(200, { 'Content-Type': 'application/json' }, '{"id":')],
  ['invalid UTF-8', answer(200, { 'Content-Type': 'application/json' }, '{"id":"')],
  ['a JSON text', json(200, 'fine')],
  ['a JSON array', json(200, [])],
  ['null', json(200, null)],
  ['nothing', answer(204, {}, '')],
  ['JSON with the type of HTML', answer(200, { 'Content-Type': 'text/html' }, '{"id":"1"}')],
]

/** Answers that refuse a request for a mistake of the program. */
const MISTAKES: ReadonlyArray<readonly [name: string, play: Play, status: number, message: RegExp]> = [
  ...[400, 404, 405, 410, 415, 418].map(
    (status) =>
      [`${status}`, envelope(status, { message: 'Why.' }), status, new RegExp(`${status}: Why\\.`)] as const,
  ),
  ['404 in HTML', html(404), 404, /Check url/],
  ['401 in HTML', html(401), 401, /Check url/],
  [
    '401 of a proxy that wants a password',
    answer(401, { 'WWW-Authenticate': 'Basic realm="proxy"' }, ''),
    401,
    /Check url/,
  ],
  ['403 in HTML', html(403), 403, /Check url/],
  ['422 in HTML', html(422), 422, /Check url/],
  ['422 without problems', envelope(422, { errors: [] }), 422, /./],
]

describe('an answer that', () => {
  let server: FaultyServer
  beforeEach(async () => {
    server = await startFaultyServer()
  })
  afterEach(() => server.stop())

  for (const { id, kind, send } of CALLS) {
    describe(`${id} gets`, () => {
      for (const [name, play] of STRANGE)
        if (id !== 'revokeToken' || name !== 'nothing')
          // its answer has no body
          it(`is a success with ${name}, throws PortcullisUnavailable`, async () => {
            server.plays(play)
            const error = await thrownBy(send(timedClient(server).auth))
            expect(error).to.be.instanceOf(PortcullisUnavailable).and.include({ outcome: OUTCOME[kind] })
            expect(server.seen).to.have.lengthOf(1)
          })

      for (const [name, play, status, message] of MISTAKES)
        it(`is ${name}, throws RequestRefused`, async () => {
          server.plays(play)
          const error = await thrownBy(send(timedClient(server).auth))
          expect(error).to.be.instanceOf(Error).and.include({ name: 'RequestRefused', status })
          expect(error).to.have.property('message').that.matches(message)
          expect(server.seen).to.have.lengthOf(1)
        })

      it('is 413, is a value', async () => {
        server.plays(envelope(413, { message: 'Why.' }))
        expect(await send(timedClient(server).auth)).to.deep.equal({
          ok: false,
          problems: [{ field: '', reason: 'too_large', code: 413, message: 'Why.' }],
        })
      })

      it('is 429, is a value at once', async () => {
        const problem = { field: '', reason: 'throttled', code: 429, message: 'Too many.' }
        server.plays(envelope(429, { message: 'Too many.' }, { 'Retry-After': '900' }))
        const { auth, time } = timedClient(server)
        expect(await send(auth)).to.deep.equal({
          ok: false,
          refusal: 'throttled',
          retryAfter: 900,
          problems: [problem],
        })
        expect([server.seen.length, time.skipped]).to.deep.equal([1, []])
      })

      it('is 429 of a proxy, is a value', async () => {
        server.plays(html(429))
        const result = await send(timedClient(server).auth)
        expect(result).to.include({ ok: false, refusal: 'throttled' })
        expect(result).to.have.property('retryAfter').that.is.greaterThan(0)
        expect(server.seen).to.have.lengthOf(1)
      })

      it('is a redirect, is not followed', async () => {
        const other = await startFaultyServer()
        server.plays(redirect(`${other.url}/api/v1/stolen`))
        const error = await thrownBy(send(timedClient(server).auth))
        await other.stop()
        expect(error).to.be.instanceOf(PortcullisUnavailable)
        expect([server.seen.length, other.seen]).to.deep.equal([1, []])
      })
    })
  }

  it('is 503, has its details in the error', async () => {
    server.plays(unavailable('unknown', '7'))
    const error = await thrownBy(
      timedClient(server).auth.registerUser({ email: 'a@b.example', password: 'p' }),
    )
    expect(error).to.include({
      name: 'PortcullisUnavailable',
      outcome: 'unknown',
      status: 503,
      retryAfter: 7,
      requestId: REQUEST_ID,
    })
  })

  it('is 400, has its details in the error', async () => {
    server.plays(envelope(400))
    const error = await thrownBy(timedClient(server).auth.signIn({ email: 'ada', password: 'p' }))
    expect(error).to.include({ name: 'RequestRefused', status: 400, requestId: REQUEST_ID })
  })

  it('never comes, has only a code in the error', async () => {
    await server.stop()
    const error = await thrownBy(timedClient(server).auth.getPasswordPolicy())
    await server.start()
    expect(error).to.include({ outcome: 'none', status: undefined, requestId: undefined })
    expect(error).to.have.property('message').that.includes('ECONNREFUSED')
    expect(error).not.to.have.property('cause')
  })
})
