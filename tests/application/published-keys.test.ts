import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { jwtApplicationTokens } from '../../adapters/driven/jwt/application-tokens.ts'
import { publishedKeys } from '../../application/keys/published-keys.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld } from './world.ts'

describe('publishedKeys', () => {
  it('are the public halves of the keys that verify application tokens, and only those', async () => {
    const world = await newWorld()
    const { application } = await world.keyring()
    expect(await world.service.publishedKeys()).to.deep.equal(
      right([
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: JSON.parse(application.signing.material).x,
          kid: application.signing.kid,
          use: 'sig',
          alg: 'EdDSA',
        },
      ]),
    )
  })

  it('are one more as soon as another is made, though it does not sign yet, until the old one ends', async () => {
    const world = await newWorld()
    const kids = async () => (await succeed(world.service.publishedKeys)).map(({ kid }) => kid)
    const signing = async () => {
      const { token } = await succeed(world.service.issueApplicationToken(CONTEXT, world.shop))
      return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
    }
    const [old] = await kids()
    const request = { purposes: ['application'], atOnce: false } as const
    const made = (await succeed(world.service.rotateKeys(CONTEXT, request))).at(-1)?.kid
    expect(made).to.not.equal(old)

    world.clock.passSeconds(1)
    expect(await kids()).to.deep.equal([old, made])
    expect(await signing()).to.equal(old)
    world.clock.passSeconds(599)
    expect(await kids()).to.deep.equal([old, made])
    expect(await signing()).to.equal(made)
    world.clock.passSeconds(3_600 + 600)
    expect(await kids()).to.deep.equal([made])
  })

  it('are none at all when one of them cannot be used', async () => {
    const { application, user } = await (await newWorld()).keyring()
    const broken = { ...application.signing, kid: 'broken', material: '{}' }
    const keyring = TE.right({
      application: { ...application, verifying: both(application.signing, broken) },
      user,
    })
    expect(await publishedKeys({ tokens: jwtApplicationTokens(), keyring })()).to.deep.equal(
      left({ _tag: 'KeyUnusable', kid: 'broken' }),
    )
  })
})

const both = (one: SigningKey, other: SigningKey): [SigningKey, SigningKey] => [one, other]
