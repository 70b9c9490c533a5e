import { expect } from 'chai'
import * as fc from 'fast-check'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  applicationIdOf,
  isPrivateApiKey,
  PRIVATE_KEY_BYTES,
  privateApiKey,
  publicApiKey,
} from '../../domain/api-key.ts'
import { SEED, withoutIo } from './no-io.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('a public API key', () => {
  withoutIo()

  it('is pk_ and the id of its application', () => {
    expect(publicApiKey('018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b')).to.equal(
      'pk_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b',
    )
  })

  it('names the application with that id', () => {
    expect(applicationIdOf('pk_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b')).to.deep.equal(
      some('018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b'),
    )
  })

  const MALFORMED: ReadonlyArray<readonly [name: string, key: string]> = [
    ['an empty text', ''],
    ['only the prefix', 'pk_'],
    ['an id without the prefix', '018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b'],
    ['another prefix', 'sk_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b'],
    ['the prefix in capitals', 'PK_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b'],
    ['an id in capitals', 'pk_018F2A3B-4C5D-7E6F-8A9B-0C1D2E3F4A5B'],
    ['an id that is too short', 'pk_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5'],
    ['an id that is too long', 'pk_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b0'],
    ['an id without hyphens', 'pk_018f2a3b4c5d7e6f8a9b0c1d2e3f4a5b'],
    ['a line feed at the end', 'pk_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b\n'],
    ['a space in front', ' pk_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b'],
    ['a name that every JavaScript object has', '__proto__'],
  ]
  for (const [name, key] of MALFORMED) {
    it(`names no application when it is ${name}`, () => {
      expect(applicationIdOf(key)).to.deep.equal(none)
    })
  }
})

describe('a private API key', () => {
  withoutIo()

  // Base62 and zlib's CRC-32, computed by other programs.
  const KNOWN: ReadonlyArray<readonly [name: string, random: Uint8Array, key: string]> = [
    ['zeros', new Uint8Array(32), 'sk_00000000000000000000000000000000000000000002CZclj'],
    ['a last bit', new Uint8Array(32).fill(1, 31), 'sk_00000000000000000000000000000000000000000010HNUPx'],
    ['ones', new Uint8Array(32).fill(0xff), 'sk_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13sRzl1'],
    [
      'a count',
      Uint8Array.from({ length: 32 }, (_, i) => i),
      'sk_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Yo7hP',
    ],
  ]
  for (const [name, random, key] of KNOWN) {
    it(`of ${name} equals the independently computed one`, () => {
      expect(privateApiKey(random)).to.equal(key)
      expect(isPrivateApiKey(key)).to.equal(true)
    })
  }

  it('takes exactly 256 bits', () => {
    expect(PRIVATE_KEY_BYTES).to.equal(32)
    for (const length of [0, 31, 33]) {
      expect(() => privateApiKey(new Uint8Array(length))).to.throw(RangeError)
    }
  })

  it('has the form that secret scanners look for and a correct checksum, for all bits', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (random) => {
        const key = privateApiKey(random)
        expect(key).to.match(/^sk_[0-9A-Za-z]{49}$/)
        expect(isPrivateApiKey(key)).to.equal(true)
      }),
      { seed: SEED, numRuns: 50 },
    )
  })

  it('differs for different bits', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        expect(privateApiKey(one) === privateApiKey(other)).to.equal(String(one) === String(other))
      }),
      { seed: SEED, numRuns: 50 },
    )
  })

  it('is refused after any change of a single character', () => {
    const key = 'sk_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Yo7hP'
    const changed = [...key].flatMap((character, at) =>
      [...BASE62, '_', ' ', 'é']
        .filter((other) => other !== character)
        .map((other) => key.slice(0, at) + other + key.slice(at + 1)),
    )
    expect(changed.length).to.equal(52 * 64)
    expect(changed.filter(isPrivateApiKey)).to.deep.equal([])
  })

  it('is refused after a swap of two neighboring characters', () => {
    const key = 'sk_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Yo7hP'
    const swapped = Array.from(
      { length: key.length - 1 },
      (_, at) => key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2),
    ).filter((other) => other !== key)
    expect(swapped.length).to.be.greaterThan(45)
    expect(swapped.filter(isPrivateApiKey)).to.deep.equal([])
  })

  const MALFORMED: ReadonlyArray<readonly [name: string, key: string]> = [
    ['an empty text', ''],
    ['only the prefix', 'sk_'],
    ['without the prefix', '00000000000000000000000000000000000000000002CZclj'],
    ['one character too short', 'sk_0000000000000000000000000000000000000000002CZclj'],
    ['one character too long', 'sk_000000000000000000000000000000000000000000002CZclj'],
    ['followed by a line feed', 'sk_00000000000000000000000000000000000000000002CZclj\n'],
    ['without its checksum', 'sk_0000000000000000000000000000000000000000000'],
    ['a public key', 'pk_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b'],
  ]
  for (const [name, key] of MALFORMED) {
    it(`is refused when it is ${name}`, () => {
      expect(isPrivateApiKey(key)).to.equal(false)
    })
  }
})
