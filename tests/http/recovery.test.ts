import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { type AccountDesk, openDesk, RECOVERY } from '../support/account-desk.ts'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { statusesOf } from '../support/throttled-service.ts'
import { gate } from '../support/waiting.ts'

const HOUR = 3600
const NULLS = { token: null, expires_in: HOUR, user_id: null, email: null, email_verified: null }

onMemory('POST /api/v1/users/recovery', (stores) => {
  let desk: AccountDesk
  beforeEach(async () => {
    desk = await openDesk(await stores.fresh())
  })
  afterEach(() => desk.stop())

  it('returns a token, its lifetime, the user and the e-mail on record, and nothing else', async () => {
    const answer = await desk.startRecovery({ email: 'ADA@example.COM' })
    expect(answer.status).to.equal(200)
    const { token, ...rest } = answer.body
    expect(token).to.match(/^ort_[0-9A-Za-z]{49}$/)
    expect(rest).to.deep.equal({
      expires_in: HOUR,
      user_id: desk.user.id,
      email: 'Ada@Example.com',
      email_verified: false,
    })
    expect(answer.headers['cache-control']).to.equal('no-store')
  })

  it('returns the same bytes for an unknown e-mail, a malformed one, a disabled and a removed user', async () => {
    const answerTo = async (email: string) => {
      const { status, headers, body } = await desk.startRecovery({ email })
      const { date: _, 'x-request-id': __, ...same } = headers
      return { status, same, body: JSON.stringify(body) }
    }
    const unknown = await answerTo('eve@example.com')
    expect(unknown.body).to.equal(JSON.stringify(NULLS))
    expect(await answerTo('malformed')).to.deep.equal(unknown)
    await succeed(desk.service.disableUser(CONTEXT, desk.user.email))
    expect(await answerTo(desk.user.email)).to.deep.equal(unknown)
    await succeed(desk.service.removeUser(CONTEXT, desk.user.email))
    expect(await answerTo(desk.user.email)).to.deep.equal(unknown)
    expect(await eventsOf(desk.service.store, 'RecoveryStarted')).to.deep.equal([])
  })

  for (const email of [undefined, null, '', 1, ['ada@example.com'], '\ud800']) {
    it(`is 422 with code 1 for the e-mail ${JSON.stringify(email)}`, async () => {
      const answer = await desk.startRecovery({ email })
      expect([answer.status, answer.body.errors]).to.deep.equal([
        422,
        [{ code: 1, message: 'email is missing or empty.', param: 'email' }],
      ])
    })
  }

  it('requires an application token with the scope users:recover', async () => {
    const statusOf = async (token: string | undefined) => {
      const body = { email: desk.user.email }
      const request = { method: 'POST', path: RECOVERY, body }
      return (await desk.send(token === undefined ? request : { ...request, token })).status
    }
    expect(await statusOf(undefined)).to.equal(401)
    expect(await statusOf(await desk.applicationToken())).to.equal(403)
    expect(await statusOf(await scopedToken(desk, 'users:confirm_email'))).to.equal(403)
    expect(await statusOf(await desk.userToken())).to.equal(403)
    expect(await statusOf(await scopedToken(desk, 'users:recover'))).to.equal(200)
  })

  for (const [what, email] of [
    ['an account', 'ada@example.com'],
    ['an unknown e-mail', 'eve@example.com'],
  ] as const) {
    it(`takes five starts an hour for ${what}, then answers 429 until the hour is over`, async () => {
      const start = () => desk.startRecovery({ email })
      expect(await statusesOf(5, start)).to.deep.equal([200, 200, 200, 200, 200])
      desk.clock.passSeconds(HOUR - 1)
      const refused = await start()
      expect([refused.status, refused.headers['retry-after'], refused.body.message]).to.deep.equal([
        429,
        '1',
        'Too many recoveries were started. Try again after the number of seconds in Retry-After.',
      ])
      desk.clock.passSeconds(1)
      expect((await start()).status).to.equal(200)
      const [noted] = await eventsOf(desk.service.store, 'RecoveryRefused')
      expect(noted).to.deep.include({
        subject: { kind: 'service', id: 'portcullis' },
        actor: { kind: 'application', id: desk.desk.id },
        data: { codes: [] },
      })
    })
  }

  it('counts every start on the network in X-End-User-Address, and checks the header', async () => {
    const startFrom = (address: string) => (each: number) =>
      desk.startRecovery({ email: `user-${each}@example.com` }, { 'x-end-user-address': address })
    expect(await statusesOf(4, startFrom('192.0.2.1'))).to.deep.equal([200, 200, 200, 429])
    expect((await startFrom('192.0.2.1')(9)).body.message).to.match(
      /^Too many failures or recoveries from the network of this end user\. /,
    )
    expect((await startFrom('192.0.2.2')(9)).status).to.equal(200)
    expect((await startFrom('nowhere')(9)).status).to.equal(400)
  })
})

onMemory('POST /api/v1/users/recovery, with limits of its own', (stores) => {
  let desk: AccountDesk
  const open = async (environment: Environment) => {
    desk = await openDesk({ ...(await stores.fresh()), ...environment })
  }
  afterEach(() => desk.stop())

  it('answers 429 after THROTTLE_RECOVERIES=2 tokens of one application, and 200 to another application', async () => {
    await open({ THROTTLE_RECOVERIES: '2' })
    const start = (email: string) => desk.startRecovery({ email })
    expect(await statusesOf(9, (each) => start(`user-${each}@example.com`))).to.deep.equal(Array(9).fill(200))
    expect(await statusesOf(3, () => start(desk.user.email))).to.deep.equal([200, 200, 429])
    expect((await start('unknown@example.com')).status).to.equal(429)
    const token = await scopedToken(desk, 'users:recover')
    const other = await desk.send({ method: 'POST', path: RECOVERY, token, body: { email: 'a@b.c' } })
    expect(other.status).to.equal(200)
  })

  it('makes a token for a user after 600 made-up e-mails from three networks', async () => {
    await open({ THROTTLE_ADDRESS_FAILURES: '300' })
    const startFrom = (network: number, email: string) =>
      desk.startRecovery({ email }, { 'x-end-user-address': `192.0.2.${network}` })
    for (let first = 0; first < 600; first += 50) {
      const made = Array.from({ length: 50 }, (_, each) => first + each)
      const answers = await Promise.all(made.map((each) => startFrom(each % 3, `u-${each}@example.com`)))
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
    }
    expect((await startFrom(9, desk.user.email)).body.token).to.be.a('string')
  }).timeout(60_000)

  it('makes a token for a user while as many made-up e-mails as THROTTLE_RECOVERIES are looked up', async () => {
    const lookUps = gate(2)
    const modules = await stores.behind((store) => ({
      ...store,
      findUserByEmail: (email) => async () => {
        if (email.startsWith('made-up')) await lookUps.pass()
        return store.findUserByEmail(email)()
      },
    }))
    desk = await openDesk({ THROTTLE_RECOVERIES: '2' }, ...modules)
    const madeUp = Promise.all(
      [1, 2].map((each) => desk.startRecovery({ email: `made-up-${each}@example.com` })),
    )
    await lookUps.reached
    const answer = await desk.startRecovery()
    lookUps.open()
    expect((await madeUp).map(({ status }) => status)).to.deep.equal([200, 200])
    expect([answer.status, typeof answer.body.token]).to.deep.equal([200, 'string'])
  })
})
