import { expect } from 'chai'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { Dependency, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { onEveryStore } from '../support/every-store.ts'
import { FACTOR_SETTINGS, factorDesk, verifiedUser } from '../support/factor-desk.ts'
import { codesOf } from '../support/factor-service.ts'
import type { Answer } from '../support/http-client.ts'
import { introspection } from '../support/introspection.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { newDesk, PASSKEY_SETTINGS, permitPasskeys } from '../support/passkey-desk.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { PUBLIC_URL } from '../support/settings.ts'
import { claimsOf } from '../support/token-claims.ts'
import { startTwoInstances } from '../support/two-instances.ts'

const PATH = '/api/v1/users/roles'
const NO_USER = '0192f1a6-0000-7000-8000-000000000001'

/** As many and as long as a user can have: 512 characters with the spaces between them. */
const MOST = Array.from({ length: 20 }, (_, index) => `${10 + index}`.padEnd(index < 13 ? 25 : 24, 'x'))

const rolesAt =
  ({ send }: Pick<RunningService, 'send'>, token: string) =>
  (body: object) =>
    send({ method: 'POST', path: PATH, token, body })

onMemory(`POST ${PATH}`, (stores) => {
  let running: RunningService
  let change: ReturnType<typeof rolesAt>
  before(async () => {
    running = await startService(await stores.fresh())
    change = rolesAt(running, await scopedToken(running, 'users:roles'))
  })
  after(() => running.stop())

  it('returns all roles that the user then has', async () => {
    const user_id = running.user.id
    const added = await change({ user_id, add: ['shop:admin', 'editor'] })
    expect([added.status, added.body]).to.deep.equal([200, { user_id, roles: ['editor', 'shop:admin'] }])
    const read = await change({ user_id, add: [] })
    expect(read.body).to.deep.equal(added.body)
    const removed = await change({ user_id, add: ['x'], remove: ['shop:admin', 'editor', 'x'] })
    expect([removed.status, removed.body]).to.deep.equal([200, { user_id, roles: [] }])
  })

  const ROWS: ReadonlyArray<readonly [what: string, body: object, codes: string]> = [
    ['nothing', { user_id: undefined }, '1 user_id, 3 add'],
    ['no list', { add: 'admin', remove: { 0: 'a', length: 1 } }, '3 add'],
    ['lists that are null', { add: null, remove: null }, '3 add'],
    ['an unknown user', { user_id: NO_USER, add: ['a'] }, '2 user_id'],
    [
      'no role, of an unknown user',
      { user_id: NO_USER, add: ['a b'], remove: [''] },
      '2 user_id, 4 add, 5 remove',
    ],
    ['a role that is a number', { add: ['a', 1] }, '4 add'],
    ['no role to remove', { remove: [null] }, '5 remove'],
    ['21 roles', { add: [...MOST, 'a'] }, '6 add'],
    ['513 characters in all', { add: [...MOST.slice(1), `${MOST[0]}x`] }, '6 add'],
    ['a name of 65 characters', { add: ['r'.repeat(65)] }, '4 add'],
    ['a name of 65 characters to remove', { remove: ['r'.repeat(65)] }, '5 remove'],
    ['names with a comma and with a line end', { add: ['a,b'], remove: ['a\n'] }, '4 add, 5 remove'],
  ]
  for (const [what, body, codes] of ROWS)
    it(`refuses ${what}`, async () => {
      const { status, body: answer } = await change({ user_id: running.user.id, ...body })
      expect([
        status,
        codesOf(answer)
          .map((one) => one.join(' '))
          .join(', '),
      ]).to.deep.equal([422, codes])
      expect((await change({ user_id: running.user.id, add: [] })).body.roles).to.deep.equal([])
    })

  it('accepts a name of 64 characters, and 512 characters in all', async () => {
    const user_id = running.user.id
    for (const roles of [['r'.repeat(64)], MOST]) {
      const { status, body } = await change({ user_id, add: roles })
      expect([status, body.roles]).to.deep.equal([200, roles])
      expect((await change({ user_id, remove: roles })).body.roles).to.deep.equal([])
    }
    expect(MOST.join(' ')).to.have.lengthOf(512)
  })

  it('changes the roles of a disabled user, who has them once enabled', async () => {
    const user_id = running.user.id
    await succeed(running.service.disableUser({ requestId: 'r' }, user_id))
    const { status, body } = await change({ user_id, add: ['editor', 'shop:admin'], remove: ['editor'] })
    expect([status, body.roles]).to.deep.equal([200, ['shop:admin']])
    await succeed(running.service.enableUser({ requestId: 'r' }, user_id))
    expect(claimsOf(await running.userToken()).roles).to.deep.equal(['shop:admin'])
    await change({ user_id, remove: ['shop:admin'] })
  })

  it('takes its scope only, which is no default', async () => {
    const others =
      'users:sign_in users:register users:recover users:confirm_email users:read users:manage users:reset_factors tokens:introspect events:read'
    for (const token of [
      await scopedToken(running, others),
      await running.applicationToken(),
      await running.userToken(),
    ])
      expect((await rolesAt(running, token)({ user_id: running.user.id, add: ['a'] })).status).to.equal(403)
  })
})

for (const USER_TOKEN_FORMAT of ['paseto', 'jwt'])
  onMemory(`the roles of a user, with USER_TOKEN_FORMAT=${USER_TOKEN_FORMAT}`, (stores) => {
    const roles = ['editor', 'shop:admin']
    let running: RunningService
    let application: string
    before(async () => {
      running = await startService({
        ...(await stores.fresh()),
        ...FACTOR_SETTINGS,
        ...PASSKEY_SETTINGS,
        USER_TOKEN_FORMAT,
      })
      await permitPasskeys(running)
      application = await running.applicationToken()
    })
    after(() => running.stop())

    const newcomer = async (given = roles) => {
      const user = await verifiedUser(running)
      await succeed(running.service.changeUserRoles({ requestId: 'r' }, user.id, { add: given, remove: [] }))
      return user
    }
    const ask = (path: string, body: object, token = application) =>
      running.send({ method: 'POST', path: `/api/v1/${path}`, token, body })

    it('are in each answer with a user token, and in the token', async () => {
      const { id: user_id, email, password } = await newcomer()
      const withRoles = ({ status, body }: Answer, expected: number): string => {
        expect([status, body.roles, claimsOf(body.token).roles]).to.deep.equal([expected, roles, roles])
        return body.token
      }
      const token = withRoles(await ask('auth/user/token', { email, password }), 200)
      withRoles(await ask('auth/user/token/renew', { token }), 200)
      withRoles(await ask('profile/step_up', { password }, token), 200)
      const { answer } = await factorDesk(running, Date.now).enrol(token)
      const fresh = withRoles(answer, 201)
      const passkeys = await newDesk(running)
      withRoles(await passkeys.enrol(fresh), 201)
      withRoles(await passkeys.signIn(user_id), 200)
      const { body: waiting } = await ask('auth/user/token', { email, password })
      const [recovery_code] = answer.body.recovery_codes
      const second = { token: waiting.second_factor.token, recovery_code }
      withRoles(await ask('auth/user/second_factor', second), 200)
    })

    it('act at once in the profile, in a search and at introspection, and never in a token that exists', async () => {
      const user = await newcomer()
      const token = await running.userToken(user)
      const reader = await scopedToken(running, 'users:read tokens:introspect users:roles')
      const seen = async () => [
        (await running.send({ method: 'GET', path: '/api/v1/profile', token })).body.roles,
        (await ask('users/search', { email: user.email }, reader)).body.users[0].roles,
        (await introspection(running, reader, { token })).body.roles,
        claimsOf(token).roles,
      ]
      expect(await seen()).to.deep.equal([roles, roles, roles, roles])
      await ask('users/roles', { user_id: user.id, remove: roles }, reader)
      expect(await seen()).to.deep.equal([[], [], undefined, roles])
    })

    it('leave a token small: with all that a user can have it stays below 1.5 KB', async () => {
      const token = await running.userToken(await newcomer(MOST))
      expect(claimsOf(token).roles).to.have.lengthOf(20)
      expect(Buffer.byteLength(token)).to.be.within(1_000, 1_499)
    })

    if (USER_TOKEN_FORMAT === 'jwt')
      it('are in a JWT that jose verifies, and absent without any', async () => {
        const keys = createRemoteJWKSet(
          new URL(`http://127.0.0.1:${running.port}/.well-known/user-jwks.json`),
        )
        const verified = async (token: string) =>
          (await jwtVerify(token, keys, { issuer: PUBLIC_URL, audience: PUBLIC_URL, typ: 'at+jwt' })).payload
        expect(await verified(await running.userToken(await newcomer()))).to.deep.include({ roles })
        expect(await verified(await running.userToken(await newcomer([])))).to.not.have.property('roles')
      })
  })

onMemory('the name of a role', (stores) => {
  it('is in no line of the service log, and in no event but UserRolesChanged', async () => {
    const { store, environment, modules } = await stores.lasting()
    const { log, lines } = capturedLog()
    const running = await startService(
      environment,
      ...modules,
      provide(Dependency.log, () => log),
    )
    try {
      const change = rolesAt(running, await scopedToken(running, 'users:roles'))
      const user_id = running.user.id
      await change({ user_id, add: ['secret:agent'] })
      await change({ user_id, add: ['secret:agent 7'] })
      await running.send({ method: 'GET', path: '/api/v1/profile', token: await running.userToken() })
      await change({ user_id, remove: ['secret:agent'] })
      expect(lines.filter((line) => line.includes(PATH))).to.have.lengthOf(3)
      expect(lines.filter((line) => line.includes('secret:agent'))).to.deep.equal([])
      const entries = await succeed(store.readEvents({ after: 0, limit: 100 }))
      const naming = entries.filter((entry) => JSON.stringify(entry).includes('secret:agent'))
      expect(naming.map(({ type }) => type)).to.deep.equal(['UserRolesChanged'])
    } finally {
      await running.stop()
    }
  })
})

onEveryStore('changes of the roles of one user at two instances', (stores) => {
  it('are all kept, and the last place for a role is given once', async () => {
    const { environment, modules } = await stores.lasting()
    const both = await startTwoInstances({ url: environment.DATABASE_URL }, {}, ...modules)
    try {
      const token = await scopedToken(both.one, 'users:roles')
      const [one, other] = [rolesAt(both.one, token), rolesAt(both.other, token)]
      const user_id = both.one.user.id
      const atOnce = (bodies: ReadonlyArray<object>) =>
        Promise.all(bodies.map((body, index) => (index % 2 === 0 ? one : other)({ user_id, ...body })))
      const read = async () => (await one({ user_id, add: [] })).body.roles
      for (let round = 0; round < 5; round += 1) {
        const [old, next] = [round - 1, round].map((of) => ['a', 'b', 'c', 'd'].map((role) => `${role}${of}`))
        const answers = await atOnce([
          ...(next ?? []).map((role) => ({ add: [role] })),
          ...(old ?? []).map((role) => ({ remove: [role] })),
        ])
        expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
        expect(await read()).to.deep.equal(next)
      }
      await one({ user_id, add: MOST.slice(5) }) // 19 of 20
      const last = await atOnce(['x', 'y', 'z'].map((role) => ({ add: [role] })))
      expect(last.map(({ status }) => status).toSorted()).to.deep.equal([200, 422, 422])
      expect(await read()).to.have.lengthOf(20)
      expect((await succeed(both.one.service.checkLog)).disagreements).to.deep.equal([])
    } finally {
      await both.stop()
    }
  })
})
