import { expect } from 'chai'
import { codesOf, factorService } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { SIGN_IN } from '../support/second-factor-service.ts'

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
})
