import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { Dependency, memoryStore, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import { isOneTimeToken } from '../../domain/one-time-token.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { gate } from '../support/waiting.ts'
import { type AccountLife, newAccountLife } from './account-life.ts'
import { CONTEXT, FULL, NOW } from './world.ts'

const HOUR = 3600
const UNKNOWN = { expiresInSeconds: HOUR, account: none }

describe('startRecovery, given that Ada@Example.com is registered', () => {
  let life: AccountLife
  beforeEach(async () => {
    life = await newAccountLife()
  })

  const start = (email: string | undefined) => life.service.startRecovery(CONTEXT, life.deskCaller, { email })
  const newEvents = async () => (await life.settledEvents()).slice(-1)

  it('for her e-mail in any case, then it returns a token and the e-mail on record', async () => {
    const { expiresInSeconds, account } = await succeed(start('ADA@example.com'))
    expect(expiresInSeconds).to.equal(HOUR)
    if (account._tag === 'None') throw new Error('no account')
    const { token, ...rest } = account.value
    expect(rest).to.deep.equal({ userId: life.ada.id, email: 'Ada@Example.com', emailVerified: false })
    expect(isOneTimeToken('recovery', token)).to.equal(true)
  })

  it('then the event has the application as actor, and nothing secret', async () => {
    const { account } = await succeed(start(life.ada.email))
    const [event] = await newEvents()
    expect(event).to.deep.include({
      type: 'RecoveryStarted',
      subject: { kind: 'user', id: life.ada.id },
      actor: { kind: 'application', id: life.desk.application.id },
    })
    expect(event?.data).to.have.all.keys('token_id', 'expires_at')
    expect(event?.data).to.include({ expires_at: new Date(Date.parse(NOW) + HOUR * 1000).toISOString() })
    const text = JSON.stringify(event)
    if (account._tag === 'None') throw new Error('no account')
    for (const secret of [account.value.token, life.ada.email]) expect(text).not.to.include(secret)
  })

  for (const [what, email] of [
    ['an unknown e-mail', 'eve@example.com'],
    ['a malformed e-mail', 'ada'],
  ] as const) {
    it(`for ${what}, then it returns no account and records nothing`, async () => {
      const before = await life.settledEvents()
      expect(await succeed(start(email))).to.deep.equal(UNKNOWN)
      expect(await life.settledEvents()).to.deep.equal(before)
    })
  }

  it('for a disabled account, then it returns no account', async () => {
    await succeed(life.service.disableUser(CONTEXT, life.ada.email))
    expect(await succeed(start(life.ada.email))).to.deep.equal(UNKNOWN)
    await succeed(life.service.enableUser(CONTEXT, life.ada.email))
    expect((await succeed(start(life.ada.email))).account).not.to.deep.equal(none)
  })

  it('for the id of a removed account, then it returns no account', async () => {
    await succeed(life.service.removeUser(CONTEXT, life.ada.email))
    for (const email of [life.ada.email, life.ada.id]) {
      expect(await succeed(start(email))).to.deep.equal(UNKNOWN)
    }
  })

  it('without an e-mail, then it is refused and neither counted nor noted', async () => {
    const before = await life.settledEvents()
    for (let each = 0; each < 9; each += 1)
      expect(await fail(start(''))).to.deep.equal({ _tag: 'Invalid', problems: ['EmailMissing'] })
    expect(await life.settledEvents()).to.deep.equal(before)
  })

  it('with the lifetime of RECOVERY_TTL', async () => {
    const short = await newAccountLife({ environment: { RECOVERY_TTL: '60' } })
    expect((await short.startRecovery()).expiresInSeconds).to.equal(60)
    expect((await short.settledEvents()).at(-1)?.data).to.include({
      expires_at: new Date(Date.parse(NOW) + 60_000).toISOString(),
    })
  })

  for (const [what, email] of [
    ['an account', 'ada@example.com'],
    ['an unknown e-mail', 'eve@example.com'],
  ] as const) {
    it(`when ${what} has had five starts, then it waits for the rest of the hour`, async () => {
      for (let each = 0; each < 5; each += 1) {
        await succeed(start(each % 2 === 0 ? email : email.toUpperCase()))
        life.clock.passSeconds(60)
      }
      expect(await fail(start(email))).to.deep.equal({
        _tag: 'Throttled',
        retryAfterSeconds: HOUR - 300,
        tooMany: 'mails_to_email',
      })
      expect(await newEvents()).to.deep.equal([
        {
          type: 'RecoveryRefused',
          subject: { kind: 'service', id: 'portcullis' },
          actor: { kind: 'application', id: life.desk.application.id },
          data: { codes: [] },
        },
      ])
      await succeed(start('another@example.com'))
      life.clock.passSeconds(HOUR - 300)
      await succeed(start(email))
    })
  }

  it('when the store takes no change, then it does not count', async () => {
    life.store.readOnly = true
    for (let each = 0; each < 9; each += 1) expect(await fail(start(life.ada.email))).to.deep.equal(FULL)
    life.store.readOnly = false
    await succeed(start(life.ada.email))
  })

  it('when several tokens were made, then all of them live', async () => {
    const tokens = [await life.recoveryToken(), await life.recoveryToken()]
    expect(new Set(tokens).size).to.equal(2)
    const [first = ''] = tokens
    const request = { token: first, newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(life.service.completeRecovery(CONTEXT, request))
  })
})

describe('startRecovery, given that an application may start three recoveries an hour', () => {
  let life: AccountLife
  beforeEach(async () => {
    life = await newAccountLife({ environment: { THROTTLE_RECOVERIES: '3' } })
    for (const email of ACCOUNTS)
      await succeed(life.service.registerUser(CONTEXT, { email, password: 'old' }, OPERATOR))
  })

  const ACCOUNTS = ['bob@example.com', 'cleo@example.com', 'dan@example.com', 'eve@example.com']
  const REFUSED = { _tag: 'Throttled', retryAfterSeconds: HOUR, tooMany: 'recoveries' }
  const startAs = (caller: AccountLife['deskCaller'], email: string) =>
    life.service.startRecovery(CONTEXT, caller, { email })
  const start = (email: string) => startAs(life.deskCaller, email)
  const startThree = async () => {
    for (const email of ACCOUNTS.slice(0, 3)) await succeed(start(email))
  }

  it('when it has made three tokens, then it waits, and another application does not', async () => {
    await startThree()
    expect(await fail(start(life.ada.email))).to.deep.equal(REFUSED)
    const application = { ...life.deskCaller.application, id: 'another' }
    await succeed(startAs({ ...life.deskCaller, application }, life.ada.email))
  })

  it('when it has made three tokens, then an unknown e-mail is refused like an account', async () => {
    await startThree()
    for (const email of ['unknown@example.com', 'malformed', life.ada.email])
      expect(await fail(start(email)), email).to.deep.equal(REFUSED)
  })

  it('when starts made no token, then they do not count for it', async () => {
    await succeed(life.service.disableUser(CONTEXT, life.ada.email))
    for (const email of ['u1@example.com', 'u2@example.com', 'malformed', life.ada.email])
      expect((await succeed(start(email))).account).to.deep.equal(none)
    await startThree()
    expect(await fail(start('eve@example.com'))).to.deep.equal(REFUSED)
  })

  it('when made-up e-mails are being looked up, then they do not count for it', async () => {
    const lookUps = gate(2)
    const store = memoryStore()
    const slow: Store = {
      ...store,
      findUserByEmail: (email) => async () => {
        if (email.startsWith('made-up')) await lookUps.pass()
        return store.findUserByEmail(email)()
      },
    }
    const modules = [provide(Dependency.storage, () => ({ store: slow }))]
    life = await newAccountLife({ environment: { THROTTLE_RECOVERIES: '2' }, modules })
    const madeUp = Promise.all([1, 2].map((each) => succeed(start(`made-up-${each}@example.com`))))
    await lookUps.reached
    await life.recoveryToken()
    lookUps.open()
    await madeUp
  })

  it('when starts of one e-mail are refused, then they do not count for the application', async () => {
    life = await newAccountLife({ environment: { THROTTLE_RECOVERIES: '6' } })
    await succeed(life.service.registerUser(CONTEXT, { email: 'bob@example.com', password: 'old' }, OPERATOR))
    for (let each = 0; each < 5; each += 1) await succeed(start(life.ada.email))
    for (let each = 0; each < 9; each += 1)
      expect((await fail(start(life.ada.email)))._tag).to.equal('Throttled')
    await succeed(start('bob@example.com'))
    expect(await fail(start('bob@example.com'))).to.deep.equal(REFUSED)
  })

  it('when it waits, then its refused starts count neither on the e-mail nor on the network', async () => {
    life = await newAccountLife({
      environment: { THROTTLE_RECOVERIES: '1', THROTTLE_ADDRESS_FAILURES: '2' },
    })
    const startFrom = (endUserAddress: string) =>
      life.service.startRecovery({ ...CONTEXT, endUserAddress }, life.deskCaller, { email: life.ada.email })
    await succeed(startFrom('192.0.2.2'))
    for (let each = 0; each < 9; each += 1) expect(await fail(startFrom('192.0.2.1'))).to.deep.equal(REFUSED)
    life.clock.passSeconds(HOUR)
    await succeed(startFrom('192.0.2.1'))
  })
})

describe('a started recovery', () => {
  it('agrees with the log, and its row does not contain the token', async () => {
    const life = await newAccountLife()
    const token = await life.recoveryToken()
    expect(await life.disagreements()).to.deep.equal([])
    const [row] = await succeed(life.store.listRows({ table: 'one_time_tokens', after: '', limit: 9 }))
    expect(row).to.deep.include({
      purpose: 'recovery',
      userId: life.ada.id,
      email: life.ada.email,
      used: false,
    })
    expect(JSON.stringify(row)).not.to.include(token.slice(4))
    expect(some(row?.applicationId)).to.deep.equal(some(life.desk.application.id))
  })
})
