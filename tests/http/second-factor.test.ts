import { expect } from 'chai'
import { isNone } from 'fp-ts/lib/Option.js'
import { eventsOf } from '../support/events.ts'
import { introspection } from '../support/introspection.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { scopedToken } from '../support/scoped-token.ts'
import {
  type FactorDesk,
  PASSED,
  refused,
  SECOND_STEP,
  START,
  startFactorDesk,
  verdict,
} from '../support/second-factor-service.ts'
import { sessionsAt } from '../support/sessions.ts'
import { claimsOf } from '../support/token-claims.ts'

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
    expect(requested).to.have.all.keys('token_id', 'expires_at')
    expect(requested).to.have.property('expires_at', new Date(START + 300_000).toISOString())
    expect(await desk.data('UserSignedIn')).to.deep.equal([])
    await desk.expectAgreement()
  })

  it('is completed with a code of the app: one change with the use of the factor, the session and the used token', async () => {
    const { body: first } = await desk.signIn(undefined, { label: 'Firefox on Linux' })
    desk.passSeconds(100)
    const { status, body } = await desk.complete(first.second_factor.token, { totp: desk.code() })
    const { token, ...rest } = body
    expect([status, rest]).to.deep.equal([
      200,
      { expires_in: 43_200, user_id: desk.running.user.id, email_verified: false, ...APP },
    ])
    const claims = claimsOf(token)
    expect(claims).to.deep.include({ auth_time: START / 1000 + 100, ...APP })
    const [requested] = await desk.data('SecondFactorRequested')
    const [used] = await desk.data('FactorUsed')
    const [signedIn] = await desk.data('UserSignedIn')
    expect(used).to.deep.equal({
      factor_id: desk.ada.app.id,
      kind: 'totp',
      mark: Math.floor((START / 1000 + 100) / 30),
    })
    expect(signedIn).to.deep.include({ session_id: claims.sid, amr: APP.amr, token_id: requested?.token_id })
    const [shown] = await sessionsAt(desk.running).list(token)
    expect(shown).to.deep.include({ label: 'Firefox on Linux', ...APP })
    const found = await succeed(desk.store.findFactor(desk.ada.app.id))
    if (isNone(found)) throw new Error('the factor does not exist')
    expect(found.value.factor).to.deep.include({ usedAtSeconds: { _tag: 'Some', value: START / 1000 + 100 } })
    await desk.expectAgreement()
  })

  it('is completed with a recovery code, in any spelling', async () => {
    const spelt = desk.ada.recoveryCodes[0].toUpperCase().replaceAll('-', ' ')
    const { status, body } = await desk.complete(await desk.pending(), { recovery_code: spelt })
    expect(status).to.equal(200)
    expect(body).to.deep.include(RECOVERY_CODE)
    expect(await desk.data('FactorUsed')).to.deep.equal([
      { factor_id: desk.ada.codes.id, kind: 'recovery_codes', mark: 0, codes_left: 1 },
    ])
    await desk.expectAgreement()
  })

  it('keeps its assurance in renewals, introspection and the list of sessions', async () => {
    const gate = await scopedToken(desk.running, 'tokens:introspect')
    const token = await desk.userToken()
    desk.passSeconds(100)
    const { body: renewed } = await desk.ask('/api/v1/auth/user/token/renew', { token })
    expect(renewed).to.deep.include(APP)
    expect((await introspection(desk.running, gate, { token: renewed.token })).body).to.deep.include({
      active: true,
      auth_time: START / 1000,
      ...APP,
    })
  })

  it('tells no methods that the user no longer has', async () => {
    for (const recovery_code of desk.ada.recoveryCodes)
      expect((await desk.complete(await desk.pending(), { recovery_code })).status).to.equal(200)
    expect((await desk.signIn()).body.second_factor.methods).to.deep.equal(['totp'])
  })

  it('needs the factor also with SECOND_FACTORS=off, which is the default', async () => {
    expect(verdict(await desk.signIn())).to.deep.equal(refused(4))
  })

  const TOTP_AND_MORE = (): ReadonlyArray<
    readonly [what: string, body: object, codes: ReadonlyArray<number>]
  > => [
    ['no fields', {}, [1, 2]],
    ['empty fields', { token: '', totp: '', recovery_code: '', credential: '' }, [1, 2]],
    ['fields that are no strings', { token: 7, totp: 123456, credential: { id: 'x' } }, [1, 2]],
    ['a code without token', { totp: desk.code() }, [1]],
    ['a made-up token', { token: `ost_${'a'.repeat(49)}`, totp: desk.code() }, [3]],
    ['a text that is no token', { token: 'x', recovery_code: desk.ada.recoveryCodes[0] }, [3]],
    ['a made-up token and no proof', { token: 'x' }, [2, 3]],
    ['a made-up token and two proofs', { token: 'x', totp: desk.code(), credential: '{}' }, [2, 3]],
  ]
  it('reports all problems of a request without a usable token together, uses up no code and counts nothing', async () => {
    for (let time = 0; time < 3; time += 1)
      for (const [what, body, codes] of TOTP_AND_MORE())
        expect(verdict(await desk.ask(SECOND_STEP, body)), what).to.deep.equal(refused(...codes))
    expect(await desk.data('FactorUsed')).to.deep.equal([])
    const reasons = await desk.reasons(10)
    expect(new Set(reasons)).to.deep.equal(new Set(['missing_field', 'token_ended']))
    for (const proof of [{ totp: desk.code() }, { recovery_code: desk.ada.recoveryCodes[0] }])
      expect(verdict(await desk.complete(await desk.pending(), proof))).to.deep.equal(PASSED)
  })

  it('judges one proof at a time, with a code for each kind; a wrong proof does not use the token up', async () => {
    const token = await desk.pending()
    const [recovery_code] = desk.ada.recoveryCodes
    for (const [proof, code] of [
      [{}, 2],
      [{ totp: desk.code(), recovery_code }, 2],
      [{ totp: desk.wrongCode() }, 4],
      [{ totp: desk.code().slice(1) }, 4],
      [{ totp: `${desk.code()}0` }, 4],
      [{ recovery_code: 'aaaa-aaaa-aaaa-aaaa-aaaa-aaaa' }, 5],
      [{ recovery_code: desk.code() }, 5],
      [{ credential: '{"id":"AAAA"}' }, 6],
    ] as const)
      expect(verdict(await desk.complete(token, proof)), JSON.stringify(proof)).to.deep.equal(refused(code))
    expect(await desk.data('UserSignedIn')).to.deep.equal([])
    const spaced = `${desk.code().slice(0, 3)} ${desk.code().slice(3)}`
    expect(verdict(await desk.complete(token, { totp: spaced }))).to.deep.equal(PASSED)
    expect(await desk.reasons(8)).to.deep.equal([
      ...['missing_field', 'missing_field', 'wrong_code', 'wrong_code', 'wrong_code'],
      ...['wrong_recovery_code', 'wrong_recovery_code', 'invalid_credential'],
    ])
  })

  it('records each refusal of the user with the application as actor', async () => {
    await desk.complete(await desk.pending(), { totp: desk.wrongCode() })
    await desk.reasons(1)
    const [entry] = await eventsOf(desk.store, 'SecondFactorRefused')
    expect(entry).to.deep.include({ subject: { kind: 'user', id: desk.running.user.id } })
    expect(entry?.actor.kind).to.equal('application')
  })

  it('lets several sign-ins wait at once', async () => {
    const [one, two] = [await desk.pending(), await desk.pending()]
    expect(verdict(await desk.complete(two, { totp: desk.code() }))).to.deep.equal(PASSED)
    expect(verdict(await desk.complete(one, { totp: desk.code(30) }))).to.deep.equal(PASSED)
  })

  it('requires an application token with users:sign_in', async () => {
    const token = await desk.pending()
    const other = await scopedToken(desk.running, 'users:register')
    expect((await desk.post(SECOND_STEP, other, { token, totp: desk.code() })).status).to.equal(403)
    expect((await desk.post(SECOND_STEP, token, { token, totp: desk.code() })).status).to.equal(401)
  })
})
