import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { jwtApplicationTokens } from '../../adapters/jwt/application-tokens.ts'
import { publishedKeys } from '../../application/published-keys.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { newWorld } from './world.ts'

describe('publishedKeys', () => {
  it('are the public halves of the keys that verify application tokens, and only those', async () => {
    const world = await newWorld()
    const { application } = await world.keyring()
    expect(world.service.publishedKeys()).to.deep.equal(
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

  it('are none at all when one of them cannot be used', async () => {
    const { application, user } = await (await newWorld()).keyring()
    const broken = { ...application.signing, kid: 'broken', material: '{}' }
    const keyring = {
      application: { signing: application.signing, verifying: both(application.signing, broken) },
      user,
    }
    expect(publishedKeys(jwtApplicationTokens(), keyring)()).to.deep.equal(
      left({ _tag: 'KeyUnusable', kid: 'broken' }),
    )
  })
})

const both = (one: SigningKey, other: SigningKey): [SigningKey, SigningKey] => [one, other]
