import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { startThrottled, type ThrottledService } from '../support/throttled-service.ts'

const THROTTLED = [
  'HTTP/1.1 429 Too Many Requests',
  'Cache-Control: no-store',
  'X-Content-Type-Options: nosniff',
  'Retry-After: 30',
  'Content-Type: application/json; charset=utf-8',
  'Content-Length: 113',
  'Connection: close',
  '',
  '{"success":false,"code":429,"message":"Too many failures. Try again after the number of seconds in Retry-After."}',
].join('\r\n')

const INVALID = 'Bearer rubbish'
const KEYS = JSON.stringify({ public_api_key: 'pk_x', private_api_key: 'sk_x' })
const WRONG = JSON.stringify({ old_password: 'wrong', new_password: 'x', new_password_check: 'x' })

/** A request: the credentials, the body, and its status below the failure limit. */
type Asked = Readonly<{
  as: 'application' | 'user' | 'invalid token' | 'no token'
  body: string
  otherwise: number
}>

const ROUTES: ReadonlyArray<readonly [method: string, path: string, Asked]> = [
  [
    'POST',
    '/api/v1/auth/user/token',
    { as: 'application', body: '{"email":"ada@example.com","password":"wrong"}', otherwise: 422 },
  ],
  ['POST', '/api/v1/profile/change_password', { as: 'user', body: WRONG, otherwise: 422 }],
  ['GET', '/api/v1/profile/change_password', { as: 'user', body: WRONG, otherwise: 422 }],
  ['POST', '/api/v1/auth/application/token', { as: 'no token', body: KEYS, otherwise: 401 }],
  ['GET', '/api/v1/profile', { as: 'invalid token', body: '', otherwise: 401 }],
]

onMemory('too many failures', (stores) => {
  let running: ThrottledService
  let bearers: Readonly<Record<Asked['as'], ReadonlyArray<string>>>
  before(async () => {
    running = await startThrottled(await stores.fresh())
    bearers = {
      application: [`Authorization: Bearer ${await running.applicationToken()}`],
      user: [`Authorization: Bearer ${await running.userToken()}`],
      'invalid token': [`Authorization: ${INVALID}`],
      'no token': [],
    }
  })
  after(() => running.stop())
  afterEach(() => running.clock.passSeconds(2 * 86_400)) // then every failure is forgotten

  const send = (method: string, path: string, { as, body }: Asked) => {
    const type = body === '' ? [] : ['Content-Type: application/json']
    return sendRaw(running.port, requestText(method, path, [...type, ...bearers[as]], body))
  }

  for (const [method, path, asked] of ROUTES) {
    it(`return exactly this 429 for the fourth ${method} ${path}, sent with: ${asked.as}`, async () => {
      for (let time = 1; time <= 3; time += 1)
        expect(await send(method, path, asked)).to.match(new RegExp(`^HTTP/1.1 ${asked.otherwise} `))
      expect(withoutDateAndId(await send(method, path, asked))).to.equal(THROTTLED)
    })
  }

  it('answer HEAD with the headers and no body', async () => {
    const profile = ['HEAD', '/api/v1/profile', { as: 'invalid token', body: '', otherwise: 401 }] as const
    for (let time = 1; time <= 3; time += 1) await send(...profile)
    const head = THROTTLED.slice(0, THROTTLED.indexOf('\r\n\r\n') + 4)
    expect(withoutDateAndId(await send(...profile))).to.equal(head)
  })
})
