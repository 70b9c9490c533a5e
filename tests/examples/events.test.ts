import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { isAlive } from '../../domain/session.ts'
import { chance, seedOfThisRun } from '../faults/seed.ts'
import { eventually } from '../support/eventually.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { type ReaderKeys, type SignedIn, signedInOf, startSignedIn } from './events-process.ts'

const PASSWORD = { email: 'ada@example.com', password: 'correct horse' }

describe('the example that lists who is signed in', () => {
  let running: RunningService
  let folder: string
  let file: string
  let keys: ReaderKeys
  let example: ReturnType<typeof startSignedIn>
  beforeEach(async () => {
    running = await startService(
      {},
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
    folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
    file = join(folder, 'signed-in.json')
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'follower', scope: 'events:read' }),
    )
    keys = { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }
    start()
  })
  afterEach(async () => {
    await example.kill()
    await running.stop()
    rmSync(folder, { recursive: true })
  })

  const start = (): void => {
    example = startSignedIn(`http://127.0.0.1:${running.port}`, keys, file)
  }
  const log = () => succeed(running.service.store.readEvents({ after: 0, limit: 10_000 }))
  /** The list once the example has read the whole log. */
  const list = async (): Promise<SignedIn> => {
    const epoch = await succeed(running.service.store.readEpoch())
    return await eventually('the end of the log', async () => {
      const { length } = await log()
      const seen = signedInOf(file)
      return seen?.cursor === `${epoch}:${length}` ? seen : undefined
    })
  }
  /** The sessions whose tokens the service accepts. */
  const alive = async (): Promise<ReadonlyArray<string>> => {
    const { store } = running.service
    const rows = await succeed(store.listRows({ table: 'sessions', after: '', limit: 10_000 }))
    const facts = await Promise.all(rows.map(({ id }) => succeed(store.findSession(id))))
    return facts.flatMap((one) =>
      isSome(one) && isAlive(one.value, Date.now() / 1000) ? [one.value.session.id] : [],
    )
  }
  const expectRight = async (): Promise<void> => {
    const listed = Object.keys((await list()).sessions)
    expect(listed).to.have.members(await alive())
  }
  const change = (token: string, from: string, to: string) =>
    running.send({
      method: 'POST',
      path: '/api/v1/profile/change_password',
      token,
      body: { old_password: from, new_password: to, new_password_check: to },
    })

  it('says which user is signed in, by which application, and until when', async () => {
    const token = await running.userToken()
    const { session } = await succeed(running.service.authenticate(CONTEXT, 'getProfile', token))
    const { sessions } = await list()
    expect(sessions).to.deep.equal({
      [session.id]: {
        user: running.user.id,
        application: running.keys.public_api_key.slice(3),
        expires_at: new Date(session.expiresAtSeconds * 1000).toISOString(),
      },
    })
  })

  const ENDS: Readonly<Record<string, (token: string) => Promise<unknown>>> = {
    'a sign-out': (token) => running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token }),
    'a password change': (token) => change(token, PASSWORD.password, 'new'),
    'the end of other sessions': (token) =>
      running.send({ method: 'POST', path: '/api/v1/profile/sessions/end_others', token }),
    'a new password by an operator': () =>
      succeed(running.service.setPassword(CONTEXT, { user: PASSWORD.email, password: 'new' })),
    'a recovery': async () => {
      const desk = await scopedToken(running, 'users:recover')
      const { body } = await running.send({
        method: 'POST',
        path: '/api/v1/users/recovery',
        token: desk,
        body: { email: PASSWORD.email },
      })
      const passwords = { new_password: 'new', new_password_check: 'new' }
      const complete = '/api/v1/users/recovery/complete'
      return running.send({ method: 'POST', path: complete, body: { token: body.token, ...passwords } })
    },
    'the end of all sessions': () => succeed(running.service.endUserSessions(CONTEXT, running.user.id)),
    'a disabling': () => succeed(running.service.disableUser(CONTEXT, running.user.id)),
    'a disabling and an enabling': async () => {
      await succeed(running.service.disableUser(CONTEXT, running.user.id))
      await succeed(running.service.enableUser(CONTEXT, running.user.id))
    },
    'a removal': () => succeed(running.service.removeUser(CONTEXT, running.user.id)),
    'a revocation of the application': () =>
      succeed(running.service.revokeApplication(CONTEXT, running.keys.public_api_key.slice(3))),
  }
  for (const [what, end] of Object.entries(ENDS)) {
    it(`ends the right sessions after ${what}`, async () => {
      const bob = { email: 'bob@example.com', password: 'of bob' }
      await succeed(running.service.registerUser(CONTEXT, bob, OPERATOR))
      const first = await running.userToken(PASSWORD)
      await running.userToken(PASSWORD)
      await running.userToken(bob)
      await expectRight()
      const before = (await alive()).length
      await end(first)
      await expectRight()
      expect((await alive()).length).to.be.below(before)
    })
  }

  it('keeps a renewed session until its new expiry', async () => {
    await example.kill()
    await running.stop()
    let ahead = -80_000
    running = await startService(
      { USER_TOKEN_TTL: '600', SESSION_IDLE_TTL: '43200', SESSION_TTL: '100000' },
      provide(Dependency.passwordHasher, () => plainHasher()),
      provide(Dependency.clock, () => () => Date.now() + ahead * 1000),
    )
    const token = await running.userToken()
    ahead = -40_000 // without this renewal the session has expired at 0
    const path = '/api/v1/auth/user/token/renew'
    const caller = await running.applicationToken()
    const { body } = await running.send({ method: 'POST', path, token: caller, body: { token } })
    expect(body.session_expires_in).to.equal(43_200)
    ahead = 0
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'follower', scope: 'events:read' }),
    )
    keys = { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }
    start()
    expect(Object.keys((await list()).sessions)).to.have.lengthOf(1)
    await expectRight()
  })

  it('begins again after a renewal of the log, and gets another token after a rotation of the keys', async () => {
    await running.userToken()
    await expectRight()
    await succeed(running.service.renewLog(CONTEXT))
    await expectRight()
    await succeed(running.service.rotateKeys(CONTEXT, { purposes: ['application'], atOnce: true }))
    await running.userToken()
    await expectRight()
  })

  it('ends with an error if its keys are wrong or lack the scope', async () => {
    await example.kill()
    for (const wrong of [{ ...keys, private_api_key: 'sk_x' }, running.keys]) {
      const failing = startSignedIn(`http://127.0.0.1:${running.port}`, wrong, file)
      expect(await failing.ended()).to.equal(1)
      expect(failing.reported()).to.match(/Portcullis (?:refused the API keys|answered 403)/)
    }
  })

  it('is right whenever it is killed', async () => {
    const seed = seedOfThisRun()
    const dice = chance(seed)
    const users = [PASSWORD]
    for (const name of ['bob', 'cleo']) {
      const user = { email: `${name}@example.com`, password: `of ${name}` }
      await succeed(running.service.registerUser(CONTEXT, user, OPERATOR))
      users.push(user)
    }
    for (let round = 0; round < 12; round += 1) {
      for (let step = dice.below(40); step >= 0; step -= 1) {
        const user = dice.of(users) ?? PASSWORD
        const token = await running.userToken(user)
        const lot = dice.below(4)
        if (lot === 0) await running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token })
        if (lot === 1) {
          const password = `password ${round} ${step}`
          expect((await change(token, user.password, password)).status).to.equal(200)
          user.password = password
        }
      }
      if (dice.below(2) === 0) await expectRight()
      await example.kill()
      start()
    }
    await expectRight()
  }).timeout(120_000)
})
