import { expect } from 'chai'
import { type RunningService, startService } from '../support/running-service.ts'
import { type Scrape, scrape } from '../support/scrape.ts'

const refused = (type: string, reason: string) =>
  `portcullis_refusals_total{type="${type}",reason="${reason}"}`

describe('the metrics of refusals', () => {
  let running: RunningService
  let applicationToken: string
  let userToken: string
  beforeEach(async () => {
    running = await startService({ THROTTLE_ACCOUNT_FAILURES: '2', THROTTLE_ADDRESS_FAILURES: '2' })
    applicationToken = await running.applicationToken()
    userToken = await running.userToken()
  })
  afterEach(() => running.stop())

  const scraping = (): Promise<Scrape> => scrape(`http://127.0.0.1:${running.port}`)
  const signIn = (body: object) =>
    running.send({ method: 'POST', path: '/api/v1/auth/user/token', token: applicationToken, body })
  const issue = (body: object) =>
    running.send({ method: 'POST', path: '/api/v1/auth/application/token', body })
  const change = (body: object) =>
    running.send({ method: 'POST', path: '/api/v1/profile/change_password', token: userToken, body })

  it('count each by the type of its event and its reason', async () => {
    await signIn({})
    await signIn({ email: 'nobody@example.com', password: 'x' })
    await signIn({ email: running.user.email, password: 'x' })
    await issue({ ...running.keys, private_api_key: 'sk_x' })
    await issue({})
    await change({})
    await change({ old_password: 'x', new_password: 'y', new_password_check: 'z' })
    const { value, series } = await scraping()
    const counted = series.filter((one) => one.startsWith('portcullis_refusals_total'))
    expect(counted).to.have.members([
      refused('SignInRefused', 'missing_field'),
      refused('SignInRefused', 'unknown_email'),
      refused('SignInRefused', 'wrong_password'),
      refused('ApplicationTokenRefused', 'malformed_key'),
      refused('ApplicationTokenRefused', 'missing_field'),
      refused('PasswordChangeRefused', 'invalid_fields'),
      refused('PasswordChangeRefused', 'wrong_password'),
    ])
    for (const one of counted) expect(value(one), one).to.equal(1)
  })

  it('count all of them, beyond the limit per minute of the event log', async () => {
    await Promise.all(Array.from({ length: 100 }, () => signIn({})))
    expect((await scraping()).value(refused('SignInRefused', 'missing_field'))).to.equal(100)
  })

  it('count throttled attempts by the throttled subject', async () => {
    const wrong = { email: running.user.email, password: 'x' }
    const statuses: Array<number> = []
    for (let guess = 0; guess < 4; guess += 1) statuses.push((await signIn(wrong)).status)
    for (let guess = 0; guess < 3; guess += 1)
      statuses.push((await change({ old_password: 'x', new_password: 'y', new_password_check: 'y' })).status)
    for (let guess = 0; guess < 5; guess += 1)
      statuses.push((await running.send({ method: 'GET', path: '/api/v1/profile', token: 'x' })).status)
    expect(statuses).to.deep.equal([422, 422, 429, 429, 422, 422, 429, 401, 401, 429, 429, 429])
    const { value } = await scraping()
    expect(value('portcullis_throttled_total{on="session"}')).to.equal(1)
    expect(value('portcullis_throttled_total{on="address"}')).to.equal(3)
    expect(value('portcullis_throttled_total{on="account_in_network"}')).to.equal(2)
    expect(value(refused('SignInRefused', 'too_many_failures'))).to.equal(2)
    expect(value(refused('PasswordChangeRefused', 'too_many_failures'))).to.equal(1)
  })

  it('do not count a wrong old password that only adds to an account at its limit', async () => {
    const throttled = async (on: string) => (await scraping()).value(`portcullis_throttled_total{on="${on}"}`)
    const wrong = { email: running.user.email, password: 'x' }
    for (const status of [422, 422, 429]) expect((await signIn(wrong)).status).to.equal(status)
    expect(await throttled('account_in_network')).to.equal(1)
    for (const status of [422, 422, 429])
      expect(
        (await change({ old_password: 'x', new_password: 'y', new_password_check: 'y' })).status,
      ).to.equal(status)
    expect(await throttled('account_in_network')).to.equal(1)
    expect(await throttled('session')).to.equal(1)
  })
})
