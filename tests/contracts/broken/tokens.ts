import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import type { AnyClaims } from '../../testkit/token-format.ts'
import { caughtBy } from './harness.ts'
import { all, type Mutate, mixedUp, mutationsOf } from './mutations.ts'

export type Format = TokenFormat<AnyClaims>
export type MutateFormat = Mutate<Format>

const caught = caughtBy<MutateFormat>
const { hear, answer } = mutationsOf<Format>()

export const INVALID = TE.left({ _tag: 'InvalidToken' } as const)

/** Finds other claims in a token. */
export const finding = (alter: (claims: AnyClaims) => AnyClaims): MutateFormat => answer('verify', alter)

/** Finds other texts in a token. */
const reading = (alter: (text: string) => string): MutateFormat =>
  finding((claims) =>
    Object.fromEntries(
      Object.entries(claims).map(([name, value]) => [name, typeof value === 'string' ? alter(value) : value]),
    ),
  )

/** Refuses some valid tokens. */
export const refusing =
  (isRefused: (claims: AnyClaims) => boolean): MutateFormat =>
  ({ verify }) => ({
    verify: (token, keys) =>
      TE.chain((claims: AnyClaims) => (isRefused(claims) ? INVALID : TE.right(claims)))(verify(token, keys)),
  })

/** Reads its keys differently. */
const keyed = (read: (key: SigningKey) => SigningKey): MutateFormat =>
  all(
    hear('sign', (claims, key) => [claims, read(key)]),
    hear('verify', (token, keys) => [token, keys.map(read)]),
  )

/** Writes its tokens differently. */
const writing = (write: (token: string) => string, back: (written: string) => string): MutateFormat =>
  all(
    answer('sign', write),
    hear('verify', (written, keys) => [back(written), keys]),
  )

/** Confuses a token with another one, given all tokens that it has signed. */
export const mistaking =
  (recognize: (token: string, signed: ReadonlyArray<string>) => string | undefined): MutateFormat =>
  (format) => {
    const signed: Array<string> = []
    return all<Format>(
      answer('sign', (token) => {
        signed.push(token)
        return token
      }),
      hear('verify', (token, keys) => [
        signed.includes(token) ? token : (recognize(token, signed) ?? token),
        keys,
      ]),
    )(format)
  }

/** Records each key that it makes. */
const noting = ({ createKey }: Format, note: (made: Awaited<ReturnType<Format['createKey']>>) => void) => ({
  createKey: async () => {
    const made = await createKey()
    note(made)
    return made
  },
})

/** Throws instead of returning its failures. */
export const throwing =
  (method: 'sign' | 'verify'): MutateFormat =>
  (format) => ({
    [method]:
      (...asked: [never, never]) =>
      async () => {
        const outcome = await format[method](...asked)()
        if (outcome._tag === 'Left') throw new Error('no answer')
        return outcome
      },
  })

const unusable = (kid: string) => () => ({ _tag: 'KeyUnusable', kid }) as const
const namesWrongly =
  (kid: string): MutateFormat =>
  ({ sign }) => ({
    sign: (claims, key) => TE.mapLeft(unusable(kid))(sign(claims, key)),
  })

const says = (what: string): string => `a token has the claims that were signed: ${what}`

const OF_CLAIMS = [
  ...caught(says('as they come'), {
    'adds a claim': finding((claims) => ({ ...claims, typ: 'token' })),
  }),
  ...caught(says('texts beyond ASCII'), {
    'composes characters': reading((text) => text.normalize('NFC')),
  }),
  ...caught(says('texts of quotes and control characters'), {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
    'leaves out control characters': reading((text) => text.replace(/[\0-\x1f]/g, '')),
  }),
  ...caught(says('texts that look like something else'), {
    'decodes a text twice': reading((text) => (text.includes('%41') ? decodeURIComponent(text) : text)),
  }),
  ...caught(says('long texts'), { 'cuts long texts': reading((text) => text.slice(0, 255)) }),
  ...caught(says('no texts'), { 'reads an empty text as null': reading((text) => text || 'null') }),
  ...caught(says('times that are long over'), {
    'refuses expired tokens': refusing(({ exp }) => Number(exp) * 1000 <= 1_000_000_000_000),
  }),
  ...caught(says('times that are far away'), {
    'refuses tokens of the future': refusing(({ iat }) => Number(iat) >= 100_000_000_000),
  }),
  ...caught('a token has the same claims each time it is verified', {
    'verifies a token once': ({ verify }) => {
      const seen = new Set<string>()
      return {
        verify: (token, keys) => {
          const isAgain = seen.has(token)
          seen.add(token)
          return isAgain ? INVALID : verify(token, keys)
        },
      }
    },
  }),
  ...caught('concurrent tokens have their own claims', {
    'signs the last claims that were asked': mixedUp('sign'),
  }),
  ...['"', ' ', '\n', '店'].flatMap((mark) =>
    caught('a token of any content fits into a header', {
      [`ends its tokens with ${JSON.stringify(mark)}`]: writing(
        (token) => token + mark,
        (written) => (written.endsWith(mark) ? written.slice(0, -mark.length) : written),
      ),
    }),
  ),
]

const ANOTHER_KEY = 'each new key differs, also of concurrent calls'
const KEY_GONE = 'a token is invalid after its key is removed'
const SAME_ID = 'a token that another key has signed under the id of a known one is invalid'
const NAMED = 'a token names the key that signed it'
const NAMELESS = 'a string that is no token names no key'

/** Material that a store cannot hold, or that looks encrypted. */
const MATERIALS: Readonly<
  Record<string, readonly [write: (material: string) => string, back: (stored: string) => string]>
> = {
  'ends its keys with a NUL': [(material) => `${material}\0`, (stored) => stored.slice(0, -1)],
}

const OF_KEYS = [
  ...caught(ANOTHER_KEY, {
    'makes one key': ({ createKey }) => {
      const key = createKey()
      return { createKey: () => key }
    },
  }),
  ...Object.entries(MATERIALS).flatMap(([broken, [write, back]]) =>
    caught('a new key is of texts that a store can hold, and does not begin as encrypted ones do', {
      [broken]: all(
        keyed((key) => ({ ...key, material: back(key.material) })),
        ({ createKey }) => ({
          createKey: async () => {
            const { kid, material } = await createKey()
            return { kid, material: write(material) }
          },
        }),
      ),
    }),
  ),
  ...caught('a token is valid under its key, at any place in the list of keys', {
    'tries only the last key': hear('verify', (token, keys) => [token, keys.slice(-1)]),
  }),
  ...caught([KEY_GONE, 'a token that another key has signed is invalid'], {
    'keeps every key that it has signed with': ({ sign, verify }) => {
      const known: Array<SigningKey> = []
      return {
        sign: (claims, key) => {
          known.push(key)
          return sign(claims, key)
        },
        verify: (token, keys) => verify(token, [...keys, ...known]),
      }
    },
  }),
  ...caught(SAME_ID, {
    'does not name the key that it cannot use': namesWrongly(''),
  }),
  ...caught(NAMED, {
    'names no key': () => ({ keyIdOf: () => O.none }),
  }),
  ...caught(NAMELESS, {
    'names a key for each string': () => ({ keyIdOf: () => O.some('key') }),
  }),
]

const OF_UNUSABLE_KEYS = [
  ...caught(/^nothing is signed with/, {
    'throws at a key that it cannot use': throwing('sign'),
  }),
  ...caught(/^no token is valid under/, {
    'verifies nothing beside a key that it cannot use': (format) => {
      const good = new Map<string, string>()
      return {
        ...noting(format, ({ kid, material }) => void good.set(kid, material)),
        verify: (token, keys) =>
          keys.every(({ kid, material }) => good.get(kid) === material)
            ? format.verify(token, keys)
            : INVALID,
      }
    },
  }),
]

/** Incorrect formats for any kind of token. */
export const FORMAT_MUTATIONS = [...OF_CLAIMS, ...OF_KEYS, ...OF_UNUSABLE_KEYS]
