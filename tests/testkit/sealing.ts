import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Timer } from '../../application/ports/environment.ts'
import type { SealedFor, Sealing } from '../../application/ports/sealing.ts'
import type { KeyEncryptionKeyName } from './key-wrapping.ts'
import type { Runner } from './runner.ts'

/**
 * Opens a sealing with these key-encryption keys, at least one. The first of the list seals, and the others are former ones. The suite
 * calls `close` at the end of a case.
 *
 * @param timer tells the time to the sealing. The suite moves it
 */
export type OpenSealing = (
  keys: ReadonlyArray<KeyEncryptionKeyName>,
  timer: Pick<Timer, 'now'>,
) => Promise<OpenedSealing>
export type OpenedSealing = Readonly<{ sealing: Sealing; close?: () => Promise<void> }>

/**
 * The contract suite of `Sealing`.
 *
 * @param open is called several times in a case
 */
export const sealingContract = ({ it }: Runner, open: OpenSealing): void => {
  type With = (...keys: ReadonlyArray<KeyEncryptionKeyName>) => Promise<Sealing>
  let nowMs = 0
  const check = (name: string, body: (sealingWith: With) => Promise<void>) =>
    it(name, async () => {
      const opened: Array<OpenedSealing> = []
      try {
        await body(async (...keys) => {
          const one = await open(keys, { now: () => nowMs })
          opened.push(one)
          return one.sealing
        })
      } finally {
        for (const { close } of opened) await close?.()
      }
    })

  for (const [what, text] of TEXTS) {
    check(`opens what it sealed: ${what}`, async (sealingWith) => {
      const sealing = await sealingWith('first')
      assert.deepEqual(sealing.open(sealing.seal(text, ENROLMENT, LIFE), ENROLMENT, LIFE), some(text))
    })
  }

  for (const [what, about] of ABOUTS) {
    check(`opens what it sealed for ${what}`, async (sealingWith) => {
      const sealing = await sealingWith('first')
      assert.deepEqual(sealing.open(sealing.seal(STATE, about, LIFE), about, LIFE), some(STATE))
    })
  }

  check('opens what another sealing with the same key sealed', async (sealingWith) => {
    const sealed = (await sealingWith('first')).seal(STATE, ENROLMENT, LIFE)
    assert.deepEqual((await sealingWith('first')).open(sealed, ENROLMENT, LIFE), some(STATE))
  })

  check('opens any number of times', async (sealingWith) => {
    const sealing = await sealingWith('first')
    const sealed = sealing.seal(STATE, ENROLMENT, LIFE)
    for (let times = 0; times < 3; times += 1)
      assert.deepEqual(sealing.open(sealed, ENROLMENT, LIFE), some(STATE))
  })

  check('opens what was sealed under a key of before, in its first ten minutes', async (sealingWith) => {
    const sealed = (await sealingWith('first')).seal(STATE, ENROLMENT, LIFE)
    const sealing = await sealingWith('second', 'first')
    for (const [passedMs, expected] of [
      [0, some(STATE)],
      [600_000, some(STATE)],
      [1, none],
      [86_400_000, none],
    ] as const) {
      nowMs += passedMs
      assert.deepEqual(sealing.open(sealed, ENROLMENT, LIFE), expected, `after ${passedMs} ms more`)
    }
  })

  check('opens no state of a longer life under a key of before', async (sealingWith) => {
    const sealed = (await sealingWith('first')).seal(STATE, ENROLMENT, LIFE + 1)
    assert.deepEqual((await sealingWith('second', 'first')).open(sealed, ENROLMENT, LIFE + 1), none)
  })

  check('opens under the first of its keys at any time, and for any life', async (sealingWith) => {
    const sealing = await sealingWith('second', 'first')
    const sealed = sealing.seal(STATE, ENROLMENT, 2 * LIFE)
    nowMs += 86_400_000
    assert.deepEqual(sealing.open(sealed, ENROLMENT, 2 * LIFE), some(STATE))
  })

  check('does not open for another life', async (sealingWith) => {
    const sealing = await sealingWith('first')
    const sealed = sealing.seal(STATE, ENROLMENT, LIFE)
    for (const other of [LIFE - 1, LIFE + 1, 0])
      assert.deepEqual(sealing.open(sealed, ENROLMENT, other), none, String(other))
  })

  check('seals under the first of its keys', async (sealingWith) => {
    const sealed = (await sealingWith('second', 'first')).seal(STATE, ENROLMENT, LIFE)
    assert.deepEqual((await sealingWith('second')).open(sealed, ENROLMENT, LIFE), some(STATE))
  })

  check('does not open without the key', async (sealingWith) => {
    const sealed = (await sealingWith('first')).seal(STATE, ENROLMENT, LIFE)
    assert.deepEqual((await sealingWith('second')).open(sealed, ENROLMENT, LIFE), none)
  })

  check('seals the same text differently each time', async (sealingWith) => {
    const sealing = await sealingWith('first')
    const sealed = Array.from({ length: 100 }, () => sealing.seal(STATE, ENROLMENT, LIFE))
    assert.equal(new Set(sealed).size, sealed.length)
  })

  check('writes base64url without padding', async (sealingWith) => {
    const sealing = await sealingWith('first')
    for (const [, text] of TEXTS) assert.match(sealing.seal(text, ENROLMENT, LIFE), /^[A-Za-z0-9_-]+$/)
  })

  check('shows neither the text nor what it is for, plain or encoded', async (sealingWith) => {
    const sealing = await sealingWith('first')
    const sealed = sealing.seal(STATE, ENROLMENT, LIFE)
    const readable = [sealed, Buffer.from(sealed, 'base64url').toString('latin1')]
    for (const secret of [STATE, PURPOSE, USER, SESSION])
      for (const encoding of ['utf8', 'base64url', 'hex'] as const) {
        const shown = Buffer.from(secret).toString(encoding).slice(0, 12)
        assert.ok(!readable.some((text) => text.includes(shown)), `${encoding}: ${shown}`)
      }
  })

  for (const [what, other] of OTHERS) {
    check(`does not open for ${what}`, async (sealingWith) => {
      const sealing = await sealingWith('first')
      assert.deepEqual(sealing.open(sealing.seal(STATE, ENROLMENT, LIFE), other, LIFE), none)
    })
  }

  check('does not open after a change of any bit', async (sealingWith) => {
    const sealing = await sealingWith('first')
    const bytes = Buffer.from(sealing.seal(STATE, ENROLMENT, LIFE), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.deepEqual(sealing.open(changed.toString('base64url'), ENROLMENT, LIFE), none, `bit ${bit}`)
    }
  })

  for (const [what, encode] of ENCODINGS) {
    check(`does not open in another encoding: ${what}`, async (sealingWith) => {
      const sealing = await sealingWith('first')
      for (const sealed of sealedOfEachLength(sealing))
        if (encode(sealed) !== sealed)
          assert.deepEqual(sealing.open(encode(sealed), ENROLMENT, LIFE), none, encode(sealed))
    })
  }

  check('does not open what is cut short, or longer', async (sealingWith) => {
    const sealing = await sealingWith('first')
    const sealed = sealing.seal(STATE, ENROLMENT, LIFE)
    for (let length = 0; length < sealed.length; length += 1) {
      assert.deepEqual(sealing.open(sealed.slice(0, length), ENROLMENT, LIFE), none, `${length} characters`)
      assert.deepEqual(sealing.open(sealed.slice(length + 1), ENROLMENT, LIFE), none, `without ${length + 1}`)
    }
    assert.deepEqual(sealing.open(`${sealed}AAAA`, ENROLMENT, LIFE), none)
    assert.deepEqual(sealing.open(`${sealed}${sealed}`, ENROLMENT, LIFE), none)
  })

  for (const [what, text] of NEVER_SEALED) {
    check(`does not open what was never sealed: ${what}`, async (sealingWith) => {
      assert.deepEqual((await sealingWith('first')).open(text, ENROLMENT, LIFE), none)
    })
  }
}

export const STATE = JSON.stringify({ at: 1_800_000_000_000, secret: 'GEZDGNBVGY3TQOJQ' })

export const TEXTS: ReadonlyArray<readonly [what: string, text: string]> = [
  ['the state of a ceremony', STATE],
  ['an empty text', ''],
  ['letters beyond ASCII', 'äöü💥'],
  ['a text with a NUL', 'a\0b'],
  ['64 KiB', 's'.repeat(65_536)],
]

const ENROLMENT: SealedFor = [
  'totp_enrolment',
  '0190a3b1-7c1e-7000-8000-00000000000a',
  '0190a3b1-7c1e-7000-8000-00000000000b',
  '1',
]

/** The longest life of a state that a former key opens. */
export const LIFE = 600

const [PURPOSE = '', USER = '', SESSION = '', VERSION = ''] = ENROLMENT

export const ABOUTS: ReadonlyArray<readonly [what: string, about: SealedFor]> = [
  ['nothing', []],
  ['an empty part', ['']],
  ['parts with any character', ['a,b', '["', '\\"\n\0', 'äöü💥']],
  ['a long part', ['p'.repeat(65_536)]],
]

export const OTHERS: ReadonlyArray<readonly [what: string, other: SealedFor]> = [
  ['another purpose', ['page', USER, SESSION, VERSION]],
  ['another user', [PURPOSE, USER.replace('a3b1', 'a3b2'), SESSION, VERSION]],
  ['another last part', [PURPOSE, USER, SESSION, '2']],
  ['its parts in another order', [PURPOSE, SESSION, USER, VERSION]],
  ['its parts joined', [PURPOSE, `${USER}${SESSION}`, VERSION]],
  ['its parts joined with a comma', [ENROLMENT.join(',')]],
  ['its parts joined with a space', [ENROLMENT.join(' ')]],
  ['one part fewer', ENROLMENT.slice(0, -1)],
  ['an empty part more', [...ENROLMENT, '']],
  ['its parts in capitals', ENROLMENT.map((part) => part.toUpperCase())],
  ['nothing', []],
]

/** They decode to the same bytes, if a decoder is lenient. */
export const ENCODINGS: ReadonlyArray<readonly [what: string, encode: (sealed: string) => string]> = [
  ['base64', (sealed) => Buffer.from(sealed, 'base64url').toString('base64')],
  ['padding', (sealed) => `${sealed}${'='.repeat((4 - (sealed.length % 4)) % 4)}`],
  ['a padding too many', (sealed) => `${sealed}=`],
  ['a final line feed', (sealed) => `${sealed}\n`],
  ['a space in it', (sealed) => `${sealed.slice(0, 8)} ${sealed.slice(8)}`],
  ['a character beyond the alphabet', (sealed) => `${sealed.slice(0, 8)}.${sealed.slice(8)}`],
  ['unused bits that are set', withUnusedBits],
  ['hexadecimal', (sealed) => Buffer.from(sealed, 'base64url').toString('hex')],
]

/** Sets the bits of the last character that no byte uses. */
function withUnusedBits(sealed: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(sealed.slice(-1))
  const unused = [0, 0, 0b1111, 0b11][sealed.length % 4] ?? 0
  return `${sealed.slice(0, -1)}${alphabet.charAt(last | unused)}`
}

/** Enough texts that each remainder of three bytes occurs, and each character of base64. */
const sealedOfEachLength = (sealing: Sealing): ReadonlyArray<string> =>
  Array.from({ length: 30 }, (_, index) => sealing.seal('s'.repeat(index), ENROLMENT, LIFE))

export const NEVER_SEALED: ReadonlyArray<readonly [what: string, text: string]> = [
  ['nothing', ''],
  ['the plain state', STATE],
  ['the plain state in base64url', Buffer.from(STATE).toString('base64url')],
  ['zeros', Buffer.alloc(64).toString('base64url')],
  ['letters beyond ASCII', 'äöü💥'],
  ['a lone surrogate', '\ud83d'],
  ['a long text', 'A'.repeat(100_000)],
]
