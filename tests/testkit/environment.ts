import assert from 'node:assert/strict'
import type { Clock, Digests, Random, Timer } from '../../application/ports/environment.ts'
import type { Runner } from './runner.ts'

/**
 * The contract suites of the ports in `application/ports/environment.ts`. They cannot test that random bytes are unpredictable, or that a
 * comparison always takes the same time.
 */

/** @param open is called once for each case */
export const clockContract = ({ it }: Runner, open: () => Clock): void => {
  it('tells milliseconds since the epoch, of this century', async () => {
    const now = open()()
    assert.ok(now > Date.UTC(2020) && now < Date.UTC(2100), String(now))
    assert.match(new Date(now).toISOString(), /^20\d\d-/)
  })
}

/** @param open is called once for each case */
export const timerContract = ({ it }: Runner, open: () => Timer): void => {
  it('never goes back', async () => {
    const timer = open()
    let before = timer.now()
    for (let reading = 0; reading < 10_000; reading += 1) {
      const now = timer.now()
      assert.ok(now >= before, `${now} after ${before}`)
      before = now
    }
  })

  it('passes', async () => {
    const timer = open()
    const before = timer.now()
    await timer.until(before + 5)()
    assert.ok(timer.now() >= before + 5)
  })

  for (const [what, milliseconds] of WAITS) {
    it(`waits until ${what}, and not less`, async () => {
      const timer = open()
      const times = Array.from({ length: 20 }, (_, index) => timer.now() + milliseconds + index / 10)
      await Promise.all(
        times.map(async (atMs) => {
          await timer.until(atMs)()
          const now = timer.now()
          assert.ok(now >= atMs, `${now} before ${atMs}`)
        }),
      )
    })
  }

  it('does not wait for what is over', async () => {
    const timer = open()
    for (const atMs of [timer.now(), timer.now() - 1_000, Number.NEGATIVE_INFINITY]) await timer.until(atMs)()
  })
}

export const WAITS: ReadonlyArray<readonly [what: string, milliseconds: number]> = [
  ['a fraction of a millisecond is over', 0.5],
  ['some milliseconds are over', 4],
]

/** @param open is called once for each case */
export const randomContract = ({ it }: Runner, open: () => Random): void => {
  it('makes UUIDs of version 7, of this century', async () => {
    const random = open()
    for (let made = 0; made < 1_000; made += 1) {
      const uuid = random.uuid()
      assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const milliseconds = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16)
      assert.ok(milliseconds > Date.UTC(2020) && milliseconds < Date.UTC(2100), uuid)
    }
  })

  it('makes each UUID greater than every one before', async () => {
    const random = open()
    let before = ''
    for (let made = 0; made < 20_000; made += 1) {
      const uuid = random.uuid()
      assert.ok(uuid > before, `${uuid} after ${before}`)
      before = uuid
    }
  })

  it('gives as many bytes as were asked for', async () => {
    const random = open()
    for (const length of [0, 1, 16, 32, 33, 4_096]) assert.equal(random.bytes(length).length, length)
  })

  it('gives other bytes each time', async () => {
    const random = open()
    const given = Array.from({ length: 1_000 }, () => Buffer.from(random.bytes(16)).toString('hex'))
    assert.equal(new Set(given).size, given.length)
  })

  it('gives every byte there is, at every place', async () => {
    const random = open()
    const seen = Array.from({ length: 16 }, () => new Set<number>())
    for (let given = 0; given < 8_192; given += 1) {
      for (const [place, byte] of random.bytes(16).entries()) seen[place]?.add(byte)
    }
    assert.deepEqual(
      seen.map(({ size }) => size),
      seen.map(() => 256), // that one of them is missing by chance happens once in 10¹⁰ runs
    )
  })
}

/** @param open is called once for each case */
export const digestsContract = ({ it }: Runner, open: () => Digests): void => {
  for (const [what, text, digest] of KNOWN_DIGESTS) {
    it(`knows the SHA-256 of ${what}`, async () => {
      assert.equal(open().sha256(text), digest)
    })
  }

  it('finds a digest equal to itself', async () => {
    const digests = open()
    for (const [, , digest] of KNOWN_DIGESTS) assert.equal(digests.areEqual(digest, `${digest}`), true)
  })

  it('finds digests different wherever they differ', async () => {
    const digests = open()
    const [, , digest] = KNOWN_DIGESTS[0]
    for (let at = 0; at < digest.length; at += 1) {
      const other = `${digest.slice(0, at)}${digest[at] === '0' ? '1' : '0'}${digest.slice(at + 1)}`
      assert.equal(digests.areEqual(digest, other), false, `place ${at}`)
    }
  })

  it('finds digests of different lengths different', async () => {
    const digests = open()
    const [, , digest] = KNOWN_DIGESTS[0]
    for (const other of ['', digest.slice(0, -1), `${digest}0`, `${digest}${digest}`]) {
      assert.equal(digests.areEqual(digest, other), false)
      assert.equal(digests.areEqual(other, digest), false)
    }
  })

  for (const [what, key, message, mac] of KNOWN_HMACS) {
    it(`knows the HMAC-SHA-1 of ${what}`, async () => {
      const made = open().hmacSha1(key, message)
      assert.equal(made.length, 20)
      assert.equal(Buffer.from(made).toString('hex'), mac)
    })
  }
}

/** NIST publishes those of nothing, `abc` and the million letters. Python's hashlib made the other two. */
export const KNOWN_DIGESTS = [
  ['nothing', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['letters beyond ASCII', 'äöü💥', '01e4739285594ad84b864dc16930449b38c83418a0747eecde104b7819265aae'],
  ['a text with a NUL', 'abc\0', 'dc1114cd074914bd872cc1f9a23ec910ea2203bc79779ab2e17da25782a624fc'],
  [
    'a million letters',
    'a'.repeat(1_000_000),
    'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
  ],
] as const

const bytes = (byte: number, length: number): Uint8Array => new Uint8Array(length).fill(byte)
const ascii = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'))

/** The test cases of RFC 2202, and one of RFC 4226. */
export const KNOWN_HMACS: ReadonlyArray<
  readonly [what: string, key: Uint8Array, message: Uint8Array, mac: string]
> = [
  ['a greeting', bytes(0x0b, 20), ascii('Hi There'), 'b617318655057264e28bc0b6fb378c8ef146be00'],
  [
    'a question, with a short key',
    ascii('Jefe'),
    ascii('what do ya want for nothing?'),
    'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79',
  ],
  ['bytes that are no text', bytes(0xaa, 20), bytes(0xdd, 50), '125d7342b9ac11cd91a39af48aa17b4f63f175d3'],
  [
    'bytes that are no text, with a longer key',
    Uint8Array.from({ length: 25 }, (_, index) => index + 1),
    bytes(0xcd, 50),
    '4c9007f4026250c6bc8414f9bf50c86c2d7235da',
  ],
  [
    'a text that others truncate',
    bytes(0x0c, 20),
    ascii('Test With Truncation'),
    '4c1a03424b55e07fe7f27be1d58bb9324a9a5a04',
  ],
  [
    'a text, with a key longer than a block',
    bytes(0xaa, 80),
    ascii('Test Using Larger Than Block-Size Key - Hash Key First'),
    'aa4ae5e15272d00e95705637ce8a3b55ed402112',
  ],
  [
    'a text and a key longer than a block',
    bytes(0xaa, 80),
    ascii('Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data'),
    'e8e99d0f45237d786d6bbaa7965c7808bbff1a91',
  ],
  [
    'the counter 0 of HOTP',
    ascii('12345678901234567890'),
    bytes(0, 8),
    'cc93cf18508d94934c64b65d8ba7667fb7cde4b0',
  ],
]
