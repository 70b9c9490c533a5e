import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { eventsOf } from '../support/events.ts'
import { verifiedUser } from '../support/factor-desk.ts'
import { codesOf, factorService } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import {
  newDesk,
  PASSKEY_SETTINGS,
  permitPasskeys,
  SECOND_STEP,
  SIGN_IN,
  STEP_UP,
} from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { enrolUser } from '../support/second-factors.ts'
import { change, issuedToken } from '../testkit/builders.ts'

onMemory('an application that requires a verified e-mail', (stores) => {
  const one = factorService(stores, PASSKEY_SETTINGS)

  const require = (requireVerifiedEmail: boolean) =>
    succeed(one.running().service.setApplication(CONTEXT, 'tests', { requireVerifiedEmail }))

  const confirm = async (user: Readonly<{ id: string; email: string }>) => {
    const { send } = one.running()
    const path = '/api/v1/users/email_confirmation'
    const token = await scopedToken(one.running(), 'users:confirm_email')
    const body = { user_id: user.id, email: user.email }
    const started = await send({ method: 'POST', path, token, body })
    const completed = { method: 'POST', path: `${path}/complete`, body: { token: started.body.token } }
    expect((await send(completed)).status).to.equal(200)
  }

  it('answers the right password with code 7 alone, and a wrong one as any other', async () => {
    const user = await verifiedUser(one.running(), false)
    const desk = await newDesk(one.running())
    await require(true)
    const { status, body } = await desk.ask(SIGN_IN, user)
    const message = 'email is not confirmed.'
    expect([status, body]).to.deep.equal([
      422,
      { success: false, code: 422, message, errors: [{ code: 7, message, param: 'email' }] },
    ])
    const wrong = await desk.ask(SIGN_IN, { ...user, password: 'wrong' })
    expect(codesOf(wrong.body)).to.deep.equal([[3, 'password']])
    const labelled = await desk.ask(SIGN_IN, { ...user, label: '\n' })
    expect(codesOf(labelled.body)).to.deep.equal([[6, 'label']])
  })

  it('renews no session of a user without one, though the session goes on until it expires', async () => {
    const user = await verifiedUser(one.running(), false)
    const token = await one.running().userToken(user)
    const desk = await newDesk(one.running())
    const renew = (of: string) => desk.ask(`${SIGN_IN}/renew`, { token: of })
    await require(true)
    const { status, body } = await renew(token)
    const message = 'token has ended, or another application opened its session.'
    expect([status, body.errors]).to.deep.equal([422, [{ code: 2, message, param: 'token' }]])
    expect(await one.status(token)).to.equal(200)
    expect((await desk.post(STEP_UP, token, { password: user.password })).status).to.equal(200)
    await confirm(user)
    const renewed = await renew(token)
    expect([renewed.status, renewed.body.email_verified]).to.deep.equal([200, true])
  })

  it('opens and completes no second step of a user without one', async () => {
    const user = await verifiedUser(one.running(), false)
    const desk = await newDesk(one.running())
    const app = await enrolUser(one.store(), user.id)
    const begun = (await desk.ask(SIGN_IN, user)).body.second_factor.token
    await require(true)
    const refused = await desk.ask(SIGN_IN, user)
    expect([codesOf(refused.body), refused.body.second_factor]).to.deep.equal([[[7, 'email']], undefined])
    const complete = (proof: object) => desk.ask(SECOND_STEP, { token: begun, ...proof })
    for (const proof of [{ totp: app.codeAt(one.now()) }, { recovery_code: app.recoveryCodes[0] }])
      expect(codesOf((await complete(proof)).body)).to.deep.equal([[3, 'token']])
    await require(false)
    expect((await complete({ totp: app.codeAt(one.now()) })).status, 'no code was used up').to.equal(200)
  })

  it('refuses the passkey of a user without one as any other, and notes why', async () => {
    await permitPasskeys(one.running())
    const { user, token } = await one.newUser()
    const desk = await newDesk(one.running())
    await desk.enrol(token)
    // Only an import brings a passkey to a user whose e-mail is not verified.
    const found = await succeed(one.store().findUser(user.id))
    if (!isSome(found)) throw new Error('no user')
    const row = { ...found.value, emailVerified: false, version: found.value.version + 1 }
    await succeed(one.store().commit({ ...change(issuedToken()), rows: [{ table: 'users', row }] }))
    await require(true)
    const { status, body } = await desk.signIn(user.id)
    expect([status, codesOf(body)]).to.deep.equal([422, [[2, 'credential']]])
    const refused = await eventsOf(one.store(), 'SignInRefused')
    expect(refused.map(({ data }) => data)).to.deep.equal([{ reason: 'email_not_verified' }])
    await require(false)
    expect((await desk.signIn(user.id)).status).to.equal(200)
  })
})
