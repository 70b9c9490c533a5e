import assert from 'node:assert/strict'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { ok, refused } from '../outcome.ts'
import type { AnyClaims, Check, Kind } from '../token-format.ts'
import { INVALID } from './keys.ts'

/** A token is good as it was given away, to the letter, and in no other way. */
export const tamperingCases = <Claims extends AnyClaims>(
  check: Check<TokenFormat<Claims>>,
  { claims }: Kind<Claims>,
): void => {
  for (const [what, changesOf] of CHANGES) {
    check(`a token is invalid ${what}`, async (tokens, key) => {
      const token = await ok(tokens.sign(claims, key))
      const keys = [key]
      assert.deepEqual(await ok(tokens.verify(token, keys)), claims)
      const changes = changesOf(token).filter((changed) => changed !== token)
      assert.ok(changes.length > 0)
      await noneIsGood(tokens, changes, keys)
    })
  }

  check('a token is invalid with a part of another one', async (tokens, key) => {
    const token = await ok(tokens.sign(claims, key))
    const other = await ok(tokens.sign({ ...claims, jti: 'another' }, key))
    const [parts, others] = [token.split('.'), other.split('.')]
    const mixed = parts.flatMap((part, index) =>
      part === others[index]
        ? []
        : [parts.with(index, others[index] ?? '').join('.'), others.with(index, part).join('.')],
    )
    const keys = [key]
    const good = [token, other]
    for (const one of good) await ok(tokens.verify(one, keys))
    await noneIsGood(
      tokens,
      [...mixed, token + other, `${token}.${other}`].filter((one) => !good.includes(one)),
      keys,
    )
  })
}

const noneIsGood = async <Claims>(
  tokens: TokenFormat<Claims>,
  changed: ReadonlyArray<string>,
  keys: ReadonlyArray<SigningKey>,
): Promise<void> => {
  for (const one of changed) await refused(tokens.verify(one, keys), INVALID, one)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const everyPlace = <A>(token: string, at: (index: number) => ReadonlyArray<A>): ReadonlyArray<A> =>
  Array.from(token, (_, index) => at(index)).flat()

const put = (token: string, index: number, text: string, instead = 1): string =>
  token.slice(0, index) + text + token.slice(index + instead)

/** The letter that follows in the alphabet of base64url, and the one that differs in the highest of its bits. */
const others = (letter: string): ReadonlyArray<string> => {
  const index = ALPHABET.indexOf(letter)
  return index < 0
    ? ['A', '_']
    : [1, 32].map((distance) => ALPHABET.charAt((index + distance) % ALPHABET.length))
}

const otherCase = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()

const parts = (token: string) => token.split('.')

const CHANGES: ReadonlyArray<readonly [what: string, changesOf: (token: string) => ReadonlyArray<string>]> = [
  [
    'with any one character changed',
    (token) =>
      everyPlace(token, (index) =>
        [...others(token.charAt(index)), '.'].map((other) => put(token, index, other)),
      ),
  ],
  [
    'with any one letter in another case',
    (token) => everyPlace(token, (index) => [put(token, index, otherCase(token.charAt(index)))]),
  ],
  ['with any one character left out', (token) => everyPlace(token, (index) => [put(token, index, '')])],
  [
    'with any one character put in',
    (token) => everyPlace(token, (index) => ['A', '.'].map((more) => put(token, index, more, 0))),
  ],
  ['when its end is cut off', (token) => everyPlace(token, (index) => [token.slice(0, index)])],
  ['when its beginning is cut off', (token) => everyPlace(token, (index) => [token.slice(index + 1)])],
  [
    'with anything before or behind it',
    (token) =>
      [' ', '\n', '\0', '\ufeff', '.', '=', 'A', 'AAAA', '"', token, `${token}.`].flatMap((more) => [
        more + token,
        token + more,
      ]),
  ],
  [
    'in another spelling of the same bytes',
    (token) =>
      parts(token).flatMap((part, index) =>
        [
          ...Array.from(ALPHABET, (letter) => part.slice(0, -1) + letter),
          ...['=', '==', ' ', '\n'].map((more) => part + more),
          part.replaceAll('-', '+').replaceAll('_', '/'),
          part.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`),
        ].map((spelling) => parts(token).with(index, spelling).join('.')),
      ),
  ],
  [
    'with a part left out, empty, doubled or moved',
    (token) =>
      parts(token).flatMap((part, index) => {
        const rest = parts(token).toSpliced(index, 1)
        return [
          rest,
          parts(token).with(index, ''),
          parts(token).toSpliced(index, 0, part),
          parts(token).toSpliced(index, 0, ''),
          [...rest, part],
          [part, ...rest],
        ].map((changed) => changed.join('.'))
      }),
  ],
]
