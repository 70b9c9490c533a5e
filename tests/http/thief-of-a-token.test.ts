import { expect } from 'chai'
import { onEveryStore } from '../support/every-store.ts'
import { factorDesk, totpAt, verifiedUser } from '../support/factor-desk.ts'
import type { Answer } from '../support/http-client.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { onMemory } from '../support/one-store.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { type FactorDesk, STEP_UP, startFactorDesk } from '../support/second-factor-service.ts'

const SESSIONS = '/api/v1/profile/sessions'
const OWN = 'chosen by the owner'
const SETTINGS = { ...mailLinkSettings(), SECOND_FACTORS: 'on' }

const recoverAt = ({ running }: Pick<FactorDesk, 'running'>, token: string) =>
  running.send({
    method: 'POST',
    path: '/api/v1/users/recovery/complete',
    body: { token, new_password: OWN, new_password_check: OWN },
  })

/** The owner of the mailbox owns the account (docs/threat-model.md), whatever a thief of one user token repeats. */
onMemory('a thief of one user token', (stores) => {
  let desk: FactorDesk & { stop: () => Promise<void> }
  let stolen: string
  let recoverer: string
  beforeEach(async () => {
    desk = await startFactorDesk(stores, SETTINGS)
    stolen = await desk.userToken()
    desk.passSeconds(3600) // the token is no longer fresh
    recoverer = await scopedToken(desk.running, 'users:recover')
  })
  afterEach(async () => {
    await desk.expectAgreement()
    await desk.stop()
  })

  /** A path that does not exist would try nothing. */
  const found = async (asked: Promise<Answer>): Promise<Answer> => {
    const answer = await asked
    expect(answer.status).to.not.be.oneOf([404, 405])
    return answer
  }
  const read = (path: string) => found(desk.running.send({ method: 'GET', path, token: stolen }))
  const post = (path: string, body: object = {}) => found(desk.post(path, stolen, body))

  let rounds = 0
  /** Everything that the token can do, and all that it can try, except to end itself. */
  const round = async (): Promise<void> => {
    const listed = (await read(SESSIONS)).body.sessions ?? []
    const others = listed.filter(({ current }: { current: boolean }) => !current)
    for (const { id } of others) await post(`${SESSIONS}/end`, { session_id: id })
    const factors = (await read('/api/v1/profile/factors')).body.factors ?? []
    for (const { id } of factors) {
      await post('/api/v1/profile/factors/rename', { factor_id: id, name: 'evil' })
      await post('/api/v1/profile/factors/remove', { factor_id: id })
    }
    await post('/api/v1/profile/factors/totp')
    const forged = { enrolment: 'forged', totp: desk.wrongCode(), name: 'evil' }
    await post('/api/v1/profile/factors/totp/complete', forged)
    await post('/api/v1/profile/factors/recovery_codes')
    rounds += 1
    await post('/api/v1/profile/attributes', { name: `evil ${rounds}` })
    await post('/api/v1/profile/remove', { password: 'guess' })
    await post('/api/v1/profile/change_password', {
      old_password: 'guess',
      new_password: 'evil',
      new_password_check: 'evil',
    })
    await post('/api/v1/profile/email')
    await post('/api/v1/profile/email', { email: `evil.${rounds}@example.com`, password: 'guess' })
    await post(STEP_UP, { totp: desk.wrongCode() })
    await post(STEP_UP, { password: 'guess' })
    await post(`${SESSIONS}/end_others`)
    await post(`${SESSIONS}/end_others`)
  }

  /** The owner acts after a round of the thief, and during another one. */
  const besides = async (act: () => Promise<Answer>): Promise<Answer> => {
    await round()
    const [answer] = await Promise.all([act(), round()])
    return answer
  }

  const startRecovery = () =>
    desk.post('/api/v1/users/recovery', recoverer, { email: desk.running.user.email })
  const recover = (token: string) => recoverAt(desk, token)

  it('cannot keep the owner from a recovery, a sign-in and its second step', async () => {
    const started = await besides(startRecovery)
    expect((await besides(() => recover(started.body.token))).status).to.equal(200)
    expect((await read('/api/v1/profile')).status, 'the token of the thief').to.equal(401)
    const waiting = await besides(() => desk.signIn(OWN))
    const done = await besides(() => desk.complete(waiting.body.second_factor.token, { totp: desk.code() }))
    expect(done.status).to.equal(200)
    const profile = await besides(() =>
      desk.running.send({ method: 'GET', path: '/api/v1/profile', token: done.body.token }),
    )
    expect(profile.status).to.equal(200)
  })

  it('cannot end a sign-in that waits for its second step, nor a recovery', async () => {
    const { body } = await startRecovery()
    const waiting = await desk.pending()
    for (let times = 0; times < 8; times += 1)
      expect((await post(`${SESSIONS}/end_others`)).status).to.equal(200)
    expect((await desk.complete(waiting, { totp: desk.code() })).status).to.equal(200)
    expect((await recover(body.token)).status).to.equal(200)
  })

  it('does not outlive the end of all sessions, and neither does a sign-in that waits', async () => {
    const waiting = await desk.pending()
    const manager = await scopedToken(desk.running, 'users:manage')
    const ended = await desk.post('/api/v1/users/end_sessions', manager, { user_id: desk.running.user.id })
    expect(ended.status).to.equal(200)
    expect((await read('/api/v1/profile')).status).to.equal(401)
    const { status, body } = await desk.complete(waiting, { totp: desk.code() })
    expect([status, body.errors[0].code]).to.deep.equal([422, 3])
  })
})

onEveryStore('a thief of a fresh token of a user without a factor', (stores) => {
  it('ends no recovery of the owner with 29 changes of factors in 48 minutes', async () => {
    const { stop, ...desk } = await startFactorDesk(stores, SETTINGS)
    try {
      const owner = await verifiedUser(desk.running)
      const recoverer = await scopedToken(desk.running, 'users:recover')
      const factors = factorDesk(desk.running, () => desk.time.now)
      let stolen = await desk.running.userToken(owner)
      let app = await factors.enrol(stolen)
      stolen = app.answer.body.token
      const started = await desk.post('/api/v1/users/recovery', recoverer, { email: owner.email })
      const made: Array<number> = []
      for (let round = 1; round <= 24; round += 1) {
        desk.passSeconds(120)
        if (round % 4 === 0) {
          const answer = await desk.post(STEP_UP, stolen, { totp: totpAt(app.secret, desk.time.now) })
          expect(answer.status, 'the step-up').to.equal(200)
          stolen = answer.body.token
        }
        if (round % 6 === 0) {
          made.push((await factors.remove(stolen, { factor_id: app.answer.body.id })).status)
          app = await factors.enrol(stolen)
          made.push(app.answer.status)
          stolen = app.answer.body.token
        } else made.push((await factors.renewCodes(stolen)).status)
      }
      expect(
        made.filter((status) => status !== 200 && status !== 201),
        'refused changes',
      ).to.deep.equal([])
      expect((await recoverAt(desk, started.body.token)).status, 'the recovery').to.equal(200)
      expect((await factors.list(stolen)).status, 'the token of the thief').to.equal(401)
      await desk.expectAgreement()
    } finally {
      await stop()
    }
  })
})
