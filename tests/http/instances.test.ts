import { expect } from 'chai'
import { composeOperations, Dependency, type Operations, provide } from '../../adapters/index.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'
import { workplace } from '../support/workplace.ts'

const PROFILE = { method: 'GET', path: '/api/v1/profile' }
const SIGN_IN = { method: 'POST', path: '/api/v1/auth/user/token' }
const SIGN_OUT = { method: 'DELETE', path: '/api/v1/auth/user/token' }
const ISSUE = { method: 'POST', path: '/api/v1/auth/application/token' }
const JWKS = { method: 'GET', path: '/.well-known/jwks.json' }

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

    it('let only one of two changes from the same old password succeed, whichever instance they use', async () => {
      const credentials = await userAt('racing@example.com')
      const tokens = await Promise.all([both.one.userToken(credentials), both.one.userToken(credentials)])
      const changes = await Promise.all(
        [both.one, both.other].map(({ send }, index) => {
          const password = `new ${index}`
          const body = { old_password: 'first', new_password: password, new_password_check: password }
          const path = '/api/v1/profile/change_password'
          return send({ method: 'POST', path, token: tokens[index] ?? '', body })
        }),
      )
      const statuses = changes.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).to.have.lengthOf(1)
      expect(statuses.filter((status) => status === 422 || status === 401)).to.have.lengthOf(1)
    })

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

  describe('signing keys that an operator rotates beside two instances', () => {
    const AHEAD_MS = 60_000 // of the command’s own clock, so that its timestamps are in the past
    const FRESH_MS = 1_000
    const { portcullis, remove } = workplace()
    after(remove)
    let now = Date.now() + AHEAD_MS
    const clock = provide(Dependency.clock, () => () => now)
    let both: TwoInstances
    afterEach(() => both.stop())

    /** Rotations that end all earlier tokens: by an operator’s use case, and by the command. */
    const ROTATIONS: Readonly<Record<string, () => Promise<unknown>>> = {
      'a use case': async () => {
        const operator = await composeOperations(settings(both.environment), clock)
        await succeed(operator.rotateKeys(CONTEXT, { purposes: KEY_PURPOSES, atOnce: true }))
        await operator.close()
      },
      'the command': async () => {
        const environment = Object.fromEntries(
          Object.entries(both.environment).flatMap(([name, value]) => (value ? [[name, value]] : [])),
        )
        const { status } = await portcullis('keys rotate --leaked', { environment })
        expect(status).to.equal(0)
      },
    }
    const kids = async ({ send }: Pick<TwoInstances['other'], 'send'>): Promise<string> =>
      (await send(JWKS)).body.keys.map(({ kid }: { kid: string }) => kid).join()

    for (const [by, rotate] of Object.entries(ROTATIONS)) {
      it(`are known to both within a second after ${by} has rotated them`, async () => {
        both = await startTwoInstances(await server.newDatabase(), {}, clock)
        const token = await both.one.userToken()
        expect((await both.other.send({ ...PROFILE, token })).status).to.equal(200)
        const before = await kids(both.other)
        await rotate()
        now += FRESH_MS
        expect(await kids(both.other))
          .to.equal(await kids(both.one))
          .and.not.to.equal(before)
        expect((await both.other.send({ ...PROFILE, token })).status).to.equal(401)
        expect((await both.one.send({ ...PROFILE, token })).status).to.equal(401)
      })

      it(`are announced over a direct connection after ${by} has rotated them, without time passing`, async () => {
        const database = await server.newDatabase()
        both = await startTwoInstances(database, { DATABASE_DIRECT_URL: database.url }, clock)
        const instances = [both.one, both.other]
        const token = await both.one.userToken()
        const before = await kids(both.other)
        await eventually('both listen', async () => {
          const listening = await server.ask(
            `SELECT 1 FROM pg_stat_activity WHERE datname = '${new URL(both.environment.DATABASE_URL ?? '').pathname.slice(1)}'
               AND application_name = 'portcullis listening' AND query LIKE 'LISTEN%' AND state = 'idle'`,
          )
          return listening.length >= instances.length ? true : undefined
        })
        expect(await Promise.all(instances.map(kids))).to.deep.equal([before, before]) // no look-up is due
        await rotate()
        for (const instance of instances)
          await eventually('it is heard', async () => ((await kids(instance)) === before ? undefined : true))
        for (const { send } of instances) expect((await send({ ...PROFILE, token })).status).to.equal(401)
      })
    }
  })
}
