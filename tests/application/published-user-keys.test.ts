import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pasetoUserTokens } from '../../adapters/driven/paseto/user-tokens.ts'
import { publishedUserKeys } from '../../application/keys/published-user-keys.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld } from './world.ts'

describe('publishedUserKeys', () => {
  it('are the public halves of the keys that verify user tokens, and only those', async () => {
    const world = await newWorld()
    const { user } = await world.keyring()
    const halves = Buffer.from(user.signing.material.slice('k4.secret.'.length), 'base64url')
    expect(await world.service.publishedUserKeys()).to.deep.equal(
      right([
        {
          kid: user.signing.kid,
          version: 'v4',
          purpose: 'public',
          paserk: `k4.public.${halves.subarray(32).toString('base64url')}`,
        },
      ]),
    )
  })

  it('are one more as soon as another is made, though it does not sign yet, until the old one ends', async () => {
    const world = await newWorld()
    const kids = async () => (await succeed(world.service.publishedUserKeys)).map(({ kid }) => kid)
    const signing = async () => {
      const { token } = await world.signIn()
      return JSON.parse(Buffer.from(token.split('.')[3] ?? '', 'base64url').toString()).kid
    }
    const [old] = await kids()
    const request = { purposes: ['user'], atOnce: false } as const
    const made = (await succeed(world.service.rotateKeys(CONTEXT, request))).at(-1)?.kid
    expect(made).to.not.equal(old)

    world.clock.passSeconds(1)
    expect(await kids()).to.deep.equal([old, made])
    expect(await signing()).to.equal(old)
    world.clock.passSeconds(599)
    expect(await kids()).to.deep.equal([old, made])
    expect(await signing()).to.equal(made)
    world.clock.passSeconds(43_200 + 600)
    expect(await kids()).to.deep.equal([made])
  })

  it('are none at all when one of them cannot be used', async () => {
    const { application, user } = await (await newWorld()).keyring()
    const broken = { ...user.signing, kid: 'broken', material: 'no key' }
    const keyring = TE.right({ application, user: { ...user, verifying: both(user.signing, broken) } })
    expect(await publishedUserKeys({ tokens: pasetoUserTokens(), keyring })()).to.deep.equal(
      left({ _tag: 'KeyUnusable', kid: 'broken' }),
    )
  })

  it('are not to be had while the store is away', async () => {
    const world = await newWorld()
    await world.store.close()
    world.clock.passSeconds(1) // so that what was read before is not fresh any more
    expect(await fail(world.service.publishedUserKeys)).to.deep.equal({
      _tag: 'StoreUnavailable',
      reason: 'the store is closed',
    })
  })
})

const both = (one: SigningKey, other: SigningKey): [SigningKey, SigningKey] => [one, other]
