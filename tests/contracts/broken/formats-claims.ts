import * as E from 'fp-ts/lib/Either.js'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { turn } from './broken.ts'
import { finding, INVALID, judging, keyed, type Wrong, type WrongFormat, wrongFormat } from './formats.ts'

/** A format whose texts are changed on the way. */
const reading = (alter: (text: string) => string): Wrong =>
  finding((claims) =>
    Object.fromEntries(
      Object.entries(claims).map(([name, value]) => [name, typeof value === 'string' ? alter(value) : value]),
    ),
  )

const says = (what: string): string => `a token says what was signed: ${what}`

const ANOTHER_KEY = 'a new key is another one each time, also at once'
const STORABLE_KEY = 'a new key is of texts that a store can hold, and does not begin as encrypted ones do'
const AMONG_OTHERS = 'a token is good under its key, whichever place it has among others'
const KEY_GONE = 'a token is no good once its key is not there any more'
const OTHERS_KEY = 'a token that another key has signed is no good'
const SAME_ID = 'a token that another key has signed under the id of a known one is no good'

export const BROKEN_CLAIMS: ReadonlyArray<WrongFormat> = [
  wrongFormat(
    'swaps the subject and the issuer',
    says('as they come'),
    finding((claims) => ({ ...claims, iss: claims.sub ?? '', sub: claims.iss ?? '' })),
  ),
  wrongFormat(
    'adds a claim',
    says('as they come'),
    finding((claims) => ({ ...claims, typ: 'token' })),
  ),
  wrongFormat(
    'writes ASCII',
    says('texts beyond ASCII'),
    reading((text) => text.replace(/[^\0-~]/g, '?')),
  ),
  wrongFormat(
    'composes texts',
    says('texts beyond ASCII'),
    reading((text) => text.normalize('NFC')),
  ),
  wrongFormat(
    'leaves control characters out',
    says('texts of quotes and control characters'),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
    reading((text) => text.replace(/[\0-\x1f]/g, '')),
  ),
  wrongFormat(
    'decodes once too often',
    says('texts that look like something else'),
    reading((text) => (text.includes('%41') ? decodeURIComponent(text) : text)),
  ),
  wrongFormat(
    'cuts long texts',
    says('long texts'),
    reading((text) => text.slice(0, 255)),
  ),
  wrongFormat(
    'finds null where there is no text',
    says('no texts'),
    reading((text) => text || 'null'),
  ),
  wrongFormat(
    'refuses what has expired',
    says('times that are long over'),
    judging(({ exp = 0 }) => Number(exp) * 1000 > 1_000_000_000_000),
  ),
  wrongFormat(
    'refuses what is not yet',
    says('times that are far away'),
    judging(({ iat = 0 }) => Number(iat) < 100_000_000_000),
  ),
  wrongFormat(
    'counts seconds in 32 bits',
    says('times that are far away'),
    finding((claims) => ({ ...claims, exp: Number(claims.exp) >>> 0 })),
  ),
  wrongFormat('verifies a token once', 'a token says the same each time it is verified', (format) => {
    const seen = new Set<string>()
    return {
      verify: (token, keys) => {
        const isAgain = seen.has(token)
        seen.add(token)
        return isAgain ? async () => INVALID : format.verify(token, keys)
      },
    }
  }),
  wrongFormat(
    'mixes up what it signs at once',
    'tokens that are signed and verified at once say each its own',
    (format) => {
      let last: Parameters<typeof format.sign> | undefined
      return {
        sign:
          (...asked) =>
          async () => {
            last = asked
            await turn()
            return format.sign(...(last ?? asked))()
          },
      }
    },
  ),
  ...['"', ' ', '\n', '店'].map((mark) =>
    wrongFormat(
      `ends its tokens with ${JSON.stringify(mark)}`,
      'a token is fit for a header, whatever it says',
      (format) => ({
        sign: (claims, key) => async () =>
          E.map((token: string) => token + mark)(await format.sign(claims, key)()),
        verify: (token, keys) =>
          format.verify(token.endsWith(mark) ? token.slice(0, -mark.length) : token, keys),
      }),
    ),
  ),
]

export const BROKEN_KEYS: ReadonlyArray<WrongFormat> = [
  wrongFormat('makes one key', ANOTHER_KEY, (format) => {
    const key = format.createKey()
    return { createKey: () => key }
  }),
  wrongFormat('makes one key of all that are asked for at once', ANOTHER_KEY, (format) => {
    let making: ReturnType<typeof format.createKey> | undefined
    return {
      createKey: () => {
        making ??= format.createKey().finally(() => {
          making = undefined
        })
        return making
      },
    }
  }),
  ...(
    [
      [
        'begins its keys as encrypted ones do',
        (material) => `wrapped.${material}`,
        (stored) => stored.slice(8),
      ],
      ['ends its keys with a NUL', (material) => `${material}\0`, (stored) => stored.slice(0, -1)],
      ['writes its keys in bytes', (material) => `${material}\ud800`, (stored) => stored.slice(0, -1)],
    ] satisfies ReadonlyArray<readonly [string, (text: string) => string, (text: string) => string]>
  ).map(([breaks, write, back]) =>
    wrongFormat(breaks, STORABLE_KEY, (format) => ({
      ...keyed((key) => ({ ...key, material: back(key.material) }))(format),
      createKey: async () => {
        const { kid, material } = await format.createKey()
        return { kid, material: write(material) }
      },
    })),
  ),
  wrongFormat('tries the first key', AMONG_OTHERS, (format) => ({
    verify: (token, keys) => format.verify(token, keys.slice(0, 1)),
  })),
  wrongFormat('tries the last key', AMONG_OTHERS, (format) => ({
    verify: (token, keys) => format.verify(token, keys.slice(-1)),
  })),
  wrongFormat('remembers tokens whatever becomes of their keys', KEY_GONE, (format) => {
    const known = new Map<string, Awaited<ReturnType<ReturnType<typeof format.verify>>>>()
    return {
      verify: (token, keys) => async () => {
        const found = known.get(token) ?? (await format.verify(token, keys)())
        if (E.isRight(found)) known.set(token, found)
        return found
      },
    }
  }),
  wrongFormat('remembers every key it has signed with', [KEY_GONE, OTHERS_KEY], (format) => {
    const known: Array<SigningKey> = []
    return {
      sign: (claims, key) => {
        known.push(key)
        return format.sign(claims, key)
      },
      verify: (token, keys) => format.verify(token, [...keys, ...known]),
    }
  }),
  wrongFormat('knows a key by its id', SAME_ID, (format) => {
    const known = new Map<string, SigningKey>()
    return keyed((key) => {
      const first = known.get(key.kid) ?? key
      known.set(key.kid, first)
      return first
    })(format)
  }),
  wrongFormat('says nothing of the id of a key it cannot use', SAME_ID, (format) => ({
    sign: (claims, key) => async () =>
      E.mapLeft(() => ({ _tag: 'KeyUnusable', kid: '' }) as const)(await format.sign(claims, key)()),
  })),
]
