import assert from 'node:assert/strict'
import { type Either, isLeft, left } from 'fp-ts/lib/Either.js'
import type { IdTokenKey, IdTokenKeys } from '../../application/ports/id-token-keys.ts'
import type { KeyUnusable } from '../../application/ports/token-format.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { casesOn } from './frames.ts'
import type { Runner } from './runner.ts'
import { spoilt, UNUSABLE } from './token-format/unusable-keys.ts'
import { base64url } from './token-format/web-crypto.ts'
import { newKey } from './token-format.ts'

/** Opens an adapter. The suite calls `close` at the end of a case. */
export type OpenIdTokenKeys = () => Promise<OpenedIdTokenKeys>
export type OpenedIdTokenKeys = Readonly<{ keys: IdTokenKeys; close?: () => Promise<void> }>

/** The contract suite of `IdTokenKeys`. */
export const idTokenKeysContract = (runner: Runner, open: OpenIdTokenKeys): void => {
  const check = casesOn(runner, async () => {
    const { keys, ...opened } = await open()
    return { ...opened, adapter: keys }
  })

  check('makes another key each time, also concurrently', async (keys) => {
    const made = await Promise.all([keys.createKey(), keys.createKey()])
    assert.equal(new Set(made.map(({ kid }) => kid)).size, 2)
    assert.equal(new Set(made.map(({ material }) => material)).size, 2)
  })

  check('makes texts that a store can hold, and that do not begin as encrypted ones do', async (keys) => {
    const { kid, material } = await keys.createKey()
    for (const text of [kid, material]) assert.ok(text !== '' && text.isWellFormed() && !text.includes('\0'))
    assert.ok(!material.startsWith('wrapped.'))
  })

  check('publishes RSA with 2048 bits for RS256, and no secret member', async (keys) => {
    const { publicJwk } = loaded(keys.load(await newKey(keys, 'id_token')))
    const { n, e, kid, ...others } = publicJwk
    assert.deepEqual(others, { kty: 'RSA', use: 'sig', alg: 'RS256' })
    assert.equal(Buffer.from(n, 'base64url').length, 256)
    assert.equal(e, 'AQAB')
  })

  check('names a key by the thumbprint of its public key', async (keys) => {
    const key = await newKey(keys, 'id_token')
    const { kid, publicJwk, privateJwk } = loaded(keys.load(key))
    const { n, e } = publicJwk
    const members = Buffer.from(JSON.stringify({ e, kty: 'RSA', n }))
    const thumbprint = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', members)))
    assert.deepEqual([key.kid, kid, publicJwk.kid, privateJwk.kid], Array(4).fill(thumbprint))
  })

  check('signs with the private key what the public key verifies', async (keys) => {
    const key = await newKey(keys, 'id_token')
    const { publicJwk, privateJwk } = loaded(keys.load(key))
    const message = Buffer.from('message')
    const [privateKey, publicKey] = [
      await crypto.subtle.importKey('jwk', privateJwk, RS256, false, ['sign']),
      await crypto.subtle.importKey('jwk', publicJwk, RS256, false, ['verify']),
    ]
    const signature = await crypto.subtle.sign(RS256, privateKey, message)
    assert.ok(await crypto.subtle.verify(RS256, publicKey, signature, message))
    const { d, p, q, dp, dq, qi, ...published } = privateJwk
    assert.deepEqual(published, publicJwk)
    for (const secret of [d, p, q, dp, dq, qi]) assert.match(secret, /^[\w-]{100,}$/)
  })

  check('loads no key of another purpose', async (keys) => {
    const key = await newKey(keys, 'id_token')
    for (const purpose of KEY_PURPOSES.filter((one) => one !== 'id_token'))
      assert.deepEqual(keys.load({ ...key, purpose }), unusable(key), purpose)
  })

  check('loads nothing from other material, and the key itself beside it', async (keys) => {
    const key = await newKey(keys, 'id_token')
    for (const [what, spoil] of UNUSABLE) {
      assert.deepEqual(keys.load(spoilt(key, spoil)), unusable(key), what)
      assert.equal(loaded(keys.load(key)).kid, key.kid, what)
    }
  })

  for (const [what, make] of OTHER_KEYS)
    check(`loads nothing from ${what}`, async (keys) => {
      const key = await newKey(keys, 'id_token')
      const material = await make()
      assert.deepEqual(keys.load({ ...key, material }), unusable(key))
    })

  check('loads no key under the id of another one', async (keys) => {
    const [key, other] = [await newKey(keys, 'id_token'), await newKey(keys, 'id_token')]
    assert.deepEqual(keys.load({ ...key, material: other.material }), unusable(key))
    assert.deepEqual(keys.load({ ...key, kid: other.kid }), unusable(other))
  })
}

const loaded = (outcome: Either<KeyUnusable, IdTokenKey>): IdTokenKey =>
  isLeft(outcome) ? assert.fail('it is unusable') : outcome.right

const unusable = ({ kid }: Readonly<{ kid: string }>) => left({ _tag: 'KeyUnusable', kid })

const RS256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

const SHORT_RSA = { ...RS256, modulusLength: 1024, publicExponent: Uint8Array.of(1, 0, 1) }

/** Sound keys of another kind, as PKCS #8. */
export const OTHER_KEYS: ReadonlyArray<readonly [what: string, make: () => Promise<string>]> = [
  // RFC 8410 §10.3.
  ['an Ed25519 key', async () => 'MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp-K06_nwoy_HU--CXqI9EdVhC'],
  [
    'an RSA key of 1024 bits',
    async () => {
      const { privateKey } = await crypto.subtle.generateKey(SHORT_RSA, true, ['sign', 'verify'])
      return base64url(new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey)))
    },
  ],
]
