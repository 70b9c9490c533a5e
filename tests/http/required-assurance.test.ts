import { expect } from 'chai'
import { totpAt } from '../support/factor-desk.ts'
import { codesOf, factorService } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { SECOND_STEP, SIGN_IN, STEP_UP } from '../support/second-factor-service.ts'

const RENEW = '/api/v1/auth/user/token/renew'

onMemory('an application that requires a second factor', (stores) => {
  const service = factorService(stores)

  /** An application, and what its users do there. */
  const application = async (requireAal2: boolean) => {
    const { service: useCases, send } = service.running()
    const keys = await succeed(
      useCases.registerApplication(CONTEXT, { name: 'bank', scope: 'users:sign_in', requireAal2 }),
    )
    const { token } = await succeed(useCases.issueApplicationToken(CONTEXT, keys))
    const ask = (path: string, body: object) => send({ method: 'POST', path, token, body })
    const require = (required: boolean) =>
      succeed(useCases.setApplication(CONTEXT, keys.application.id, { requireAal2: required }))
    return { ask, require }
  }

  it('answers the right password of a user without one with code 5, and opens no session', async () => {
    const { user } = await service.newUser()
    const bank = await application(true)
    const { status, body } = await bank.ask(SIGN_IN, user)
    const message =
      'This application requires a second factor, and this account has none. Enrol one on the account page or in another application.'
    expect([status, body]).to.deep.equal([
      422,
      { success: false, code: 422, message, errors: [{ code: 5, message, param: 'second_factor' }] },
    ])
    const wrong = await bank.ask(SIGN_IN, { ...user, password: 'wrong' })
    expect(codesOf(wrong.body)).to.deep.equal([[3, 'password']])
    const incomplete = await bank.ask(SIGN_IN, { ...user, label: '\n', password: '' })
    expect(codesOf(incomplete.body)).to.deep.equal([
      [2, 'password'],
      [6, 'label'],
    ])
  })

  it('signs the user in after an enrolment elsewhere, renews the session and steps it up', async () => {
    const { user, token } = await service.newUser()
    const { secret } = await service.desk().enrol(token)
    const bank = await application(true)
    const { body: waiting } = await bank.ask(SIGN_IN, user)
    expect(codesOf(waiting)).to.deep.equal([[4, 'second_factor']])
    service.passSeconds(30)
    const code = () => totpAt(secret, service.now())
    const second = { token: waiting.second_factor.token, totp: code() }
    const { status, body } = await bank.ask(SECOND_STEP, second)
    expect([status, body.acr]).to.deep.equal([200, 'aal2'])
    expect((await bank.ask(RENEW, { token: body.token })).body).to.include({ acr: 'aal2' })
    service.passSeconds(30)
    const { send } = service.running()
    const again = await send({ method: 'POST', path: STEP_UP, token: body.token, body: { totp: code() } })
    expect(again.body).to.include({ acr: 'aal2' })
    await service.expectAgreement()
  })

  it('lets earlier sessions go on without a renewal, and renews them once it requires nothing', async () => {
    const { user } = await service.newUser()
    const bank = await application(false)
    const { token } = (await bank.ask(SIGN_IN, user)).body
    await bank.require(true)
    const refused = await bank.ask(RENEW, { token })
    expect([refused.status, codesOf(refused.body)]).to.deep.equal([422, [[2, 'token']]])
    expect(await service.status(token)).to.equal(200)
    const { send } = service.running()
    const stepUp = { method: 'POST', path: STEP_UP, token, body: { password: user.password } } as const
    expect((await send(stepUp)).body).to.include({ acr: 'aal1' })
    expect((await bank.ask(RENEW, { token })).status).to.equal(422)
    await bank.require(false)
    expect((await bank.ask(RENEW, { token })).status).to.equal(200)
    await service.expectAgreement()
  })
})
