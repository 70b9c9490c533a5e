import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { eventsOf } from '../support/events.ts'
import { verifiedUser } from '../support/factor-desk.ts'
import { codesOf, factorService } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { newDesk, PASSKEY_SETTINGS, permitPasskeys, SIGN_IN } from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import { change, issuedToken } from '../testkit/builders.ts'

onMemory('an application that requires a verified e-mail', (stores) => {
  const one = factorService(stores, PASSKEY_SETTINGS)

  const require = (requireVerifiedEmail: boolean) =>
    succeed(one.running().service.setApplication(CONTEXT, 'tests', { requireVerifiedEmail }))

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
