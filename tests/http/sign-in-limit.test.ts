import { expect } from 'chai'
import { factorService } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { newDesk, PASSKEY_SETTINGS, permitPasskeys, SIGN_IN } from '../support/passkey-desk.ts'

onMemory('the sign-ins of a user, of which a network has four a minute', (stores) => {
  const one = factorService(stores, { ...PASSKEY_SETTINGS, THROTTLE_SIGN_INS: '4' })

  it('count together with a password, a second factor and a passkey alone, and give 429', async () => {
    await permitPasskeys(one.running())
    const { user, token } = await one.newUser() // signs in once
    const desk = await newDesk(one.running())
    expect((await desk.enrol(token)).status).to.equal(201)
    /** A later challenge must be newer. */
    const later = () => one.passSeconds(1)
    const firstStep = async () =>
      (await desk.ask(SIGN_IN, { email: user.email, password: user.password })).body.second_factor.token
    later()
    expect((await desk.secondStep(await firstStep())).status).to.equal(200)
    for (let each = 0; each < 2; each += 1) {
      later()
      expect((await desk.signIn(user.id)).status).to.equal(200)
    }
    later()
    const refused = await desk.signIn(user.id)
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([429, '56'])
    expect(refused.body.message).to.match(/^Too many sign-ins of this user/)
    const waiting = await firstStep() // does not count: it opens no session
    expect((await desk.secondStep(waiting)).status).to.equal(429)
    one.passSeconds(56)
    expect((await desk.secondStep(waiting)).status).to.equal(200)
  })
})
