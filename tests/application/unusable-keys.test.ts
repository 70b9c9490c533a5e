import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { authenticateApplication } from '../../application/applications/authenticate-application.ts'
import { issueApplicationToken } from '../../application/applications/issue-application-token.ts'
import type { CurrentKeyring } from '../../application/keys/keyring.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { tokenLimit } from '../../application/throttling/token-limit.ts'
import type { KeyPurpose, SigningKey } from '../../domain/signing-key.ts'
import { fail } from '../support/outcome.ts'
import { aKey } from '../testkit/builders.ts'
import { countingRandom } from './fakes.ts'
import { CONTEXT, newWorld } from './world.ts'

const key = async (purpose: KeyPurpose): Promise<SigningKey> => {
  const format = purpose === 'user' ? pasetoUserTokens() : jwtApplicationTokens()
  return aKey({ purpose, ...(await format.createKey()) })
}

const ringOf = (application: SigningKey, user: SigningKey): CurrentKeyring =>
  TE.right({
    application: { signing: application, verifying: [application], inactiveKeyIds: new Set<string>() },
    user: { signing: user, verifying: [user], inactiveKeyIds: new Set<string>() },
    user_jwt: undefined,
    id_token: undefined,
  })

const broken = (whole: SigningKey): SigningKey => ({ ...whole, kid: 'broken', material: 'no key' })

describe('given a signing key that the token format cannot read', () => {
  it('when Ada signs in, then the failure names the key, and no session is opened', async () => {
    const ring = ringOf(await key('application'), broken(await key('user')))
    const world = await newWorld({ modules: [provide(Dependency.keyring, () => ring)] })
    const request = { email: 'ada@example.com', password: 'old' }
    expect(await fail(world.service.signIn(CONTEXT, world.caller, request))).to.deep.equal({
      _tag: 'KeyUnusable',
      kid: 'broken',
    })
    expect(await world.events()).to.deep.equal([])
  })

  it('when Ada steps up, then the failure names the key, and nothing is recorded', async () => {
    const [application, user] = [await key('application'), await key('user')]
    let ring = ringOf(application, user)
    const keyring: CurrentKeyring = (options) => ring(options)
    const world = await newWorld({ modules: [provide(Dependency.keyring, () => keyring)] })
    const { caller } = await world.signIn()
    ring = ringOf(application, broken(user))
    expect(await fail(world.service.stepUp(CONTEXT, caller, { password: 'old' }))).to.deep.equal({
      _tag: 'KeyUnusable',
      kid: 'broken',
    })
    expect((await world.events()).map(({ type }) => type)).to.deep.equal(['UserSignedIn'])
  })

  it('when a shop asks for a token, then the failure names the key, and no token is logged', async () => {
    const { store, clock, shop, events } = await newWorld()
    const random = countingRandom()
    const issue = issueApplicationToken({
      authenticateApplication: authenticateApplication({
        store,
        clock: clock.read,
        digests: nodeDigests,
        refusals: { note: () => {} },
        callerFailed: async (failure) => left(failure),
      }),
      tokens: jwtApplicationTokens(),
      keyring: ringOf(broken(await key('application')), await key('user')),
      clock: clock.read,
      random,
      record: recorder({ store, clock: clock.read, random, digests: nodeDigests }),
      refusals: { note: () => {} },
      tokenLimit: tokenLimit({ clock: clock.read, tokensPerMinute: 0 }),
      settings: { issuer: 'http://service.test', applicationTokenTtlSeconds: 60 },
    })
    expect(await fail(issue(CONTEXT, shop))).to.deep.equal({ _tag: 'KeyUnusable', kid: 'broken' })
    expect(await events()).to.deep.equal([])
  })
})
