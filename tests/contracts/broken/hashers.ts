import { createHash } from 'node:crypto'
import type { Option } from 'fp-ts/lib/Option.js'
import { standardPasswordHasher } from '../../../adapters/composition/security.ts'
import type { PasswordHasher } from '../../../application/ports/password-hasher.ts'
import { passwordHasherContract } from '../../testkit/password-hasher.ts'
import type { Runner } from '../../testkit/runner.ts'
import { caughtBy } from './harness.ts'
import { all, type Mutate, mutationsOf } from './mutations.ts'

export type MutateHasher = Mutate<PasswordHasher>
const caught = caughtBy<MutateHasher>
const { hear, answer } = mutationsOf<PasswordHasher>()

/** Made at a quarter of the cost and under a lost pepper. */
export const PASSWORD = 'correct horse'
export const OUTDATED =
  '1$$c2NyeXB0AAEAAAABAAAAAd/kpEZXPH3Vw/W8qaQpaHqAsss14JS8DnZ4j7Nw1fMQWmsJC7fpDDiGhMvKYXP1ezlzzfroyIc3/Xi0L4ibG9Lr6jkpKK5DGlCE9hIQ9yyJ'
export const UNREADABLE =
  '1$gone$c2NyeXB0AAEAAAAIAAAAAeYJzM495SGRWihR5q/mJTSQSsdhPlZaDK/jizDwvx8C0BU/5I8kh7lUhRv8aOSWxbEpyEVSnvFnJqdUjXQSdiLDDXtvnwnvJK6C28LDf/hC'

/** Of bcrypt, which compares the first 72 bytes. */
export const INEXACT = {
  password: `${'a'.repeat(72)} and more`,
  other: 'a'.repeat(72),
  record: '$2b$04$U2ydqPnaYjo5edYX.A8fUOeCu/S5D9a2KYFh1iwYzWI2GB5aaVJ6e',
}

/** The contract for the standard hasher at minimal cost, or a mutation of it. */
export const hasherContract = (runner: Runner, mutate: MutateHasher = () => ({})): void => {
  const opening = (concurrency: number, maxWaitMs: number) => async () => {
    const hasher = standardPasswordHasher({
      scrypt: { logN: 1, r: 4, p: 1 },
      hashing: { concurrency, maxWaitMs },
      peppers: [],
    })
    return { hasher: { ...hasher, ...mutate(hasher) } }
  }
  passwordHasherContract(runner, opening(2, 600_000), {
    outdated: { password: PASSWORD, record: OUTDATED },
    unreadable: { password: PASSWORD, record: UNREADABLE },
    inexact: INEXACT,
    oneAtATime: opening(1, 600_000),
    refusing: opening(1, 0),
  })
}

/** Confuses two passwords when it hashes. */
const hashing = (alter: (password: string) => string): MutateHasher =>
  hear('hash', (password, request) => [alter(password), request])

/** Confuses two passwords. */
const reading = (alter: (password: string) => string): MutateHasher =>
  all(
    hashing(alter),
    hear('verify', (password, record, request) => [alter(password), record, request]),
  )

/** Gives its own response to some requests, after the same work. */
export const answering = (
  own: (password: string, record: Option<string>) => boolean | undefined,
): MutateHasher => answer('verify', (fits, password, record) => own(password, record) ?? fits)

const untilNul = (text: string): string => /^[^\0]*/.exec(text)?.[0] ?? ''
const ascii = (text: string): string => text.replace(/[^\0-~]/gu, '?')

const fits = (what: string): string => `a password fits its own record: ${what}`

/** Ways to confuse passwords, and the pairs of the contract that show each. */
const EQUAL: ReadonlyArray<
  readonly [broken: string, pairs: ReadonlyArray<string>, alter: (text: string) => string]
> = [
  ['reads two letters', ['differ in their last letter'], (text) => text.slice(0, 2)],
  ['ignores the first letter', ['differ in their first letter'], (text) => text.slice(1)],
  ['ignores case', ['differ in case'], (text) => text.toLowerCase()],
  [
    'pads with NULs',
    ['differ by a NUL at the end', 'differ by two NULs at the end', 'are nothing and a NUL'],
    (text) => text.padEnd(64, '\0'),
  ],
  ['reads no further than a NUL', ['differ after a NUL', 'differ by a NUL at the end'], untilNul],
  ['trims the end', ['differ by spaces at the end'], (text) => text.trimEnd()],
  ['trims the beginning', ['differ by a space in front'], (text) => text.trimStart()],
  ['reads one line', ['differ by a line feed at the end'], (text) => text.replace(/\n$/, '')],
  ['composes characters', ['look the same but are composed otherwise'], (text) => text.normalize('NFC')],
  ['unifies compatible characters', ['differ in compatibility forms'], (text) => text.normalize('NFKC')],
  [
    'digests a long password',
    ['are one of 66 bytes and its SHA-256'],
    (text) => (Buffer.byteLength(text) > 64 ? createHash('sha256').update(text).digest().toString() : text),
  ],
  ['reads 72 characters', ['differ in the 73rd byte'], (text) => text.slice(0, 72)],
  ['reads 16,383 characters', ['differ in the last byte of 16 KiB'], (text) => text.slice(0, 16_383)],
  ['reads only ASCII', ['are a character and its replacement'], ascii],
  [
    'reads 16 bits of each character',
    ['have the same lower 16 bits'],
    (text) => String.fromCharCode(...[...text.slice(0, 99)].map((one) => one.codePointAt(0) ?? 0)),
  ],
]

/** Hashers that confuse two passwords. */
export const PASSWORD_MUTATIONS = [
  ...caught([fits('a few letters'), fits('one of spaces')], {
    'refuses every password': answering(() => false),
  }),
  ...caught([fits('several scripts'), fits('one of 16 KiB beyond ASCII')], {
    'hashes only ASCII': hashing(ascii),
  }),
  ...caught([fits('one that ends with a NUL'), fits('one with NULs in it')], {
    'hashes no further than a NUL': hashing(untilNul),
  }),
  ...caught([fits('one of 16 KiB'), fits('one of 16 KiB beyond ASCII')], {
    'hashes no more than 8,000 characters': hashing((password) => password.slice(0, 8_000)),
  }),
  ...EQUAL.flatMap(([broken, pairs, alter]) =>
    caught(
      pairs.map((pair) => `passwords are told apart if they ${pair}`),
      { [broken]: reading(alter) },
    ),
  ),
  ...caught('a password fits its own record and none of many others', {
    'reads 28 characters': reading((password) => password.slice(0, 28)),
  }),
]
