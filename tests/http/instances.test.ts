import { expect } from 'chai'
import { composeOperations, type Operations } from '../../adapters/index.ts'
import { succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

const PROFILE = { method: 'GET', path: '/api/v1/profile' }
const SIGN_IN = { method: 'POST', path: '/api/v1/auth/user/token' }
const SIGN_OUT = { method: 'DELETE', path: '/api/v1/auth/user/token' }
const ISSUE = { method: 'POST', path: '/api/v1/auth/application/token' }
if (postgres !== undefined) {
  const server = postgres

  describe('two instances on one PostgreSQL', () => {
    let both: TwoInstances
    let operator: Operations
    before(async () => {
      both = await startTwoInstances(await server.newDatabase())
      operator = await composeOperations(settings(both.environment))
    })
    after(async () => {
      await operator.close()
      await both.stop()
    })

    const profileAtOther = async (token: string) => (await both.other.send({ ...PROFILE, token })).status
    const userAt = async (email: string) => {
      const body = { email, password: 'first' }
      const token = await both.one.applicationToken()
      const made = await both.one.send({ method: 'POST', path: '/api/v1/users', token, body })
      expect(made.status).to.equal(201)
      return body
    }

    it('accept each other’s tokens at once, even the first one', async () => {
      const application = await both.one.applicationToken()
      const { email, password } = both.one.user
      const body = { email, password }
      const signedIn = await both.other.send({ ...SIGN_IN, token: application, body })
      expect(signedIn.status).to.equal(200)
      expect((await both.one.send({ ...PROFILE, token: signedIn.body.token })).status).to.equal(200)
      expect(await profileAtOther(await both.one.userToken())).to.equal(200)
    })

    it('know the users that the other has registered, and that their e-mails are taken', async () => {
      const body = await userAt('eve@example.com')
      const token = await both.one.applicationToken()
      expect((await both.other.send({ ...SIGN_IN, token, body })).status).to.equal(200)
      const again = await both.other.send({ method: 'POST', path: '/api/v1/users', token, body })
      expect([again.status, again.body.errors[0].code]).to.deep.equal([422, 4])
    })

    /** Actions at one instance that end a user’s token, which the other instance has accepted before. */
    const ENDINGS: Readonly<Record<string, (email: string, token: string) => Promise<unknown>>> = {
      'a sign-out': (_email, token) => both.one.send({ ...SIGN_OUT, token }),
      'another session’s change of password': async (email) => {
        const token = await both.one.userToken({ email, password: 'first' })
        const body = { old_password: 'first', new_password: 'second', new_password_check: 'second' }
        const path = '/api/v1/profile/change_password'
        expect((await both.one.send({ method: 'POST', path, token, body })).status).to.equal(200)
      },
      'a password that an operator sets': (email) =>
        succeed(operator.setPassword(CONTEXT, { user: email, password: 'set anew' })),
      'an end of all sessions': (email) => succeed(operator.endUserSessions(CONTEXT, email)),
      'a removal of the own account': async (_email, token) => {
        const path = '/api/v1/profile/remove'
        expect(
          (await both.one.send({ method: 'POST', path, token, body: { password: 'first' } })).status,
        ).to.equal(200)
      },
      'a user that is disabled': (email) => succeed(operator.disableUser(CONTEXT, email)),
      'a user that is removed': (email) => succeed(operator.removeUser(CONTEXT, email)),
    }
    for (const [index, [what, end]] of Object.entries(ENDINGS).entries()) {
      it(`refuse a token at both after ${what} at one of them`, async () => {
        const credentials = await userAt(`user-${index}@example.com`)
        const token = await both.one.userToken(credentials)
        expect([await profileAtOther(token), await profileAtOther(token)]).to.deep.equal([200, 200])
        await end(credentials.email, token)
        expect(await profileAtOther(token)).to.equal(401)
      })
    }

    it('honor a rotated application key and a revocation at once', async () => {
      const made = await succeed(
        operator.registerApplication(CONTEXT, { name: 'shop', scope: 'users:sign_in users:register' }),
      )
      const issue = async (private_api_key: string) =>
        both.other.send({ ...ISSUE, body: { public_api_key: made.publicApiKey, private_api_key } })
      const { token } = (await issue(made.privateApiKey)).body
      const rotated = await succeed(
        operator.rotateApplicationKey(CONTEXT, { id: made.application.id, overlapSeconds: 0 }),
      )
      expect((await issue(made.privateApiKey)).status).to.equal(401)
      expect((await issue(rotated.privateApiKey)).status).to.equal(200)
      expect((await both.other.send({ ...SIGN_IN, token, body: {} })).status).to.equal(422)
      await succeed(operator.revokeApplication(CONTEXT, made.application.id))
      expect((await both.other.send({ ...SIGN_IN, token, body: {} })).status).to.equal(401)
      expect((await issue(rotated.privateApiKey)).status).to.equal(401)
    })
  })
}
