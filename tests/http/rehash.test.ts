import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import type { Change, Store } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, httpClient } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startService } from '../support/running-service.ts'
import { settings } from '../support/settings.ts'
import { gate } from '../support/waiting.ts'

const ADA = { email: 'Ada@Example.com', password: 'correct horse' }
const HIGHER_COST = { SCRYPT_LOG_N: '3' }

const OLD = `old:${'o'.repeat(32)}`
const NEW = `new:${'n'.repeat(32)}`

/** Requests to a service whose store outlives it. */
type Asked = Readonly<{
  signIn: (credentials?: { email: string; password: string }, requestId?: string) => Promise<Answer>
  profileStatus: (token: string) => Promise<number>
  changePassword: (token: string, from: string, to: string) => Promise<Answer>
  register: (email: string, password: string) => Promise<Answer>
}>

onMemory('a password record at sign-in', (stores) => {
  let store: Store
  let commit: (change: Change) => ReturnType<Store['commit']>
  let keys: Readonly<{ public_api_key: string; private_api_key: string }>
  beforeEach(async () => {
    store = (await stores.lasting()).store
    commit = store.commit
    const first = await startService(
      {},
      provide(Dependency.storage, () => ({ store: store })),
    )
    keys = first.keys
    await first.stop()
  })

  /** Starts a service with these settings for `use`, and stops it together with its background work. */
  const on = async (environment: Environment, use: (asked: Asked) => Promise<void>): Promise<void> => {
    const service = await compose(
      settings(environment),
      provide(Dependency.storage, () => ({
        store: { ...store, commit: (change: Change) => commit(change) },
      })),
    )
    const { send, close } = httpClient(`http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`)
    const { token } = await succeed(
      service.issueApplicationToken(CONTEXT, {
        publicApiKey: keys.public_api_key,
        privateApiKey: keys.private_api_key,
      }),
    )
    const post = (path: string, by: string, body: object, headers: Record<string, string> = {}) =>
      send({ method: 'POST', path, token: by, body, headers })
    try {
      await use({
        signIn: (credentials = ADA, requestId = 'sign-in') =>
          post('/api/v1/auth/user/token', token, credentials, { 'x-request-id': requestId }),
        profileStatus: async (by) =>
          (await send({ method: 'GET', path: '/api/v1/profile', token: by })).status,
        changePassword: (by, from, to) =>
          post('/api/v1/profile/change_password', by, {
            old_password: from,
            new_password: to,
            new_password_check: to,
          }),
        register: (email, password) => post('/api/v1/users', token, { email, password }),
      })
    } finally {
      await close()
      await service.stop()
    }
  }

  const rehashes = () => eventsOf(store, 'PasswordRehashed')
  const recordOf = async (email: string): Promise<string> => {
    const found = await succeed(store.findUserByEmail(email))
    return found._tag === 'Some' ? found.value.passwordRecord : ''
  }
  const pepperOf = async (email: string) => (await recordOf(email)).split('$')[1]
  const costOf = async (email: string) =>
    Buffer.from((await recordOf(email)).split('$')[2] ?? '', 'base64')[7]

  it('is rehashed when its cost is too low, and no session ends', async () => {
    const before = await recordOf(ADA.email)
    let early = ''
    await on({}, async ({ signIn }) => {
      early = (await signIn()).body.token
    })
    expect(await rehashes(), 'at the same cost').to.deep.equal([])

    await on(HIGHER_COST, async ({ signIn, profileStatus }) => {
      const answer = await signIn(ADA, 'this-sign-in')
      expect(answer.status).to.equal(200)
      const [noted] = await eventually('PasswordRehashed', async () => {
        const entries = await rehashes()
        return entries.length > 0 ? entries : undefined
      })
      expect(noted).to.deep.include({
        subject: { kind: 'user', id: answer.body.user_id },
        actor: { kind: 'nobody' },
        request_id: 'this-sign-in',
        data: { password_digest: nodeDigests.sha256(await recordOf(ADA.email)) },
      })
      expect(await profileStatus(answer.body.token), 'the session of that sign-in').to.equal(200)
      expect(await profileStatus(early), 'a session of before').to.equal(200)
    })
    expect(await recordOf(ADA.email)).not.to.equal(before)
    expect(await costOf(ADA.email)).to.equal(Number(HIGHER_COST.SCRYPT_LOG_N))
  })

  it('is not rehashed a second time, or when the current cost is lower', async () => {
    await on(HIGHER_COST, async ({ signIn }) => {
      await signIn()
    })
    expect(await rehashes()).to.have.length(1)
    for (const environment of [HIGHER_COST, {}]) {
      await on(environment, async ({ signIn }) => {
        expect((await signIn()).status).to.equal(200)
      })
    }
    expect(await rehashes()).to.have.length(1)
    expect(await costOf(ADA.email)).to.equal(Number(HIGHER_COST.SCRYPT_LOG_N))
  })

  it('is not rehashed after a wrong password', async () => {
    const before = await recordOf(ADA.email)
    await on(HIGHER_COST, async ({ signIn }) => {
      expect((await signIn({ ...ADA, password: 'wrong' })).status).to.equal(422)
    })
    expect(await recordOf(ADA.email)).to.equal(before)
    expect(await rehashes()).to.deep.equal([])
  })

  it('does not delay the response while it is rehashed', async () => {
    const held = gate()
    commit = (change) => async () => {
      if (change.events[0].type === 'PasswordRehashed') await held.pass()
      return store.commit(change)()
    }
    await on(HIGHER_COST, async ({ signIn, profileStatus }) => {
      const { status, body } = await signIn()
      expect(status).to.equal(200)
      await held.reached
      expect(await profileStatus(body.token)).to.equal(200)
      expect(await rehashes()).to.deep.equal([])
      held.open()
    })
    expect(await rehashes()).to.have.length(1)
  })

  it('is not overwritten when the password changes during the rehash', async () => {
    const held = gate()
    commit = (change) => async () => {
      if (change.events[0].type === 'PasswordRehashed') await held.pass()
      return store.commit(change)()
    }
    await on(HIGHER_COST, async ({ signIn, changePassword }) => {
      const { body } = await signIn()
      await held.reached
      expect((await changePassword(body.token, ADA.password, 'another')).status).to.equal(200)
      held.open()
    })
    expect(await rehashes()).to.deep.equal([])
    await on(HIGHER_COST, async ({ signIn }) => {
      expect((await signIn()).status).to.equal(422)
      expect((await signIn({ ...ADA, password: 'another' })).status).to.equal(200)
    })
  })

  it('is rehashed with a new pepper, and again when another pepper comes first', async () => {
    expect(await pepperOf(ADA.email)).to.equal('')
    for (const [peppers, id] of [
      [OLD, 'old'],
      [`${NEW} ${OLD}`, 'new'],
      [NEW, 'new'],
    ] as const) {
      await on({ PASSWORD_PEPPER: peppers }, async ({ signIn }) => {
        expect((await signIn()).status, peppers).to.equal(200)
      })
      expect(await pepperOf(ADA.email), peppers).to.equal(id)
    }
    expect(await rehashes()).to.have.length(2)
  })

  it('matches no password without its pepper, and matches again when the pepper is restored', async () => {
    await on({ PASSWORD_PEPPER: OLD }, async ({ register }) => {
      expect((await register('grace@example.com', 'compiler')).status).to.equal(201)
    })
    const grace = { email: 'grace@example.com', password: 'compiler' }
    for (const environment of [{}, { PASSWORD_PEPPER: NEW }]) {
      await on(environment, async ({ signIn }) => {
        const { status, body } = await signIn(grace)
        expect(status).to.equal(422)
        expect(body.errors).to.deep.equal([
          { code: 3, param: 'password', message: 'password does not match the e-mail.' },
        ])
        expect((await signIn()).status, 'a record without that pepper').to.equal(200)
      })
    }
    await on({ PASSWORD_PEPPER: `${NEW} ${OLD}` }, async ({ signIn }) => {
      expect((await signIn(grace)).status).to.equal(200)
    })
    expect(await pepperOf(grace.email)).to.equal('new')
  })

  it('matches no password under another secret with the same pepper id', async () => {
    await on({ PASSWORD_PEPPER: OLD }, async ({ register }) => {
      await register('grace@example.com', 'compiler')
    })
    await on({ PASSWORD_PEPPER: `old:${'x'.repeat(32)}` }, async ({ signIn }) => {
      expect((await signIn({ email: 'grace@example.com', password: 'compiler' })).status).to.equal(422)
    })
  })
})
