import { expect } from 'chai'
import type { Answer, TestRequest } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { startThrottled, type ThrottledService } from '../support/throttled-service.ts'

const SIGN_IN = '/api/v1/auth/user/token'
const NOT_AN_ADDRESS = 'X-End-User-Address must be one IPv4 or IPv6 address.'

onMemory('sign-ins with X-End-User-Address, with a limit of three failures', (stores) => {
  let running: ThrottledService
  let token: string
  before(async () => {
    running = await startThrottled(await stores.fresh())
    token = await running.applicationToken()
  })
  after(() => running.stop())

  const signInFrom = (address: string, body: object, sent: Partial<TestRequest> = {}): Promise<Answer> =>
    running.send({
      method: 'POST',
      path: SIGN_IN,
      token,
      body,
      ...sent,
      headers: { 'x-end-user-address': address, ...sent.headers },
    })

  it('are 400 for anything else than one address', async () => {
    for (const value of [
      '',
      'localhost',
      '192.0.2.1:8080',
      '[2001:db8::1]',
      '127.1',
      '192.0.2.256',
      '192.0.2.1, 192.0.2.2',
      '2001:db8::1/64',
      'fe80::1%',
    ]) {
      const { status, body } = await signInFrom(value, running.user)
      expect([status, body]).to.deep.equal([400, { success: false, code: 400, message: NOT_AN_ADDRESS }])
    }
  })

  for (const values of [
    ['192.0.2.200', '192.0.2.200'],
    ['', '192.0.2.200'],
  ]) {
    it(`are 400 for the header lines ${JSON.stringify(values)}`, async () => {
      const headers = [
        'Content-Type: application/json',
        `Authorization: Bearer ${token}`,
        ...values.map((value) => `X-End-User-Address: ${value}`),
      ]
      const answer = await sendRaw(
        running.port,
        requestText('POST', SIGN_IN, headers, JSON.stringify(running.user)),
      )
      expect(answer).to.match(/^HTTP\/1\.1 400 /)
      expect(answer).to.include(NOT_AN_ADDRESS)
    })
  }

  for (const [what, all] of [
    [
      'the first half of an IPv6 address',
      ['2001:db8:1:1::1', '2001:DB8:1:1:ffff::2', '2001:db8:1:1::3%eth0'],
    ],
    ['an IPv4 address and its IPv6 form', ['198.51.100.1', '::ffff:198.51.100.1', '::FFFF:C633:6401']],
  ] as const) {
    it(`count together for ${what}`, async () => {
      for (const [each, address] of all.entries())
        expect(
          (await signInFrom(address, { email: `${what[4]}${each}@x.x`, password: 'x' })).status,
        ).to.equal(422)
      expect((await signInFrom(all[0], running.user)).status).to.equal(429)
    })
  }

  it('are judged by the token, then by body and address, then by the fields and the limits', async () => {
    const userToken = await running.userToken()
    const waiting = { email: 'waiting@example.com', password: 'x' }
    for (let each = 0; each < 4; each += 1) await signInFrom('192.0.2.60', waiting)
    for (const [status, answer] of [
      [401, await signInFrom('nowhere', {}, { token: 'forged' })],
      [403, await signInFrom('nowhere', {}, { token: userToken })],
      [415, await signInFrom('nowhere', {}, { headers: { 'content-type': 'text/plain' } })],
      [400, await signInFrom('nowhere', {})],
      [400, await signInFrom('nowhere', waiting)],
      [422, await signInFrom('192.0.2.60', {})],
      [429, await signInFrom('192.0.2.60', waiting)],
    ] as const)
      expect(answer.status).to.equal(status)
  })
})
