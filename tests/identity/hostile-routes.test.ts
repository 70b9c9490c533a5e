import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { sendJson } from '../support/identity-providers/hostile.ts'
import { succeed } from '../support/outcome.ts'
import { newRequest } from '../testkit/identity-provider.ts'
import { completed, hostileDesk, outcomeOf } from './hostile-desk.ts'

/** What the adapter waits for, and reads, in these tests. */
const limits = { timeoutMs: 300, maxBytes: 10_000 }

const sends =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)

const HTML = { 'content-type': 'text/html' }
const HUGE = JSON.stringify({ access_token: 'a'.repeat(20_000) })

/** Nothing is known about the user. The same request may succeed later. */
const DOWN: ReadonlyArray<readonly [what: string, answer: RequestListener]> = [
  ['never answers', () => {}],
  [
    'stops in the middle of its answer',
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
  ],
  [
    'sends its answer too slowly',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 50)
      response.once('close', () => clearInterval(timer))
    },
  ],
  ['ends the connection', (request) => void request.socket.destroy()],
  ['answers too much', sends(200, HUGE)],
  [
    'answers too much that is compressed',
    (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(HUGE)),
  ],
  ['leads elsewhere', sends(307, '', { location: 'http://127.0.0.1:1/' })],
  ['answers 500', sends(500, '{}')],
  ['answers 503 with HTML', sends(503, '<h1>Maintenance</h1>', HTML)],
  ['answers 429', sends(429, '{}', { 'retry-after': '1' })],
]

/** The provider answered. Another try would come to the same. */
const REFUSED: ReadonlyArray<readonly [what: string, answer: RequestListener]> = [
  ['answers 401', sends(401, '{"error":"invalid_client"}', { 'www-authenticate': 'Basic realm="a"' })],
  ['answers 400', sends(400, '{"error":"invalid_grant"}')],
  ['answers 403 with HTML', sends(403, '<h1>Forbidden</h1>', HTML)],
  ['answers 404', sends(404, '')],
  ['answers HTML', sends(200, '<h1>Sign in</h1>', HTML)],
  ['answers malformed JSON', sends(200, '{"access_token":')],
  ['answers a list', sends(200, '[]')],
  ['answers nothing', sends(204, '')],
]

describe('the token route of a provider', () => {
  const desk = hostileDesk()

  for (const [what, token] of DOWN)
    it(`is unavailable if it ${what}`, async () => {
      expect(await desk.signIn({ answers: { token } }, { limits })).to.equal('ProviderUnavailable')
    })

  for (const [what, token] of REFUSED)
    it(`ends the sign-in if it ${what}`, async () => {
      expect(await desk.signIn({ answers: { token } }, { limits })).to.equal('provider_error')
    })

  it('ends the sign-in without an access token, and without an ID token', async () => {
    for (const tokens of [{ access_token: undefined }, { id_token: undefined }, { token_type: 'mac' }])
      expect(await desk.signIn({ tokens })).to.equal('provider_error')
  })
})

describe('the keys of a provider', () => {
  const desk = hostileDesk()

  for (const [what, keys] of DOWN)
    it(`are unavailable if it ${what}`, async () => {
      const signedIn = desk.signIn({ answers: { keys } }, { limits })
      desk.hostile.behave({ answers: { keys } })
      const checked = outcomeOf(desk.open({ limits }).check())
      expect(await Promise.all([signedIn, checked])).to.deep.equal([
        ...['ProviderUnavailable', 'ProviderUnavailable'],
      ])
    })

  for (const [what, keys] of REFUSED)
    it(`end the sign-in if it ${what}`, async () => {
      expect(await desk.signIn({ answers: { keys } }, { limits })).to.equal('provider_error')
      expect(await outcomeOf(desk.open({ limits }).check())).to.equal('provider_error')
    })
})

describe('the metadata of a provider', () => {
  const desk = hostileDesk()

  /** What start, completion and check come to. */
  const all = async (changed: Parameters<typeof desk.hostile.behave>[0]) => {
    desk.hostile.behave(changed)
    const provider = desk.open({ limits })
    const request = newRequest()
    const answer = String(new URLSearchParams({ code: 'a', state: request.state, iss: provider.issuer }))
    return Promise.all(
      [provider.start(request), provider.complete(answer, request), provider.check()].map((task) =>
        outcomeOf(task),
      ),
    )
  }

  for (const [what, metadata] of DOWN)
    it(`is unavailable if it ${what}`, async () => {
      expect(new Set(await all({ answers: { metadata } }))).to.deep.equal(new Set(['ProviderUnavailable']))
    })

  for (const [what, metadata] of REFUSED)
    it(`is refused if it ${what}`, async () => {
      expect(await all({ answers: { metadata } })).to.deep.equal([
        ...['ProviderUnavailable', 'provider_error', 'provider_error'],
      ])
    })

  it('is refused if it names another issuer, also one that differs in its last slash only', async () => {
    for (const issuer of ['https://evil.example', `${desk.hostile.issuer}/`, undefined]) {
      const reason = issuer === undefined ? 'provider_error' : 'wrong_issuer'
      expect(await all({ metadata: { issuer } })).to.deep.equal(['ProviderUnavailable', reason, reason])
    }
  })

  for (const route of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'])
    it(`is refused if its ${route} is missing, or not encrypted on another machine`, async () => {
      for (const url of [undefined, 'http://evil.example/', 'file:///etc/passwd', 'javascript:alert(1)', '/'])
        expect(await all({ metadata: { [route]: url } })).to.deep.equal([
          ...['ProviderUnavailable', 'provider_error', 'provider_error'],
        ])
    })

  const reads = () => desk.hostile.requests.filter((request) => request.includes('well-known')).length

  it('is kept for an hour, and read once for all who wait', async () => {
    const before = reads()
    let now = 0
    const provider = desk.open({ now: () => now })
    const starts = () => Promise.all(Array.from({ length: 5 }, () => outcomeOf(provider.start(newRequest()))))
    expect(new Set(await starts())).to.deep.equal(new Set(['done']))
    expect(reads() - before).to.equal(1)
    now = 3_599_999
    await starts()
    expect(reads() - before).to.equal(1)
    now = 3_600_000
    await starts()
    expect(reads() - before).to.equal(2)
  })

  it('is read again after a failure', async () => {
    const provider = desk.open({ limits })
    desk.hostile.behave({ answers: { metadata: sends(500, '') } })
    expect(await outcomeOf(provider.start(newRequest()))).to.equal('ProviderUnavailable')
    desk.hostile.behave({})
    expect(await outcomeOf(provider.start(newRequest()))).to.equal('done')
  })
})

describe('a slow provider', () => {
  const desk = hostileDesk()

  it('keeps at most so many calls waiting, and further ones fail at once', async () => {
    const provider = desk.open({ limits: { ...limits, callsAtOnce: 2 } })
    const requests = [newRequest(), newRequest(), newRequest()]
    const answers: Array<string> = []
    for (const request of requests)
      answers.push(desk.hostile.answerTo(await succeed(provider.start(request))))
    let isOpen = () => {}
    const opened = new Promise<void>((resolve) => {
      isOpen = resolve
    })
    desk.hostile.behave({
      answers: { token: (_, response) => void opened.then(() => sendJson(response, 400, { error: 'a' })) },
    })
    const [one, two] = requests.map((request, at) => completed(provider, answers[at] ?? '', request))
    const third = requests[2] ?? newRequest()
    expect(await completed(provider, answers[2] ?? '', third)).to.equal('ProviderUnavailable')
    isOpen()
    expect(await Promise.all([one, two])).to.deep.equal(['provider_error', 'provider_error'])
    expect(await completed(provider, answers[2] ?? '', third)).to.equal('provider_error')
  })
})
