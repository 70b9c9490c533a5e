import { expect } from 'chai'
import type { SetApplication } from '../../application/applications/set-application.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, type World } from './world.ts'

/** The sign-ins of Ada in the shop, after each change of the shop. */
export const shopOfAda = (world: () => World) => {
  const set = (change: Parameters<SetApplication>[2]) =>
    succeed(world().service.setApplication(CONTEXT, world().shop.application.id, change))
  /** A caller has the application as it was read with the token. */
  const caller = async () => {
    const { service, shop } = world()
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, shop))
    return succeed(service.authenticate(CONTEXT, 'signIn', token))
  }
  const signIn = async (password = 'old') =>
    world().service.signIn(CONTEXT, await caller(), { email: world().ada.email, password })
  return {
    set,
    caller,
    signIn,
    renew: async (token: string) => world().service.renewSession(CONTEXT, await caller(), { token }),
    /** Expects this refusal of the right password, and one entry with its reason in the log. */
    expectRefused: async (refusal: object, reason: string) => {
      expect(await fail(await signIn())).to.deep.equal(refusal)
      const noted = (await world().settledEvents()).filter(({ type }) => /SignIn|SignedIn/.test(type))
      expect(noted).to.deep.equal([
        {
          type: 'SignInRefused',
          subject: { kind: 'user', id: world().ada.id },
          actor: { kind: 'application', id: world().shop.application.id },
          data: { reason },
        },
      ])
    },
    /** Expects this refusal of the right password, however often, and no more than that of a wrong one. */
    expectNoFailures: async (refusal: object) => {
      for (let each = 0; each < 40; each += 1) expect(await fail(await signIn())).to.deep.equal(refusal)
      const wrong = { _tag: 'Invalid', problems: ['PasswordDoesNotMatch'] }
      expect(await fail(await signIn('wrong'))).to.deep.equal(wrong)
    },
  }
}
