import { expect } from 'chai'
import type { Answer } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startThrottled, statusesOf, type ThrottledService } from '../support/throttled-service.ts'

const SIGN_IN = '/api/v1/auth/user/token'
const NOT_AN_ADDRESS = 'X-End-User-Address must be one IPv4 or IPv6 address.'

onMemory('sign-ins with X-End-User-Address, with a limit of three failures', (stores) => {
  let running: ThrottledService
  let token: string
  let strangers = 0
  before(async () => {
    running = await startThrottled(await stores.fresh())
    token = await running.applicationToken()
  })
  after(() => running.stop())

  /** An unknown account each time, so that only the address can reach its limit. */
  const stranger = () => {
    strangers += 1
    return `stranger-${strangers}@example.com`
  }
  let addresses = 0
  const newAddress = () => {
    addresses += 1
    return `192.0.2.${addresses}`
  }
  const signInFrom = (
    address: string | undefined,
    body: object,
    sent: { token?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> =>
    running.send({
      method: 'POST',
      path: SIGN_IN,
      token,
      body,
      ...sent,
      headers: { ...(address === undefined ? {} : { 'x-end-user-address': address }), ...sent.headers },
    })
  const failFrom = (address: string | undefined, email = stranger(), as = token) =>
    signInFrom(address, { email, password: 'wrong' }, { token: as })
  const succeedFrom = (address: string) => signInFrom(address, running.user)
  const failTimes = (times: number, address: string, email?: string) =>
    statusesOf(times, () => failFrom(address, email))
  const secondToken = async () => {
    const { service } = running
    const keys = await succeed(service.registerApplication(CONTEXT, { name: 'b', scope: 'users:sign_in' }))
    return (await succeed(service.issueApplicationToken(CONTEXT, keys))).token
  }

  it('wait after three failures, whichever accounts they were for', async () => {
    const address = newAddress()
    expect(await failTimes(3, address)).to.deep.equal([422, 422, 422])
    const refused = await failFrom(address)
    expect(refused.status).to.equal(429)
    expect(refused.headers['retry-after']).to.equal('30')
    expect((await succeedFrom(address)).status).to.equal(429)
  })

  it('count for one address, one application, and not without the header', async () => {
    const address = newAddress()
    const otherApplication = await secondToken()
    expect(await failTimes(4, address)).to.deep.equal([422, 422, 422, 429])
    expect((await failFrom(newAddress())).status).to.equal(422)
    expect((await failFrom(undefined)).status).to.equal(422)
    expect((await failFrom(address, stranger(), otherApplication)).status).to.equal(422)
  })

  for (const [what, all] of [
    [
      'the first half of an IPv6 address',
      ['2001:db8:1:1::1', '2001:DB8:1:1:ffff::2', '2001:db8:1:1::3%eth0'],
    ],
    ['an IPv4 address and its IPv6 form', ['198.51.100.1', '::ffff:198.51.100.1', '::FFFF:C633:6401']],
  ] as const) {
    it(`count together for ${what}`, async () => {
      for (const address of all) expect((await failFrom(address)).status).to.equal(422)
      for (const address of all) expect((await failFrom(address)).status).to.equal(429)
    })
  }

  it('count apart for another first half of an IPv6 address', async () => {
    expect(await failTimes(4, '2001:db8:2:1::1')).to.deep.equal([422, 422, 422, 429])
    expect((await failFrom('2001:db8:2:2::1')).status).to.equal(422)
  })

  it('never count if they are valid, and do not reset the count', async () => {
    const address = newAddress()
    expect(await statusesOf(5, () => succeedFrom(address))).to.deep.equal([200, 200, 200, 200, 200])
    expect(await failTimes(2, address)).to.deep.equal([422, 422])
    expect((await succeedFrom(address)).status).to.equal(200)
    expect(await failTimes(2, address)).to.deep.equal([422, 429])
  })

  it('pass once after the wait, and are forgotten after 15 minutes', async () => {
    const address = newAddress()
    await failTimes(3, address)
    running.clock.passSeconds(30)
    expect(await failTimes(2, address)).to.deep.equal([422, 429])
    running.clock.passSeconds(60 + 15 * 60)
    expect(await failTimes(4, address)).to.deep.equal([422, 422, 422, 429])
  })

  it('do not count for the account while the address must wait', async () => {
    const [address, email] = [newAddress(), stranger()]
    await failTimes(3, address)
    expect(await failTimes(5, address, email)).to.deep.equal([429, 429, 429, 429, 429])
    expect(await statusesOf(4, () => failFrom(undefined, email))).to.deep.equal([422, 422, 422, 429])
  })

  it('do not count for the address while the account must wait', async () => {
    const [address, email] = [newAddress(), stranger()]
    await statusesOf(3, () => failFrom(undefined, email))
    expect(await failTimes(5, address, email)).to.deep.equal([429, 429, 429, 429, 429])
    expect(await failTimes(4, address)).to.deep.equal([422, 422, 422, 429])
  })

  it('count for the address with a malformed e-mail, and not with a missing field', async () => {
    const address = newAddress()
    for (const body of [{}, { email: 'ada' }, { password: 'x' }, { email: 'ada', password: '' }])
      expect((await signInFrom(address, body)).status).to.equal(422)
    expect(await failTimes(4, address, 'ada')).to.deep.equal([422, 422, 422, 429])
  })

  it('are examined three times if forty come at once', async () => {
    const address = newAddress()
    const answers = await Promise.all(Array.from({ length: 40 }, () => failFrom(address)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 422)).to.have.lengthOf(3)
    expect(statuses.filter((status) => status === 429)).to.have.lengthOf(37)
  })

  for (const value of [
    '',
    'localhost',
    '192.0.2.1:8080',
    '[2001:db8::1]',
    '192.0.2',
    '127.1',
    '0x7f.0.0.1',
    '192.0.2.256',
    '192.0.2.1, 192.0.2.2',
    '2001:db8::1::2',
    '2001:db8::1/64',
    'fe80::1%',
    'unknown',
  ]) {
    it(`are 400 for "${value}"`, async () => {
      const answer = await signInFrom(value, running.user)
      expect(answer.status).to.equal(400)
      expect(answer.body).to.deep.equal({ success: false, code: 400, message: NOT_AN_ADDRESS })
    })
  }

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
      const text = requestText('POST', SIGN_IN, headers, JSON.stringify(running.user))
      const answer = await sendRaw(running.port, text)
      expect(answer).to.match(/^HTTP\/1\.1 400 /)
      expect(answer).to.include(NOT_AN_ADDRESS)
    })
  }

  it('are judged by the token, then by body and address, then by the fields', async () => {
    const userToken = await running.userToken()
    const wrongType = { headers: { 'content-type': 'text/plain' } }
    for (const [status, answer] of [
      [401, await signInFrom('nowhere', {}, { token: 'forged' })],
      [403, await signInFrom('nowhere', {}, { token: userToken })],
      [415, await signInFrom('nowhere', {}, wrongType)],
      [400, await signInFrom('nowhere', {})],
      [422, await signInFrom(newAddress(), {})],
    ] as const)
      expect(answer.status).to.equal(status)
  })

  it('are 400 for a wrong address also while address and account must wait', async () => {
    await failTimes(3, newAddress(), 'waiting@example.com')
    expect((await failFrom('nowhere', 'waiting@example.com')).status).to.equal(400)
  })
})
