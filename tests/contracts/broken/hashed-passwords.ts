import { createHash } from 'node:crypto'
import { answering, type BrokenHasher, brokenHasher, hashing, through } from './hashers.ts'

const fits = (what: string): string => `a password fits its own record: ${what}`
const apart = (what: string): string => `two passwords are told apart that ${what}`

/** Hashers that take a password for another. */
export const BROKEN_PASSWORDS: ReadonlyArray<BrokenHasher> = [
  brokenHasher(
    'know no password again',
    [fits('a few letters'), fits('one of spaces')],
    answering(() => false),
  ),
  brokenHasher(
    'hash only what is ASCII',
    [fits('several scripts'), fits('one of 16 KiB beyond ASCII')],
    hashing((password) => password.replace(/[^\0-~]/g, '?')),
  ),
  brokenHasher(
    'hash no further than a NUL',
    [fits('one that ends with a NUL'), fits('one with NULs in it')],
    hashing((password) => /^[^\0]*/.exec(password)?.[0] ?? ''),
  ),
  brokenHasher(
    'trim what they hash',
    fits('one of spaces'),
    hashing((password) => password.trim()),
  ),
  brokenHasher(
    'hash no more than 8,000 characters',
    [fits('one of 16 KiB'), fits('one of 16 KiB beyond ASCII')],
    hashing((password) => password.slice(0, 8_000)),
  ),
  ...(
    [
      ['look at two letters', ['differ in their last letter'], (password) => password.slice(0, 2)],
      ['overlook the first letter', ['differ in their first letter'], (password) => password.slice(1)],
      ['overlook case', ['differ in case'], (password) => password.toLowerCase()],
      [
        'fill up with NULs',
        ['differ by a NUL at the end', 'differ by two NULs at the end', 'are nothing and a NUL'],
        (password) => password.padEnd(64, '\0'),
      ],
      [
        'read no further than a NUL',
        ['differ after a NUL', 'differ by a NUL at the end'],
        (password) => /^[^\0]*/.exec(password)?.[0] ?? '',
      ],
      ['trim the end', ['differ by spaces at the end'], (password) => password.trimEnd()],
      ['trim the beginning', ['differ by a space in front'], (password) => password.trimStart()],
      ['read a line', ['differ by a line feed at the end'], (password) => password.replace(/\n$/, '')],
      ['compose', ['look the same but are composed otherwise'], (password) => password.normalize('NFC')],
      ['unify', ['differ in compatibility forms'], (password) => password.normalize('NFKC')],
      [
        'digest what is long',
        ['are one of 66 bytes and its SHA-256'],
        (password) =>
          Buffer.byteLength(password) > 64
            ? createHash('sha256').update(password).digest().toString()
            : password,
      ],
      ['look at 72 characters', ['differ in the 73rd byte'], (password) => password.slice(0, 72)],
      ['look at 16,383 characters', ['differ in the last byte of 16 KiB'], (p) => p.slice(0, 16_383)],
      [
        'know only ASCII',
        ['are a character and its replacement'],
        (password) => password.replace(/[^\0-~]/gu, '?'),
      ],
      [
        'know only 16 bits',
        ['have the same lower 16 bits'],
        (password) =>
          String.fromCharCode(...[...password.slice(0, 99)].map((one) => one.codePointAt(0) ?? 0)),
      ],
    ] satisfies ReadonlyArray<readonly [string, ReadonlyArray<string>, (password: string) => string]>
  ).map(([breaks, caughtBy, alter]) => brokenHasher(breaks, caughtBy.map(apart), through(alter))),
  brokenHasher(
    'look at 28 characters',
    'a password fits its own record and none of many others',
    through((password) => password.slice(0, 28)),
  ),
]
