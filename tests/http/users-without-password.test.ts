import { expect } from 'chai'
import { totpAt } from '../support/factor-desk.ts'
import { codesOf, factorService } from '../support/factor-service.ts'
import type { Answer } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { ORIGIN, PASSKEY_SETTINGS, passkeyDesk, STEP_UP } from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'

const CHANGE = '/api/v1/profile/change_password'
const CONFIRMATION = '/api/v1/users/email_confirmation'
const REMOVE = '/api/v1/profile/remove'

onMemory('a user without a password', (stores) => {
  const one = factorService(stores, PASSKEY_SETTINGS)
  let portal: string
  beforeEach(async () => {
    const { service } = one.running()
    const scope = 'users:vouch users:sign_in users:register users:confirm_email'
    const made = await succeed(service.registerApplication(CONTEXT, { name: 'portal', scope }))
    await succeed(service.setPasskeyOrigins(CONTEXT, 'portal', [ORIGIN]))
    portal = (await succeed(service.issueApplicationToken(CONTEXT, made))).token
  })
  afterEach(one.expectAgreement)

  const post = (path: string, token: string, body: object = {}): Promise<Answer> =>
    one.running().send({ method: 'POST', path, token, body })
  let users = 0
  const register = async (more: object = { without_password: true }): Promise<string> => {
    users += 1
    const body = { email: `u${users}@example.com`, email_verified: true, ...more }
    return (await post('/api/v1/users', portal, body)).body.id
  }
  const vouched = async (user_id: string): Promise<string> =>
    (await post('/api/v1/auth/user/vouched', portal, { user_id, method: 'fed' })).body.token
  const verdict = ({ status, body, headers }: Answer) =>
    status === 422 ? codesOf(body) : [status, headers['www-authenticate']].filter(Boolean)
  const STALE = [
    401,
    'Bearer realm="portcullis", error="insufficient_user_authentication", max_age=600',
  ] as const

  it('has no old password, so each one is wrong as any other is', async () => {
    const [bare, other] = [await register(), await register({ password: 'right' })]
    const answers = async (token: string) => {
      const change = { new_password: 'n', new_password_check: 'n' }
      const found = []
      for (const old_password of ['x', ' ', '\0', '0'.repeat(1_000)])
        found.push(await post(CHANGE, token, { old_password, ...change }))
      for (const password of ['x', ' ', '\0']) found.push(await post(STEP_UP, token, { password }))
      found.push(await post(CHANGE, token, { old_password: '', ...change }))
      return found.map((answer) => [verdict(answer), answer.body])
    }
    const wrong = await answers(await vouched(bare))
    const [four, two, one] = [[[4, 'old_password']], [[2, 'password']], [[1, 'old_password']]]
    expect(wrong.map(([found]) => found)).to.deep.equal([four, four, four, four, two, two, two, one])
    expect(wrong).to.deep.equal(await answers(await vouched(other)))
  })

  it('steps up with no code that it lacks, and is told so as any other', async () => {
    const token = await vouched(await register())
    for (const [proof, code, param] of [
      [{ totp: '123456' }, 3, 'totp'],
      [{ recovery_code: 'aaaa-bbbb-cccc-dddd-eeee-ffff' }, 4, 'recovery_code'],
      [{ credential: '{}' }, 5, 'credential'],
    ] as const)
      expect(verdict(await post(STEP_UP, token, proof))).to.deep.equal([[code, param]])
  })

  it('gets another e-mail and is removed with a fresh factor, and not with the word of an application', async () => {
    const user_id = await register()
    const move = (user_token: string, more: object = {}) =>
      post(CONFIRMATION, portal, { user_id, email: 'new@example.org', user_token, ...more })
    const token = await vouched(user_id)
    for (const more of [{}, { password: 'x' }])
      expect(verdict(await move(token, more))).to.deep.equal([[8, 'user_token']])
    expect(verdict(await post(REMOVE, token))).to.deep.equal(STALE)

    const { secret, answer } = await one.desk().enrol(token)
    const { token: proved } = answer.body
    const moved = await move(proved)
    expect([moved.status, moved.body.notify]).to.deep.equal([200, `u${users}@example.com`])
    const others = await post(CONFIRMATION, portal, {
      user_id: await register(),
      email: 'new@example.org',
      user_token: proved,
    })
    expect(verdict(others), 'of another user').to.deep.equal([[8, 'user_token']])

    one.passSeconds(601)
    expect(verdict(await move(proved))).to.deep.equal([[8, 'user_token']])
    expect(verdict(await post(REMOVE, proved))).to.deep.equal([401, `${STALE[1]}, acr_values="aal2"`])
    const again = await post(STEP_UP, proved, { totp: totpAt(secret, one.now()) })
    expect(again.body.amr).to.deep.equal(['vouched', 'fed', 'otp', 'mfa'])
    const completed = await post(`${CONFIRMATION}/complete`, portal, {
      token: (await move(again.body.token)).body.token,
    })
    expect(completed.status).to.equal(200)
    expect((await post(REMOVE, again.body.token)).status).to.equal(200)
  })

  it('enrols a passkey as the first proof for 600 seconds, and another user does not', async () => {
    const device = await softwareAuthenticator()
    const desk = passkeyDesk({ send: one.running().send, applicationToken: async () => portal }, device)
    const bare = await register()
    const token = await vouched(bare)
    const other = await vouched(await register({ password: 'right' }))
    const options = await desk.startEnrolment(token)
    const credential = await desk.register(options)
    expect(verdict(await desk.startEnrolment(other))).to.deep.equal(STALE)
    const completed = await desk.completeEnrolment(other, { credential })
    expect(verdict(completed), 'nor with the options of another session').to.deep.equal([[2, 'credential']])
    one.passSeconds(601)
    expect(verdict(await desk.startEnrolment(token))).to.deep.equal(STALE)

    const fresh = await vouched(bare)
    const enrolled = await desk.enrol(fresh, 'phone')
    expect([enrolled.status, enrolled.body.acr, enrolled.body.amr]).to.deep.equal([
      201,
      'aal2',
      ['vouched', 'fed', 'pop', 'user', 'mfa'],
    ])
    const status = await Promise.all([token, fresh, enrolled.body.token].map(one.status))
    expect(status, 'every other session has ended').to.deep.equal([401, 200, 200])

    one.passSeconds(1) // a later challenge must be newer
    const due = await post('/api/v1/auth/user/vouched', portal, { user_id: bare, method: 'fed' })
    const second = await desk.secondStep(due.body.second_factor.token)
    expect([verdict(due), second.status, second.body.amr]).to.deep.equal([
      [[4, 'second_factor']],
      200,
      ['vouched', 'fed', 'pop', 'user', 'mfa'],
    ])
  })

  const ONLY = 'This operation requires a proof of the user from the last 600 seconds.'
  const NOTHING_TO_PROVE = `${ONLY} This account has neither a password nor a second factor. Let the user sign in again and enrol a second factor, or recover the account to set a password.`

  it('is told by each 401 what helps, and a user with a password to step up', async () => {
    const bare = await vouched(await register())
    const other = await vouched(await register({ password: 'right' }))
    const messages = async (token: string) => {
      const answers = [await post(REMOVE, token), await one.desk().renewCodes(token)]
      one.passSeconds(601)
      answers.push(await one.desk().start(token))
      return answers.map(({ status, body }) => [status, body.message])
    }
    const nothing = [401, NOTHING_TO_PROVE]
    expect(await messages(bare)).to.deep.equal([nothing, nothing, nothing])
    const [, ...needFreshness] = await messages(other)
    const stepUp = [401, `${ONLY} Let the user step up or sign in again.`]
    expect(needFreshness).to.deep.equal([stepUp, stepUp])
  })

  it('gets the factor that an application requires in the ways that the answers name', async () => {
    const { service } = one.running()
    const bank = { name: 'bank', scope: 'users:vouch users:sign_in', requireAal2: true }
    const made = await succeed(service.registerApplication(CONTEXT, bank))
    const { token: strict } = await succeed(service.issueApplicationToken(CONTEXT, made))
    const at = async (user_id: string) =>
      verdict(await post('/api/v1/auth/user/vouched', strict, { user_id, method: 'fed' }))
    const missing = [[5, 'second_factor']]
    const due = [[4, 'second_factor']]

    const elsewhere = await register()
    expect(await at(elsewhere)).to.deep.equal(missing)
    const old = await vouched(elsewhere)
    one.passSeconds(601)
    expect(verdict(await one.desk().start(old))).to.deep.equal(STALE)
    const again = await vouched(elsewhere)
    expect((await one.desk().enrol(again)).answer.status, 'after another vouched sign-in').to.equal(201)
    expect(await at(elsewhere)).to.deep.equal(due)

    const recovered = await register()
    expect(await at(recovered)).to.deep.equal(missing)
    const email = `u${users}@example.com`
    const recoverer = await scopedToken(one.running(), 'users:recover')
    const { token } = (await post('/api/v1/users/recovery', recoverer, { email })).body
    const body = { token, new_password: 'first', new_password_check: 'first' }
    expect((await post('/api/v1/users/recovery/complete', recoverer, body)).status).to.equal(200)
    const signedIn = await post('/api/v1/auth/user/token', portal, { email, password: 'first' })
    expect((await one.desk().enrol(signedIn.body.token)).answer.status, 'with a password').to.equal(201)
    expect(await at(recovered)).to.deep.equal(due)
  })
})
