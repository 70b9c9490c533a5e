import { createPrivateKey } from 'node:crypto'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { rsaIdTokenKeys } from '../../adapters/credentials/jwt/id-token-keys.ts'
import { jwtUserTokens } from '../../adapters/credentials/jwt/user-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import type { CurrentKeyring, Keyring } from '../../application/keys/keyring.ts'
import {
  publishedIdTokenKeys,
  publishedKeys,
  publishedUserKeys,
} from '../../application/keys/published-keys.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const jsonIn = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())

const publicJwkOf = ({ kid, material }: SigningKey) => ({
  ...{ kty: 'OKP', crv: 'Ed25519', x: JSON.parse(material).x },
  ...{ kid, use: 'sig', alg: 'EdDSA' },
})

const OPENID = { OPENID: 'on', ACCOUNT_PAGES: 'on' }

const openidOf = ({ openid }: World['service']) => {
  if (openid === undefined) throw new Error('it is no OpenID provider')
  return openid
}

/** The functions that publish the keys of each kind of token, and the lifetime of such a token. */
const PUBLISHED = [
  {
    name: 'publishedKeys',
    purpose: 'application',
    environment: {},
    of: ({ service }: World) => service.publishedKeys,
    by: (keyring: CurrentKeyring) =>
      publishedKeys('application', { tokens: jwtApplicationTokens(), keyring }),
    halfOf: publicJwkOf,
    signingKid: async ({ service, shop }: World) =>
      jsonIn((await succeed(service.issueApplicationToken(CONTEXT, shop))).token.split('.')[0]).kid,
    seconds: 3_600,
  },
  {
    name: 'publishedUserJwks',
    purpose: 'user_jwt',
    environment: { USER_TOKEN_FORMAT: 'jwt' },
    of: ({ service }: World) => service.publishedUserJwks,
    by: (keyring: CurrentKeyring) => publishedKeys('user_jwt', { tokens: jwtUserTokens(), keyring }),
    halfOf: publicJwkOf,
    signingKid: async (world: World) => jsonIn((await world.signIn()).token.split('.')[0]).kid,
    seconds: 43_200,
  },
  {
    name: 'publishedIdTokenKeys',
    purpose: 'id_token',
    environment: OPENID,
    of: ({ service }: World) => openidOf(service).publishedIdTokenKeys,
    by: (keyring: CurrentKeyring) => publishedIdTokenKeys({ tokens: rsaIdTokenKeys(), keyring }),
    halfOf: ({ kid, material }: SigningKey) => {
      const key = Buffer.from(material, 'base64url')
      const { n, e } = createPrivateKey({ key, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
      return { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' }
    },
    signingKid: async ({ service }: World) => (await succeed(openidOf(service).idTokenKeys))[0].kid,
    seconds: 43_200,
  },
  {
    name: 'publishedUserKeys',
    purpose: 'user',
    environment: {},
    of: ({ service }: World) => service.publishedUserKeys,
    by: (keyring: CurrentKeyring) => publishedUserKeys({ tokens: pasetoUserTokens(), keyring }),
    halfOf: ({ kid, material }: SigningKey) => {
      const halves = Buffer.from(material.slice('k4.secret.'.length), 'base64url')
      const paserk = `k4.public.${halves.subarray(32).toString('base64url')}`
      return { kid, version: 'v4', purpose: 'public', paserk }
    },
    signingKid: async (world: World) => jsonIn((await world.signIn()).token.split('.')[3]).kid,
    seconds: 43_200,
  },
] as const

for (const { name, purpose, environment, of, by, halfOf, signingKid, seconds } of PUBLISHED)
  describe(name, () => {
    const begin = () => newWorld({ environment })
    const ringIn = (keyring: Keyring) => {
      const ring = keyring[purpose]
      if (ring === undefined) throw new Error(`no key for ${purpose}`)
      return ring
    }

    it(`returns the public halves of all keys that verify ${purpose} tokens, and no others`, async () => {
      const world = await begin()
      const { signing } = ringIn(await world.keyring())
      expect(await of(world)()).to.deep.equal(right([halfOf(signing)]))
    })

    it('includes a new key before it signs, and the old one until its end', async () => {
      const world = await begin()
      const kids = async () =>
        (await succeed<unknown, ReadonlyArray<{ kid: string }>>(of(world))).map(({ kid }) => kid)
      const [old] = await kids()
      const request = { purposes: [purpose], atOnce: false } as const
      const made = (await succeed(world.service.rotateKeys(CONTEXT, request))).at(-1)?.kid
      expect(made).to.not.equal(old)

      world.clock.passSeconds(1)
      expect(await kids()).to.deep.equal([old, made])
      expect(await signingKid(world)).to.equal(old)
      world.clock.passSeconds(599)
      expect(await kids()).to.deep.equal([old, made])
      expect(await signingKid(world)).to.equal(made)
      world.clock.passSeconds(seconds + 600)
      expect(await kids()).to.deep.equal([made])
    })

    it('fails when one of the keys cannot be used', async () => {
      const keyring = await (await begin()).keyring()
      const { signing } = ringIn(keyring)
      for (const material of ['{}', 'no key']) {
        const verifying = [signing, { ...signing, kid: 'broken', material }] as const
        const published = by(TE.right({ ...keyring, [purpose]: { ...ringIn(keyring), verifying } }))
        expect(await published()).to.deep.equal(left({ _tag: 'KeyUnusable', kid: 'broken' }))
      }
    })

    it('fails while the store is unavailable', async () => {
      const world = await begin()
      await world.store.close()
      world.clock.passSeconds(1) // so that the cached keyring is too old
      expect(await fail<unknown, unknown>(of(world))).to.deep.equal({
        _tag: 'StoreUnavailable',
        reason: 'the store is closed',
      })
    })
  })

describe('publishedUserJwks', () => {
  it('is empty while no service signs user tokens as JWT', async () => {
    const { service } = await newWorld()
    expect(await service.publishedUserJwks()).to.deep.equal(right([]))
  })
})
