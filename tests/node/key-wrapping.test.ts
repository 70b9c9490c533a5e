import { expect } from 'chai'
import * as fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import type { WrappedKey, WrappingState } from '../../application/ports/key-wrapping.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { anyCharacter } from '../support/code-points.ts'

const OF_2026 = { id: '2026', secret: `${'s'.repeat(31)}1` }
const OF_2027 = { id: '2027', secret: `${'s'.repeat(31)}2` }
/** The id of one key with the secret of the other. */
const MIXED_UP = { ...OF_2026, secret: OF_2027.secret }

const KID = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
const ADAS: WrappedKey = { kid: KID, purpose: 'user' }

const PASERK = `k4.secret.${'AbC_-9'.repeat(14)}AA`
const JWK = JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: 'AbC_', d: 'd-9_' })

/**
 * A key wrapped earlier: `k4.secret.AAAA` under 2026, with the bytes 0 to 11 as the nonce. Made outside of
 * this project, with HKDF and AESGCM of the Python package cryptography.
 */
const FIXED = 'wrapped.v1$2026$AAECAwQFBgcICQoLVs1EheXjNB9AAU5QAdgoqvsm227pifarLSso4rV2'

const plainText = fc.string({ unit: anyCharacter, maxLength: 300 })
const about = fc.record<WrappedKey>({
  kid: fc.string({ unit: anyCharacter }),
  purpose: fc.constantFrom(...KEY_PURPOSES, 'totp'),
})

describe('wrapping of keys under a key-encryption key', () => {
  const wrapping = aesKeyWrapping([OF_2026])

  it('returns what was wrapped, for any material', () => {
    fc.assert(
      fc.property(plainText, about, (material, key) => {
        const stored = wrapping.wrap(material, key)
        expect(wrapping.unwrap(stored, key)).to.deep.equal(right(material))
        expect(wrapping.assess(stored, key)).to.equal('current')
      }),
    )
  })

  it('names the key-encryption key, reveals nothing else, and differs each time', () => {
    const [one, other] = [wrapping.wrap(PASERK, ADAS), wrapping.wrap(PASERK, ADAS)]
    expect(wrapping.keyEncryptionKeyId).to.deep.equal(some('2026'))
    for (const stored of [one, other]) {
      expect(stored).to.match(/^wrapped\.v1\$2026\$[A-Za-z0-9_-]{166}$/) // 12 + 96 + 16 bytes
      expect(Buffer.from(stored.split('$')[2] ?? '', 'base64url').toString('latin1')).not.to.include('k4.')
    }
    expect(one).not.to.equal(other)
    const nonces = Array.from({ length: 1_000 }, () => wrapping.wrap('', ADAS).split('$')[2]?.slice(0, 16))
    expect(new Set(nonces).size).to.equal(1_000)
  })

  it('unwraps keys that were wrapped earlier', () => {
    expect(wrapping.unwrap(FIXED, ADAS)).to.deep.equal(right('k4.secret.AAAA'))
  })

  it('does not unwrap after a change of any bit', () => {
    const bytes = Buffer.from(FIXED.split('$')[2] ?? '', 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      const stored = `wrapped.v1$2026$${changed.toString('base64url')}`
      expect(wrapping.unwrap(stored, ADAS)._tag, `bit ${bit}`).to.equal('Left')
    }
  })

  const OTHERS: ReadonlyArray<readonly [what: string, about: WrappedKey]> = [
    ['another key', { ...ADAS, kid: KID.replace('k', 'K') }],
    ['a key of the other purpose', { ...ADAS, purpose: 'application' }],
    ['a factor', { ...ADAS, purpose: 'totp' }],
    ['no key', { ...ADAS, kid: '' }],
  ]
  for (const [what, other] of OTHERS) {
    it(`does not unwrap for ${what}`, () => {
      expect(wrapping.unwrap(FIXED, other)._tag).to.equal('Left')
      expect(wrapping.assess(FIXED, other)).to.equal('unreadable')
    })
  }

  it('does not unwrap under another id, even with the same secret', () => {
    const both = aesKeyWrapping([OF_2026, { id: 'other', secret: OF_2026.secret }])
    expect(both.unwrap(FIXED, ADAS)).to.deep.equal(right('k4.secret.AAAA'))
    expect(both.unwrap(FIXED.replace('2026', 'other'), ADAS)._tag).to.equal('Left')
  })
})

describe('the state of stored material', () => {
  const under2026 = aesKeyWrapping([OF_2026]).wrap(JWK, ADAS)
  const STATES: ReadonlyArray<
    readonly [what: string, stored: string, secrets: ReadonlyArray<typeof OF_2026>, state: WrappingState]
  > = [
    ['a plain JWK, with no key-encryption key', JWK, [], 'current'],
    ['a plain PASERK, with no key-encryption key', PASERK, [], 'current'],
    ['a plain JWK, with one', JWK, [OF_2026], 'outdated'],
    ['a plain PASERK, with one', PASERK, [OF_2026], 'outdated'],
    ['material under the only key-encryption key', under2026, [OF_2026], 'current'],
    ['material under the first key', under2026, [OF_2026, OF_2027], 'current'],
    ['material under the second key', under2026, [OF_2027, OF_2026], 'outdated'],
    ['material under an unknown key', under2026, [OF_2027], 'unreadable'],
    ['material under another key with the same id', under2026, [MIXED_UP], 'unreadable'],
    ['wrapped material, with no key-encryption key', under2026, [], 'unreadable'],
  ]
  for (const [what, stored, secrets, state] of STATES) {
    it(`${what}: ${state}`, () => {
      const wrapping = aesKeyWrapping(secrets)
      expect(wrapping.assess(stored, ADAS)).to.equal(state)
      const opened = wrapping.unwrap(stored, ADAS)
      if (state === 'unreadable') expect(opened._tag).to.equal('Left')
      else expect(opened).to.deep.equal(right(stored === under2026 ? JWK : stored))
    })
  }

  it('is unchanged without a key-encryption key, and no key is named', () => {
    const wrapping = aesKeyWrapping([])
    expect(wrapping.keyEncryptionKeyId).to.deep.equal(none)
    for (const material of [JWK, PASERK]) expect(wrapping.wrap(material, ADAS)).to.equal(material)
  })
})

describe('the message for a key that cannot be unwrapped', () => {
  const ANOTHER_FORM = `signing key ${KID} is encrypted in a form that this version does not know`
  const DAMAGED = `signing key ${KID} does not open under the key-encryption key 2026: KEY_ENCRYPTION_KEY has another secret under this id, or the store is damaged`
  const REASONS: ReadonlyArray<
    readonly [what: string, stored: string, secrets: ReadonlyArray<typeof OF_2026>, reason: string]
  > = [
    [
      'when no key-encryption key is set',
      FIXED,
      [],
      `signing key ${KID} is encrypted under the key-encryption key 2026, and KEY_ENCRYPTION_KEY is not set`,
    ],
    [
      'when its key is not configured',
      FIXED,
      [OF_2027],
      `signing key ${KID} is encrypted under the key-encryption key 2026, and KEY_ENCRYPTION_KEY lacks 2026`,
    ],
    ['when the secret differs', FIXED, [MIXED_UP], DAMAGED],
    ['when it is truncated', FIXED.slice(0, -3), [OF_2026], DAMAGED],
    ['when almost nothing is left', 'wrapped.v1$2026$AAAA', [OF_2026], DAMAGED],
    ['when nothing is left', 'wrapped.v1$2026$', [OF_2026], ANOTHER_FORM],
    ['with trailing text', `${FIXED}$`, [OF_2026], ANOTHER_FORM],
    ['when it is not base64url', `${FIXED}=`, [OF_2026], ANOTHER_FORM],
    ['with a trailing line feed', `${FIXED}\n`, [OF_2026], ANOTHER_FORM],
    ['when it has no id', FIXED.replace('2026', ''), [OF_2026], ANOTHER_FORM],
    ['when its id is malformed', FIXED.replace('2026', '20 26\n'), [OF_2026], ANOTHER_FORM],
    ['when it is of a later version', FIXED.replace('v1', 'v2'), [OF_2026], ANOTHER_FORM],
    ['when it is of a later version, and none is set', FIXED.replace('v1', 'v2'), [], ANOTHER_FORM],
  ]
  for (const [what, stored, secrets, reason] of REASONS) {
    it(what, () => {
      const wrapping = aesKeyWrapping(secrets)
      expect(wrapping.unwrap(stored, ADAS)).to.deep.equal(left({ _tag: 'CannotUnwrap', reason }))
      expect(wrapping.assess(stored, ADAS)).to.equal('unreadable')
    })
  }

  it('names a factor as such', () => {
    const of: WrappedKey = { kid: 'ada', purpose: 'totp' }
    const reason =
      'the secret of factor ada is encrypted under the key-encryption key 2026, and KEY_ENCRYPTION_KEY is not set'
    const stored = aesKeyWrapping([OF_2026]).wrap('GEZDGNBVGY3TQOJQ', of)
    expect(aesKeyWrapping([]).unwrap(stored, of)).to.deep.equal(left({ _tag: 'CannotUnwrap', reason }))
  })
})
