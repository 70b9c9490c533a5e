import { expect } from 'chai'
import { introspection } from '../support/introspection.ts'
import { onMemory } from '../support/one-store.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { type FactorDesk, SECOND_STEP, START, startFactorDesk } from '../support/second-factor-service.ts'
import { sessionsAt } from '../support/sessions.ts'

const APP = { acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] }
const RECOVERY_CODE = { acr: 'aal2', amr: ['pwd', 'recovery_code', 'mfa'] }
const DUE = 'This account needs a second factor.'

onMemory('a sign-in with a second factor', (stores) => {
  let desk: FactorDesk & { stop: () => Promise<void> }
  beforeEach(async () => {
    desk = await startFactorDesk(stores)
  })
  afterEach(() => desk.stop())

  it('gets code 4 and what completes it for the right password, and no user token', async () => {
    const { status, body, headers } = await desk.signIn()
    expect([status, headers['cache-control']]).to.deep.equal([422, 'no-store'])
    const { second_factor, ...rest } = body
    expect(rest).to.deep.equal({
      success: false,
      code: 422,
      message: DUE,
      errors: [{ code: 4, message: DUE, param: 'second_factor' }],
    })
    const { token, ...more } = second_factor
    expect(more).to.deep.equal({ expires_in: 300, methods: ['totp', 'recovery_code'] })
    expect(token).to.match(/^ost_[0-9A-Za-z]{49}$/)
    const [requested] = await desk.data('SecondFactorRequested')
    expect(requested).to.have.property('expires_at', new Date(START + 300_000).toISOString())
    expect(await desk.data('UserSignedIn')).to.deep.equal([])
    await desk.expectAgreement()
  })

  for (const [what, proof, assurance] of [
    ['a code of the app', () => ({ totp: desk.code() }), APP],
    ['a recovery code', () => ({ recovery_code: desk.ada.recoveryCodes[0] }), RECOVERY_CODE],
  ] as const)
    it(`is completed with ${what}`, async () => {
      const { status, body, headers } = await desk.complete(await desk.pending(), proof())
      const { token, ...rest } = body
      expect([status, headers['cache-control'], rest]).to.deep.equal([
        200,
        'no-store',
        {
          expires_in: 43_200,
          session_expires_in: 43_200,
          user_id: desk.running.user.id,
          email_verified: false,
          ...assurance,
          roles: [],
        },
      ])
      const [shown] = await sessionsAt(desk.running).list(token)
      expect(shown).to.deep.include(assurance)
    })

  it('keeps its label and its assurance in renewals, introspection and the list of sessions', async () => {
    const gate = await scopedToken(desk.running, 'tokens:introspect')
    const { body: first } = await desk.signIn(undefined, { label: 'Firefox on Linux' })
    const { body } = await desk.complete(first.second_factor.token, { totp: desk.code() })
    desk.passSeconds(100)
    const { body: renewed } = await desk.ask('/api/v1/auth/user/token/renew', { token: body.token })
    expect(renewed).to.deep.include(APP)
    expect((await introspection(desk.running, gate, { token: renewed.token })).body).to.deep.include({
      active: true,
      auth_time: START / 1000,
      ...APP,
    })
    const [shown] = await sessionsAt(desk.running).list(renewed.token)
    expect(shown).to.deep.include({ label: 'Firefox on Linux', ...APP })
    await desk.expectAgreement()
  })

  it('requires an application token with users:sign_in', async () => {
    const token = await desk.pending()
    const other = await scopedToken(desk.running, 'users:register')
    expect((await desk.post(SECOND_STEP, other, { token, totp: desk.code() })).status).to.equal(403)
    expect((await desk.post(SECOND_STEP, token, { token, totp: desk.code() })).status).to.equal(401)
  })
})
