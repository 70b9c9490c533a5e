import { expect } from 'chai'
import { type AccountDesk, openDesk } from '../support/account-desk.ts'
import { FACTOR_SETTINGS, factorDesk } from '../support/factor-desk.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { scopedToken } from '../support/scoped-token.ts'

const VOUCHED = '/api/v1/auth/user/vouched'
const VICTIM = 'victim@example.com'
const GUESSED = 'chosen by the attacker'
const LIMIT = 6

/** What thieves of a key, of a token and of a mailbox can do, and what a person who registered first can do. */
onMemory('attackers of vouched sign-ins', (stores) => {
  let desk: AccountDesk
  let portal: string
  beforeEach(async () => {
    desk = await openDesk({ ...(await stores.fresh()), ...FACTOR_SETTINGS, THROTTLE_VOUCHED: `${LIMIT}` })
    portal = await scopedToken(desk, 'users:vouch users:sign_in users:register users:confirm_email')
  })
  afterEach(async () => {
    expect(await desk.disagreements()).to.deep.equal([])
    await desk.stop()
  })

  const post = (path: string, token: string | undefined, body: object = {}) =>
    desk.send({ method: 'POST', path, body, ...(token === undefined ? {} : { token }) })
  const vouch = (body: object, token = portal) => post(VOUCHED, token, { method: 'fed', ...body })
  const status = async (token: string) => (await desk.profile(token)).status
  const registered = async (body: object) => (await post('/api/v1/users', portal, body)).body.id as string
  const factors = () => factorDesk(desk, () => desk.clock.now)

  it('who registered the address first are out when its owner comes with another provider', async () => {
    const id = await registered({ email: VICTIM, password: GUESSED })
    const kept = await desk.userToken({ email: VICTIM, password: GUESSED })
    const change = await desk.startConfirmation({
      user_id: id,
      email: 'attacker@example.org',
      password: GUESSED,
    })
    const recovery = await desk.recoveryToken(VICTIM)
    expect((await vouch({ email: VICTIM })).body.errors[0].code, 'it is not proved').to.equal(10)
    expect(await status(kept)).to.equal(200)

    const owner = await vouch({ email: VICTIM, email_verified: true })
    expect([owner.status, owner.body.user_id, owner.body.email_verified]).to.deep.equal([200, id, true])
    expect(await status(kept)).to.equal(401)
    expect((await desk.signIn(GUESSED, VICTIM)).status).to.equal(422)
    expect((await desk.completeConfirmation({ token: change.body.token })).status).to.equal(422)
    expect((await desk.recover(recovery, GUESSED)).status).to.equal(422)
    expect(await status(owner.body.token)).to.equal(200)
  })

  it('who registered the address first stay in no account that the owner names by its id', async () => {
    // An application that keys users by e-mail would link this id. One that keys them by provider and subject has none yet.
    const id = await registered({ email: VICTIM, password: GUESSED })
    const plain = await scopedToken(desk, 'users:vouch')
    const { body } = await vouch({ email: VICTIM, email_verified: true }, plain)
    expect(body.errors[0].code, 'without users:confirm_email nothing is claimed').to.equal(10)
    expect((await vouch({ user_id: id }, plain)).body.email_verified).to.equal(false)
    expect((await desk.signIn(GUESSED, VICTIM)).status, 'by id nothing is claimed').to.equal(200)
  })

  it('with the key of an application keep nothing in an account with a password', async () => {
    const id = await registered({ email: VICTIM, password: 'of the owner', email_verified: true })
    const { token } = (await vouch({ user_id: id })).body
    for (const path of ['/totp', '/remove', '/recovery_codes'])
      expect((await post(`/api/v1/profile/factors${path}`, token)).status, path).to.equal(401)
    const change = { old_password: '', new_password: 'n', new_password_check: 'n' }
    expect((await post('/api/v1/profile/change_password', token, change)).status).to.equal(422)
    expect((await post('/api/v1/profile/remove', token)).status).to.equal(422)
    const email = { user_id: id, email: 'thief@example.org', user_token: token }
    expect((await post('/api/v1/users/email_confirmation', portal, email)).body.errors[0].code).to.equal(3)
    expect((await desk.signIn('of the owner', VICTIM)).status).to.equal(200)
  })

  it('with the key of an application keep an account without a password or a proved e-mail, as the page says', async () => {
    const id = await registered({ email: VICTIM, password: 'of the owner' })
    const { token } = (await vouch({ email: VICTIM, email_verified: true })).body
    const factor = (await factors().enrol(token)).answer
    const email = { user_id: id, email: 'thief@example.org', user_token: factor.body.token }
    const moved = await post('/api/v1/users/email_confirmation', portal, email)
    expect([factor.status, moved.status]).to.deep.equal([201, 200])
    const proved = await registered({ email: 'bob@example.com', password: 'p', email_verified: true })
    const { token: other } = (await vouch({ user_id: proved })).body
    expect((await factors().start(other)).status, 'not one with both').to.equal(401)
  })

  it('with the key of an application move no mailbox with a vouched session alone', async () => {
    const id = await registered({ email: VICTIM, without_password: true, email_verified: true })
    const { token } = (await vouch({ user_id: id })).body
    const email = { user_id: id, email: 'thief@example.org', user_token: token }
    expect((await post('/api/v1/users/email_confirmation', portal, email)).body.errors[0].code).to.equal(8)
    expect((await post('/api/v1/profile/remove', token)).status).to.equal(401)
  })

  it('with the key of an application are out once it is revoked', async () => {
    const made = await succeed(
      desk.service.registerApplication(CONTEXT, { name: 'stolen', scope: 'users:vouch' }),
    )
    const stolen = (await succeed(desk.service.issueApplicationToken(CONTEXT, made))).token
    const id = await registered({ email: VICTIM, password: 'p' })
    const { token } = (await vouch({ user_id: id }, stolen)).body
    expect(await status(token)).to.equal(200)
    await succeed(desk.service.revokeApplication(CONTEXT, made.application.id))
    expect(await status(token)).to.equal(401)
    expect((await vouch({ user_id: id }, stolen)).status).to.equal(401)
  })

  it('with the key of an application open so many sessions an hour, of whichever user', async () => {
    const ids: Array<string> = []
    for (let each = 0; each <= LIMIT; each += 1)
      ids.push(await registered({ email: `user-${each}@example.com`, without_password: true }))
    const [last = '', ...others] = ids
    desk.clock.passSeconds(600)
    for (const id of others) expect((await vouch({ user_id: id })).status).to.equal(200)
    for (const [body, status] of [
      [{ user_id: last }, 429],
      [{ email: 'user-0@example.com', email_verified: true }, 429],
      [{ user_id: last, method: 'x' }, 422],
      [{ email: 'nobody@example.com' }, 422],
    ] as const)
      expect((await vouch(body)).status, JSON.stringify(body)).to.equal(status)
    const { headers, body } = await vouch({ user_id: last })
    const message =
      'Too many sign-ins were vouched for by this application. Try again after the number of seconds in Retry-After.'
    expect([headers['retry-after'], body]).to.deep.equal(['3600', { success: false, code: 429, message }])

    const another = await scopedToken(desk, 'users:vouch')
    expect((await vouch({ user_id: last }, another)).status, 'another application').to.equal(200)
    desk.clock.passSeconds(3_599)
    expect((await vouch({ user_id: last })).headers['retry-after']).to.equal('1')
    desk.clock.passSeconds(1)
    expect((await vouch({ user_id: last })).status).to.equal(200)
    const { body: unclaimed } = await vouch({ email: 'user-0@example.com' })
    expect(unclaimed.errors[0].code, 'a 429 claims nothing').to.equal(10)
  })

  it('with the key of an application do not pass the second factor', async () => {
    const id = await registered({ email: VICTIM, without_password: true, email_verified: true })
    await factors().enrol((await vouch({ user_id: id })).body.token)
    const { body } = await vouch({ user_id: id })
    expect([body.errors[0].code, body.token]).to.deep.equal([4, undefined])
  })

  it('with a token of a vouched session get no fresh one by renewing it', async () => {
    const id = await registered({ email: VICTIM, password: 'p', email_verified: true })
    const { token } = (await vouch({ user_id: id })).body
    const renewed = await post('/api/v1/auth/user/token/renew', portal, { token })
    expect(renewed.body.amr).to.deep.equal(['vouched', 'fed'])
    expect((await factors().start(renewed.body.token)).status).to.equal(401)
  })

  it('with the mailbox of a user without a password are not delayed, and pass no second factor', async () => {
    const id = await registered({ email: VICTIM, without_password: true, email_verified: true })
    await factors().enrol((await vouch({ user_id: id })).body.token)
    expect((await desk.recover(await desk.recoveryToken(VICTIM), GUESSED)).status).to.equal(200)
    expect((await desk.signIn(GUESSED, VICTIM)).body.errors[0].code).to.equal(4)
  })

  it('who guess see no difference between no password, a wrong one and an unknown e-mail', async () => {
    await registered({ email: VICTIM, without_password: true })
    await registered({ email: 'other@example.com', password: 'p' })
    const answers = []
    for (const email of [VICTIM, 'other@example.com', 'nobody@example.com'])
      answers.push((await desk.signIn('guess', email)).body)
    expect(answers[1]).to.deep.equal(answers[0])
    expect(answers[2]).to.deep.equal(answers[0])
  })
})
