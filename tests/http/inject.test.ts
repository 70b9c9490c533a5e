import { expect } from 'chai'
import type { InjectedRequest } from '../../adapters/index.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { answersIn, requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { withService } from '../support/with-service.ts'

type Request = Readonly<{ method: string; url: string; headers?: Record<string, string>; payload?: string }>

const JSON_TYPE = { 'Content-Type': 'application/json' }
const CHANGE = '/api/v1/profile/change_password'

/** Requests whose answers are the same each time. `TOKEN` stands for a user token. */
const REQUESTS: Readonly<Record<string, Request>> = {
  'the health': { method: 'GET', url: '/healthz' },
  'a HEAD': { method: 'HEAD', url: '/healthz' },
  'the profile': { method: 'GET', url: '/api/v1/profile', headers: { Authorization: 'Bearer TOKEN' } },
  'keys with an ETag': { method: 'GET', url: '/.well-known/jwks.json' },
  'a page': { method: 'GET', url: '/docs' },
  'a missing token': { method: 'GET', url: '/api/v1/profile' },
  'an unknown path': { method: 'GET', url: '/nothing' },
  'an absolute target': { method: 'GET', url: 'http://service.test/healthz' },
  'a wrong method': { method: 'DELETE', url: '/api/v1/profile' },
  'a body with GET': {
    method: 'GET',
    url: CHANGE,
    headers: { Authorization: 'Bearer TOKEN', ...JSON_TYPE },
    payload: '{"new_password":"x"}',
  },
  'a compressed body': {
    method: 'POST',
    url: '/api/v1/auth/application/token',
    headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' },
    payload: '{}',
  },
  'a wrong host': { method: 'GET', url: '/healthz', headers: { Host: 'a b' } },
  'an unknown expectation': { method: 'GET', url: '/healthz', headers: { Expect: 'tea' } },
}

describe('service.inject', () => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService()
    token = await running.userToken()
  })
  after(() => running.stop())

  const overSocket = async ({ method, url, headers = {}, payload = '' }: Request) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const text = requestText(method, url, lines, payload)
    const received = await sendRaw(
      running.port,
      headers.Host === undefined ? text : text.replace('Host: service.test\r\n', ''),
    )
    const [answer] = answersIn(received)
    const { date: _, connection: __, ...rest } = answer?.headers ?? {}
    return {
      status: answer?.status,
      headers: rest,
      body: Buffer.from(answer?.body ?? '', 'latin1').toString(),
    }
  }

  const injected = async (request: InjectedRequest) => {
    const { statusCode, headers, payload } = await running.service.inject(request)
    const { date: _, ...rest } = headers
    return { status: statusCode, headers: rest, body: payload }
  }

  const filled = ({ headers = {}, ...request }: Request): Request => ({
    ...request,
    headers: Object.fromEntries(
      Object.entries({ ...headers, 'X-Request-Id': 'the-same' }).map(([name, value]) => [
        name,
        value.replace('TOKEN', token),
      ]),
    ),
  })

  for (const [name, request] of Object.entries(REQUESTS)) {
    it(`answers as over a socket: ${name}`, async () => {
      const expected = await overSocket(filled(request))
      expect(expected.headers).to.have.property('x-request-id', 'the-same')
      expect(await injected(filled(request))).to.deep.equal(expected)
    })
  }

  it('sends objects as JSON: register, sign in and change the password', async () => {
    const { service, keys } = running
    const post = async (url: string, payload: object, bearer = '') => {
      const headers = { authorization: `Bearer ${bearer}` }
      const response = await service.inject({ method: 'POST', url, headers, payload })
      return {
        status: response.statusCode,
        fields: response.json(),
        same: response.body === response.payload,
      }
    }
    const application = (await post('/api/v1/auth/application/token', keys)).fields.token
    const eve = { email: 'eve@example.com', password: 'one' }
    expect(await post('/api/v1/users', eve, application)).to.include({ status: 201, same: true })
    const { fields } = await post('/api/v1/auth/user/token', eve, application)
    const change = { old_password: 'one', new_password: 'two', new_password_check: 'two' }
    expect(await post(CHANGE, change, fields.token)).to.deep.include({ status: 200 })
    expect(await post(CHANGE, change, fields.token)).to.have.nested.property('fields.errors[0].code', 4)
  })

  it('sends bytes as they are', async () => {
    const request = { method: 'POST', url: '/api/v1/auth/application/token', headers: JSON_TYPE }
    const utf16 = await running.service.inject({ ...request, payload: new Uint8Array([0xff, 0xfe]) })
    expect(utf16.statusCode).to.equal(400)
    const empty = await running.service.inject({ ...request, payload: new TextEncoder().encode('{}') })
    expect(empty.statusCode).to.equal(422)
    expect(Buffer.from(empty.rawPayload).toString()).to.equal(empty.payload)
  })

  it('counts failures on the given address', () =>
    withService({ THROTTLE_ADDRESS_FAILURES: '2' }, async ({ service }) => {
      const failing = (remoteAddress?: string) =>
        service.inject({
          url: '/api/v1/profile',
          headers: { authorization: 'Bearer x' },
          ...(remoteAddress === undefined ? {} : { remoteAddress }),
        })
      const statuses = []
      for (const address of ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2', undefined])
        statuses.push((await failing(address)).statusCode)
      expect(statuses).to.deep.equal([401, 401, 429, 401, 401])
    }))
})
