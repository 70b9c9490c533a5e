import { expect } from 'chai'
import { isSome, none } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { NO_OWN_LIFETIMES } from '../../domain/lifetimes.ts'
import { NO_CLIENT } from '../../domain/redirect-uris.ts'
import type { RegistrationProblem } from '../../domain/registration.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('registerUser, given that Ada@Example.com is registered', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld()
  })

  const WRONG: ReadonlyArray<
    readonly [name: string, request: { email?: string; password?: string }, problems: RegistrationProblem[]]
  > = [
    ['nothing', {}, ['EmailMissing', 'PasswordMissing']],
    ['a malformed e-mail and no password', { email: 'grace' }, ['EmailMalformed', 'PasswordMissing']],
    ["Ada's e-mail", { email: 'Ada@Example.com', password: 'p' }, ['EmailTaken']],
    ["Ada's e-mail in another case", { email: 'ADA@example.COM', password: 'p' }, ['EmailTaken']],
    ["Ada's e-mail and no password", { email: 'ada@example.com' }, ['EmailTaken', 'PasswordMissing']],
  ]
  for (const [name, { email, password }, problems] of WRONG) {
    it(`when it gets ${name}, then it is refused with ${problems.join(' and ')}`, async () => {
      expect(await fail(world.service.registerUser(CONTEXT, { email, password }, OPERATOR))).to.deep.equal({
        _tag: 'Invalid',
        problems,
      })
      expect(await world.events()).to.deep.equal([])
    })
  }

  it('when Grace is registered, then her e-mail is stored as sent, and the event has neither e-mail nor password', async () => {
    const made = await succeed(
      world.service.registerUser(CONTEXT, { email: 'Grace@Example.com', password: ' compiler ' }, OPERATOR),
    )
    const kept = await succeed(world.store.findUserByEmail('grace@example.com'))
    if (!isSome(kept)) throw new Error('she is not there')
    expect(made).to.deep.equal({ id: kept.value.id, email: 'Grace@Example.com', emailVerified: false })
    expect(kept.value).to.deep.include({
      email: 'Grace@Example.com',
      emailVersion: 1,
      passwordVersion: 1,
      status: 'enabled',
      version: 1,
    })
    const [{ id, position, ...noted } = { id: '', position: 0 }, ...more] = await world.events()
    expect(noted).to.deep.equal({
      type: 'UserRegistered',
      version: 1,
      at: '2026-03-01T12:00:00.000Z',
      subject: { kind: 'user', id: made.id },
      actor: { kind: 'operator' },
      request_id: 'request-1',
      data: { password_digest: nodeDigests.sha256(kept.value.passwordRecord), email_verified: false },
    })
    expect(more).to.deep.equal([])
    const request = { email: 'grace@example.com', password: ' compiler ' }
    await succeed(world.service.signIn(CONTEXT, world.caller, request))
  })

  it('when an application registers Grace, then the event names the application', async () => {
    const { id } = world.shop.application
    const request = { email: 'grace@example.com', password: 'p' }
    await succeed(world.service.registerUser(CONTEXT, request, { kind: 'application', id }))
    const [noted] = await world.events()
    expect(noted).to.deep.include({ type: 'UserRegistered', actor: { kind: 'application', id } })
  })

  it('when one e-mail is registered 20 times concurrently, then it is registered once', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.service.registerUser(
          CONTEXT,
          { email: index % 2 ? 'g@h' : 'G@H', password: `p${index}` },
          OPERATOR,
        )(),
      ),
    )
    expect(results.filter(({ _tag }) => _tag === 'Right')).to.have.lengthOf(1)
    for (const result of results.filter(({ _tag }) => _tag === 'Left')) {
      expect(result).to.deep.equal({ _tag: 'Left', left: { _tag: 'Invalid', problems: ['EmailTaken'] } })
    }
    expect(await world.events()).to.have.lengthOf(1)
  })

  it('when the store is closed, then no password is hashed', async () => {
    const hashed: Array<string> = []
    const counted = await newWorld({ hasher: plainHasher(async (work) => void hashed.push(work)) })
    await counted.store.close()
    hashed.length = 0
    const request = { email: 'grace@example.com', password: 'p' }
    expect(await fail(counted.service.registerUser(CONTEXT, request, OPERATOR))).to.have.property(
      '_tag',
      'StoreUnavailable',
    )
    expect(hashed).to.deep.equal([])
  })
})

describe('registerApplication', () => {
  it('when the request is invalid, then all problems are reported and nothing is logged', async () => {
    const world = await newWorld()
    const request = { name: '', scope: 'users:delete' }
    expect(await fail(world.service.registerApplication(CONTEXT, request))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['NameMalformed', 'ScopeUnknown'],
    })
    expect(await world.events()).to.deep.equal([])
  })

  it('when it is valid, then only the SHA-256 of the private key is stored, and it is not logged', async () => {
    const world = await newWorld()
    const made = await succeed(
      world.service.registerApplication(CONTEXT, { name: 'The shop', scope: 'users:register' }),
    )
    const { id, keyId } = made.application
    expect(made.publicApiKey).to.equal(`pk_${id}`)
    const kept = await succeed(world.store.findApplication(id))
    expect(isSome(kept) && kept.value).to.deep.equal({
      id,
      name: 'The shop',
      scope: ['users:register'],
      keyId,
      keyDigest: nodeDigests.sha256(made.privateApiKey),
      previousKey: none,
      lifetimes: NO_OWN_LIFETIMES,
      requiredAssurance: 'aal1',
      requiresVerifiedEmail: false,
      passkeyOrigins: [],
      returnUrls: [],
      ...NO_CLIENT,
      revoked: false,
      version: 1,
    })
    const [noted] = await world.events()
    expect(noted).to.deep.include({
      type: 'ApplicationRegistered',
      subject: { kind: 'application', id },
      actor: { kind: 'operator' },
      data: {
        name: 'The shop',
        scope: 'users:register',
        user_token_ttl: null,
        idle_ttl: null,
        session_ttl: null,
        remember_ttl: null,
        required_assurance: 'aal1',
        require_verified_email: false,
        key_id: keyId,
      },
    })
    expect(JSON.stringify(noted)).to.not.include(made.privateApiKey)
  })
})
