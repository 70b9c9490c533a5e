import { expect } from 'chai'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, FULL, newWorld, type World } from './world.ts'

type Asked = World & Readonly<{ token: string; own: UserCaller; other: UserCaller; shopToken: string }>

const PASSWORDS = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }

const CHANGES: Readonly<Record<string, (asked: Asked) => TaskEither<unknown, unknown>>> = {
  'a sign-in': ({ service, caller, ada }) => service.signIn(CONTEXT, caller, ada),
  'a sign-out': ({ service, own }) => service.signOut(CONTEXT, own),
  'the end of a session': ({ service, own, other }) =>
    service.endSession(CONTEXT, own, { sessionId: other.session.id }),
  'the end of all other sessions': ({ service, own }) => service.endOtherSessions(CONTEXT, own),
  'a password change': ({ service, own }) => service.changePassword(CONTEXT, own, PASSWORDS),
  'a password of an operator': ({ service, ada }) =>
    service.setPassword(CONTEXT, { user: ada.email, password: 'new' }),
  'a registration': ({ service }) =>
    service.registerUser(CONTEXT, { email: 'grace@example.com', password: 'p' }, OPERATOR),
  'a new application': ({ service }) =>
    service.registerApplication(CONTEXT, { name: 'shop', scope: 'users:sign_in' }),
  'an application token': ({ service, shop }) => service.issueApplicationToken(CONTEXT, shop),
  'the rotation of an application key': ({ service, shop }) =>
    service.rotateApplicationKey(CONTEXT, { id: shop.application.id, overlapSeconds: 0 }),
  'the revocation of an application': ({ service, shop }) =>
    service.revokeApplication(CONTEXT, shop.application.id),
  'the revocation of a user token': ({ service, shop, token }) =>
    service.revokeToken(CONTEXT, shop.application.id, token),
  'the revocation of an application token': ({ service, shop, shopToken }) =>
    service.revokeToken(CONTEXT, shop.application.id, shopToken),
}

describe('a store that takes no change', () => {
  for (const [what, ask] of Object.entries(CHANGES)) {
    it(`fails ${what}, and everything works as before`, async () => {
      const world = await newWorld()
      const [here, there] = [await world.signIn(), await world.signIn()]
      const { token: shopToken } = await succeed(world.service.issueApplicationToken(CONTEXT, world.shop))
      const before = await world.events()
      world.store.readOnly = true
      const asked = { ...world, token: here.token, own: here.caller, other: there.caller, shopToken }
      expect(await fail(ask(asked))).to.deep.equal(FULL)
      expect(await world.settledEvents()).to.have.length(before.length)
      world.store.readOnly = false
      for (const { token } of [here, there])
        await succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
      await succeed(world.service.authenticate(CONTEXT, 'signIn', shopToken))
      await succeed(world.service.issueApplicationToken(CONTEXT, world.shop))
      await world.signIn('old')
    })
  }
})
