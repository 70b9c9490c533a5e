import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { Request as UndiciRequest } from 'undici'
import { answerWebRequest, injectable } from '../../adapters/http/server/fetch.ts'
import { compose, Dependency, provide } from '../../adapters/index.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import { aborted } from '../support/aborted.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { settings } from '../support/settings.ts'
import { gate } from '../support/waiting.ts'
import { withService } from '../support/with-service.ts'

const ORIGIN = 'http://service.test'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const TOKENS = '/api/v1/auth/application/token'

/** Requests whose answers are the same each time. `TOKEN` stands for a user token. */
const REQUESTS: Readonly<Record<string, readonly [path: string, init?: RequestInit]>> = {
  'the health': ['/healthz'],
  'a HEAD': ['/healthz', { method: 'HEAD' }],
  'the profile': ['/api/v1/profile', { headers: { Authorization: 'Bearer TOKEN' } }],
  'a query': ['/api/v1/profile?a=b%20c#fragment', { headers: { Authorization: 'Bearer TOKEN' } }],
  'a page': ['/docs'],
  'a missing token': ['/api/v1/profile'],
  'an unknown path': ['/nothing'],
  'an encoded path': ['/api/v1/%70rofile'],
  'a redirect': ['/'],
  'a wrong method': ['/api/v1/profile', { method: 'DELETE' }],
  'an answer without a body': ['/api/v1/profile', { method: 'OPTIONS' }],
  'problems with fields': [
    '/api/v1/profile/change_password',
    {
      method: 'POST',
      headers: { Authorization: 'Bearer TOKEN', ...JSON_TYPE },
      body: '{"old_password":"wrong","new_password_check":"x"}',
    },
  ],
  'no body': [TOKENS, { method: 'POST' }],
  'an empty body': [TOKENS, { method: 'POST', headers: JSON_TYPE, body: '' }],
  'bytes that are no text': [TOKENS, { method: 'POST', headers: JSON_TYPE, body: new Uint8Array([0xff]) }],
  'a large body': [TOKENS, { method: 'POST', headers: JSON_TYPE, body: `"${'x'.repeat(20_000)}"` }],
  'a form': ['/oauth2/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'password' }) }],
}

describe('service.fetch', () => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService()
    token = await running.userToken()
  })
  after(() => running.stop())

  const requestTo = (origin: string, [path, init = {}]: readonly [string, RequestInit?]): Request => {
    const headers = new Headers(init.headers)
    headers.set('X-Request-Id', 'the-same')
    headers.set('Authorization', (headers.get('Authorization') ?? '').replace('TOKEN', token))
    if (headers.get('Authorization') === '') headers.delete('Authorization')
    return new Request(`${origin}${path}`, { ...init, headers, redirect: 'manual' })
  }

  const described = async (response: Response) => {
    const { date: _, connection: __, 'keep-alive': ___, ...headers } = Object.fromEntries(response.headers)
    const { status, statusText, ok } = response
    return { status, statusText, ok, headers, body: await response.text(), isEmpty: response.body === null }
  }

  for (const [name, request] of Object.entries(REQUESTS)) {
    it(`answers as the global fetch does: ${name}`, async () => {
      const expected = await described(await fetch(requestTo(`http://127.0.0.1:${running.port}`, request)))
      expect(expected.headers).to.have.property('x-request-id', 'the-same')
      const { isEmpty, ...answered } = await described(
        await running.service.fetch(requestTo(ORIGIN, request)),
      )
      const { isEmpty: _, ...same } = expected
      expect(answered).to.deep.equal(same)
      if (name === 'a HEAD' || answered.status === 204) expect(isEmpty).to.equal(true)
    })
  }

  it('takes a Request of the package undici', async () => {
    const request = new UndiciRequest(`${ORIGIN}${TOKENS}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{}',
    })
    expect((await running.service.fetch(request as unknown as Request)).status).to.equal(422)
  })

  it('sends a body that is a stream', async () => {
    const body = new Blob(['{"public_api_key":"",', '"private_api_key":""}']).stream()
    const request = new Request(`${ORIGIN}${TOKENS}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body,
      duplex: 'half',
    })
    const response = await running.service.fetch(request)
    expect(response.status).to.equal(422)
    expect(await response.json())
      .to.have.property('errors')
      .with.lengthOf(2)
    expect(request.bodyUsed).to.equal(true)
    expect(await messageOf(running.service.fetch(request))).to.equal(
      'The body of the request was read before.',
    )
  })

  for (const status of [200, 204, 304])
    it(`keeps each value of a header with several, with status ${status}`, async () => {
      const request = new Request(`${ORIGIN}/healthz`)
      const cookies = ['a=1; Path=/', 'b=2; Expires=Thu, 01 Jan 2026 00:00:00 GMT']
      const response = await answerWebRequest(
        (_, answer) => answer.writeHead(status, { 'Set-Cookie': cookies, Vary: ['A', 'B'] }).end(),
        await injectable(request),
        request,
      )
      expect(response.status).to.equal(status)
      expect(response.headers.getSetCookie()).to.deep.equal(cookies)
      expect(response.headers.get('vary')).to.equal('A, B')
      expect(response.body === null).to.equal(status !== 200)
    })

  it('counts failures on 127.0.0.1', () =>
    withService({ THROTTLE_ADDRESS_FAILURES: '2' }, async ({ service }) => {
      const statuses = []
      for (let sent = 0; sent < 3; sent += 1) {
        const headers = { Authorization: 'Bearer x' }
        statuses.push((await service.fetch(new Request(`${ORIGIN}/api/v1/profile`, { headers }))).status)
      }
      expect(statuses).to.deep.equal([401, 401, 429])
      expect(
        (await service.inject({ url: '/api/v1/profile', headers: { authorization: 'Bearer x' } })).statusCode,
      ).to.equal(429)
    }))

  it('rejects with the reason of a signal that was aborted before', async () => {
    const reason = new Error('changed my mind')
    const request = new Request(`${ORIGIN}/healthz`, { signal: AbortSignal.abort(reason) })
    expect(await rejectionOf(running.service.fetch(request))).to.equal(reason)
  })

  it('rejects with the reason of a signal that is aborted while the body is read, and cancels the body', async () => {
    const reason = new Error('changed my mind')
    const controller = new AbortController()
    const asked = gate()
    let cancelledFor: unknown
    const body = new ReadableStream({
      pull: () => asked.pass().then(() => undefined),
      cancel: (why) => {
        cancelledFor = why
      },
    })
    const { signal } = controller
    const request = new Request(`${ORIGIN}${TOKENS}`, { method: 'POST', body, duplex: 'half', signal })
    const rejected = rejectionOf(running.service.fetch(request))
    await asked.reached
    controller.abort(reason)
    expect(await rejected).to.equal(reason)
    expect(cancelledFor).to.equal(reason)
  })

  it('rejects with the reason of a signal that is aborted before the answer, and the server sees a disconnect', async () => {
    const reason = new Error('changed my mind')
    const controller = new AbortController()
    const asked = gate()
    const disconnected = gate()
    const until: PasswordHasher['verify'] = (_password, _record, hashing) => async () => {
      void asked.pass()
      await aborted(hashing.signal)
      void disconnected.pass()
      return right(true)
    }
    const { service, send } = await signingIn({ ...plainHasher(), verify: until })
    const rejected = rejectionOf(send(controller.signal))
    await asked.reached
    controller.abort(reason)
    expect(await rejected).to.equal(reason)
    await disconnected.reached
    await service.stop()
  })

  it('is answered before the service stops, and refused afterwards', async () => {
    const held = gate()
    const slow = plainHasher((work) => (work === 'verify' ? held.pass() : Promise.resolve(undefined)))
    const { service, send } = await signingIn(slow)
    const response = send()
    await held.reached
    const endless = new Request(`${ORIGIN}${TOKENS}`, {
      method: 'POST',
      body: new ReadableStream(),
      duplex: 'half',
    })
    void service.fetch(endless) // its body never ends, and does not delay the stop
    const stopped = service.stop()
    await setImmediate() // so that it closes everything it does not wait for
    held.open()
    expect((await response).status).to.equal(200)
    await stopped
    const late = await messageOf(service.fetch(new Request(`${ORIGIN}/healthz`)))
    expect(late).to.equal('The service has stopped, so it answers no request.')
  })
})

/** A service with this hasher, and a sign-in at it. */
const signingIn = async (hasher: PasswordHasher) => {
  const service = await compose(
    settings(),
    provide(Dependency.passwordHasher, () => hasher),
  )
  const scope = 'users:sign_in'
  const made = await succeed(service.registerApplication(CONTEXT, { name: 'tests', scope }))
  await succeed(service.registerUser(CONTEXT, { email: 'a@b.c', password: 'pw' }, OPERATOR))
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, made))
  const send = (signal: AbortSignal | null = null) =>
    service.fetch(
      new Request(`${ORIGIN}/api/v1/auth/user/token`, {
        method: 'POST',
        headers: { ...JSON_TYPE, Authorization: `Bearer ${token}` },
        body: '{"email":"a@b.c","password":"pw"}',
        signal,
      }),
    )
  return { service, send }
}

const rejectionOf = (answer: Promise<Response>): Promise<unknown> =>
  answer.then(
    ({ status }) => `answered with ${status}`,
    (reason) => reason,
  )

const messageOf = async (answer: Promise<Response>): Promise<string> =>
  String(Object(await rejectionOf(answer)).message)
