import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { UNUSABLE } from '../token-format/unusable-keys.ts'
import { INVALID, type WrongFormat, wrongFormat } from './formats.ts'

const notGood = (what: string): string => `a token is no good ${what}`

const CHANGED = 'with any one character changed'
const LEFT_OUT = 'with any one character left out'
const PUT_IN = 'with any one character put in'
const CASE = 'with any one letter in another case'
const END = 'when its end is cut off'
const BEGINNING = 'when its beginning is cut off'
const MORE = 'with anything before or behind it'
const SPELLING = 'in another spelling of the same bytes'
const PARTS = 'with a part left out, empty, doubled or moved'
const ANOTHERS = 'with a part of another one'

/** In how many places two texts of one length differ. */
const distance = (one: string, other: string): number =>
  one.length === other.length
    ? Array.from(one).filter((letter, index) => letter !== other.charAt(index)).length
    : Number.POSITIVE_INFINITY

const partsOf = (token: string) => token.split('.')

/** What a format takes for a token that it has signed. */
const LENIENT: ReadonlyArray<
  readonly [
    string,
    ReadonlyArray<string>,
    (token: string, signed: ReadonlyArray<string>) => string | undefined,
  ]
> = [
  ['overlooks a slip', [CHANGED, CASE], (token, signed) => signed.find((one) => distance(one, token) === 1)],
  [
    'overlooks case',
    [CASE],
    (token, signed) => signed.find((one) => one.toLowerCase() === token.toLowerCase()),
  ],
  [
    'fills a gap',
    [LEFT_OUT],
    (token, signed) =>
      signed.find((one) => Array.from(one, (_, at) => one.slice(0, at) + one.slice(at + 1)).includes(token)),
  ],
  [
    'overlooks one character too many',
    [PUT_IN],
    (token, signed) =>
      signed.find((one) =>
        Array.from(token, (_, at) => token.slice(0, at) + token.slice(at + 1)).includes(one),
      ),
  ],
  [
    'takes the beginning for the whole',
    [END],
    (token, signed) => signed.find((one) => one.startsWith(token)),
  ],
  ['takes the end for the whole', [BEGINNING], (token, signed) => signed.find((one) => one.endsWith(token))],
  ['trims what it is shown', [MORE], (token) => token.trim()],
  ['finds tokens in a text', [MORE], (token, signed) => signed.find((one) => token.includes(one))],
  [
    'decodes what any encoder might have made',
    [SPELLING],
    (token, signed) => signed.find((one) => bytesIn(one) === bytesIn(token)),
  ],
  [
    'minds the parts and not their order',
    [PARTS],
    (token, signed) =>
      signed.find(
        (one) => partsOf(one).filter(Boolean).sort().join() === partsOf(token).filter(Boolean).sort().join(),
      ),
  ],
  [
    'puts together what belongs together',
    [ANOTHERS],
    (token, signed) =>
      signed.find(
        (one) =>
          distanceOfParts(one, token) === 1 &&
          partsOf(token).every((part) => signed.join('.').includes(part)),
      ),
  ],
]

const bytesIn = (token: string): string =>
  partsOf(token)
    .map((part) => Buffer.from(part, 'base64url').toString('hex'))
    .join('.')

const distanceOfParts = (one: string, other: string): number =>
  partsOf(one).filter((part, index) => part !== partsOf(other)[index]).length

/** Formats that take something for a token that nobody was given. */
export const BROKEN_STRICTNESS: ReadonlyArray<WrongFormat> = LENIENT.map(([breaks, caughtBy, recognized]) =>
  wrongFormat(breaks, caughtBy.map(notGood), (format) => {
    const signed: Array<string> = []
    return {
      sign: (claims, key) => async () => {
        const outcome = await format.sign(claims, key)()
        if (E.isRight(outcome)) signed.push(outcome.right)
        return outcome
      },
      verify: (token, keys) =>
        format.verify(signed.includes(token) ? token : (recognized(token, signed) ?? token), keys),
    }
  }),
)

const ANY_STRING = [
  'nothing',
  'space',
  'words',
  'dots',
  'parts',
  'JSON',
  'NULs',
  'what is no Unicode',
  'what is beyond ASCII',
  'a megabyte',
  'tokens of others',
].map((what) => `what is no token is InvalidToken: ${what}`)

const NAMED = 'a token names the key that signed it'
const NAMELESS = 'what is no token names no key'

const looksLikeOne = (token: string): boolean => /^[\w.-]{150,2000}$/.test(token)

/** Formats that do not know what to say to what is no token. */
export const BROKEN_ANSWERS: ReadonlyArray<WrongFormat> = [
  wrongFormat('throws at what is no token', ANY_STRING.slice(0, -1), (format) => ({
    verify: (token, keys) => {
      if (!looksLikeOne(token)) throw new Error('no token')
      return format.verify(token, keys)
    },
  })),
  wrongFormat('rejects what it cannot verify', ANY_STRING, (format) => ({
    verify: (token, keys) => async () => {
      const found = await format.verify(token, keys)()
      if (E.isLeft(found)) throw new Error('no token')
      return found
    },
  })),
  wrongFormat('tells what is wrong with a token', ANY_STRING, (format) => ({
    verify: (token, keys) => async () =>
      E.mapLeft(() => ({ _tag: 'InvalidToken', reason: 'signature' }) as const)(
        await format.verify(token, keys)(),
      ),
  })),
]

/** Formats that do not know which key a token names. */
export const BROKEN_NAMES: ReadonlyArray<WrongFormat> = [
  wrongFormat('names no key', NAMED, () => ({ keyIdOf: () => O.none })),
  wrongFormat('names a key whatever the string is', NAMELESS, () => ({ keyIdOf: () => O.some('key') })),
  wrongFormat('names the newest key', NAMED, (format) => {
    let newest = ''
    return {
      createKey: async () => {
        const made = await format.createKey()
        newest = made.kid
        return made
      },
      keyIdOf: (token) => O.map(() => newest)(format.keyIdOf(token)),
    }
  }),
  wrongFormat('throws when no key is named', NAMELESS, (format) => ({
    keyIdOf: (token) => {
      const named = format.keyIdOf(token)
      if (O.isNone(named)) throw new Error('no key')
      return named
    },
  })),
]

const signing = ([what]: readonly [string, unknown]) => `nothing is signed with ${what}`
const beside = ([what]: readonly [string, unknown]) =>
  `no token is good under ${what}, and others are beside it`

/** Formats that do not know what to do with a key that is none. */
export const BROKEN_UNUSABLE: ReadonlyArray<WrongFormat> = [
  wrongFormat('throws at a key that is none', UNUSABLE.map(signing), (format) => ({
    sign: (claims, key) => async () => {
      const signed = await format.sign(claims, key)()
      if (E.isLeft(signed)) throw new Error('no key')
      return signed
    },
  })),
  wrongFormat('does not say which key is none', UNUSABLE.map(signing), (format) => ({
    sign: (claims, key) => async () =>
      E.mapLeft(() => ({ _tag: 'KeyUnusable', kid: 'key' }) as const)(await format.sign(claims, key)()),
  })),
  wrongFormat('signs with another key when one is none', UNUSABLE.map(signing), (format) => {
    let good: SigningKey | undefined
    return {
      sign: (claims, key) => async () => {
        const made = { ...key, ...(await format.createKey()) }
        good ??= made
        const signed = await format.sign(claims, key)()
        return E.isLeft(signed) ? format.sign(claims, good)() : signed
      },
    }
  }),
  wrongFormat('verifies nothing beside a key that is none', UNUSABLE.map(beside), (format) => {
    const good = new Map<string, string>()
    return {
      createKey: async () => {
        const made = await format.createKey()
        good.set(made.kid, made.material)
        return made
      },
      verify: (token, keys) =>
        keys.every(({ kid, material }) => good.get(kid) === material)
          ? format.verify(token, keys)
          : async () => INVALID,
    }
  }),
]
