import { expect } from 'chai'
import type { ApplicationTokenProblem } from '../../domain/application-token.ts'
import type { ApplicationTokenRefusal } from '../../domain/refusal-reasons.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, type LoggedEvent, newWorld, type World } from './world.ts'

describe('issueApplicationToken, given that a shop is registered', () => {
  let world: World
  let pair: { publicApiKey: string; privateApiKey: string }
  beforeEach(async () => {
    world = await newWorld()
    pair = { publicApiKey: world.shop.publicApiKey, privateApiKey: world.shop.privateApiKey }
  })

  const issue = (keys: { publicApiKey?: string; privateApiKey?: string; scope?: string }) =>
    world.service.issueApplicationToken(CONTEXT, {
      publicApiKey: keys.publicApiKey,
      privateApiKey: keys.privateApiKey,
      scope: keys.scope,
    })

  const MISSING: ReadonlyArray<
    readonly [
      name: string,
      keys: { publicApiKey?: string; privateApiKey?: string },
      problems: ApplicationTokenProblem[],
    ]
  > = [
    ['no keys', {}, ['PublicApiKeyMissing', 'PrivateApiKeyMissing']],
    ['no public key', { privateApiKey: 'sk' }, ['PublicApiKeyMissing']],
    ['an empty private key', { publicApiKey: 'pk', privateApiKey: '' }, ['PrivateApiKeyMissing']],
  ]
  for (const [name, keys, problems] of MISSING) {
    it(`when it sends ${name}, then the problems are ${problems.join(' and ')}`, async () => {
      expect(await fail(issue(keys))).to.deep.equal({ _tag: 'Invalid', problems })
      expect(await world.events()).to.deep.equal([])
      expect(await world.settledEvents()).to.deep.equal([refused('missing_field')])
    })
  }

  /** The logged event of a refusal; its subject is the shop, or the service if the application is unknown. */
  const refused = (reason: ApplicationTokenRefusal, about?: 'shop'): LoggedEvent => ({
    type: 'ApplicationTokenRefused',
    subject:
      about === 'shop'
        ? { kind: 'application', id: world.shop.application.id }
        : { kind: 'service', id: 'portcullis' },
    actor: { kind: 'nobody' },
    data: { reason },
  })

  // The first names an unknown application. The second has a correct checksum, but belongs to no application.
  const UNKNOWN = 'pk_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b'
  const WRONG = 'sk_00000000000000000000000000000000000000000002CZclj'
  const NO_PAIR: ReadonlyArray<
    readonly [
      name: string,
      wrong: (right: typeof pair) => Partial<typeof pair>,
      reason: ApplicationTokenRefusal,
    ]
  > = [
    ['an unknown public key', () => ({ publicApiKey: UNKNOWN }), 'unknown_application'],
    ['a wrong private key', () => ({ privateApiKey: WRONG }), 'wrong_private_key'],
    ['a malformed public key', () => ({ publicApiKey: 'shop' }), 'malformed_key'],
    ['a malformed private key', () => ({ privateApiKey: 'secret' }), 'malformed_key'],
  ]
  for (const [name, wrong, reason] of NO_PAIR) {
    it(`when it sends ${name}, then the failure is InvalidClient, and ${reason} is noted`, async () => {
      expect(await fail(issue({ ...pair, ...wrong(pair) }))).to.deep.equal({ _tag: 'InvalidClient' })
      expect(await world.events()).to.deep.equal([])
      const about = reason === 'wrong_private_key' ? 'shop' : undefined
      expect(await world.settledEvents()).to.deep.equal([refused(reason, about)])
    })
  }

  it('when it sends the private key of another application, then the failure is InvalidClient', async () => {
    const other = await succeed(
      world.service.registerApplication(CONTEXT, { name: 'other', scope: 'users:sign_in' }),
    )
    expect(await fail(issue({ ...pair, privateApiKey: other.privateApiKey }))).to.deep.equal({
      _tag: 'InvalidClient',
    })
  })

  it('when it sends its pair, then it gets a token with all its scopes', async () => {
    const { token, ...said } = await succeed(issue(pair))
    expect(said).to.deep.equal({ expiresInSeconds: 3600, scope: 'users:sign_in users:register' })
    const caller = await succeed(world.service.authenticate(CONTEXT, 'signIn', token))
    expect(caller.application.id).to.equal(world.shop.application.id)
  })

  it('when it requests some of its scopes, then the token has only those', async () => {
    const { token, scope } = await succeed(issue({ ...pair, scope: 'users:register' }))
    expect(scope).to.equal('users:register')
    await succeed(world.service.authenticate(CONTEXT, 'registerUser', token))
    expect(await fail(world.service.authenticate(CONTEXT, 'signIn', token))).to.include({
      _tag: 'InsufficientScope',
    })
  })

  it('when it requests a scope that it does not have, then it gets no token, and nothing is logged', async () => {
    for (const scope of ['tokens:introspect', 'users:sign_in tokens:introspect', 'nothing', ' ']) {
      expect(await fail(issue({ ...pair, scope })), scope).to.deep.equal({ _tag: 'ScopeNotHeld' })
    }
    expect(await world.events()).to.deep.equal([])
  })

  it('when the keys are wrong, then the failure does not show which scope is allowed', async () => {
    for (const scope of ['users:sign_in', 'tokens:introspect', 'nothing']) {
      expect(await fail(issue({ ...pair, privateApiKey: WRONG, scope }))).to.deep.equal({
        _tag: 'InvalidClient',
      })
    }
  })

  it('when it asks twice, then it gets two tokens, and both are valid', async () => {
    const [one, other] = [await succeed(issue(pair)), await succeed(issue(pair))]
    expect(one.token).to.not.equal(other.token)
    await succeed(world.service.authenticate(CONTEXT, 'signIn', one.token))
    await succeed(world.service.authenticate(CONTEXT, 'signIn', other.token))
  })

  it('when the store takes no change, then wrong keys are still an InvalidClient', async () => {
    world.store.readOnly = true
    expect(await fail(issue({ ...pair, privateApiKey: WRONG }))).to.deep.equal({ _tag: 'InvalidClient' })
  })

  it('when the private key is mistyped, then it is refused without a look-up', async () => {
    await world.store.close()
    expect(await fail(issue({ ...pair, privateApiKey: mistyped(pair.privateApiKey) }))).to.deep.equal({
      _tag: 'InvalidClient',
    })
  })
})

/** Changes the last character. */
const mistyped = (key: string): string => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
