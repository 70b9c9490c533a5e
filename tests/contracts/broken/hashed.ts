import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import {
  answering,
  type BrokenHasher,
  brokenHasher,
  hashing,
  is,
  OUTDATED,
  reading,
  through,
  UNREADABLE,
  writing,
} from './hashers.ts'

const NOBODYS = [
  'nothing',
  'a space',
  'words',
  'separators',
  'another hasher’s',
  'JSON',
  'a NUL',
  'a lone surrogate',
  'a megabyte',
  'a megabyte of separators',
].map((what) => `a record that nobody made is unreadable: ${what}`)

const DAMAGED = [
  'its beginning is missing',
  'its end is missing',
  'its second half is missing',
  'there is something before it',
  'there is something behind it',
  'it is there twice',
  'its end is another record’s',
].map((what) => `no password fits a record that is damaged: ${what}`)

const fits = (what: string): string => `a password fits its own record: ${what}`
const apart = (what: string): string => `two passwords are told apart that ${what}`
const damaged = (what: string): string => `no password fits a record that is damaged: ${what}`

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

/** Hashers that make bad records, or take bad ones. */
export const BROKEN_RECORDS: ReadonlyArray<BrokenHasher> = [
  brokenHasher(
    'make one record of one password',
    [
      'records of one password differ each time, and each is good',
      'one hash that is asked for and run twice makes two records',
    ],
    (hasher) => {
      const made = new Map<string, ReturnType<ReturnType<typeof hasher.hash>>>()
      return {
        hash: (password, wanted) => () => {
          const outcome = made.get(password) ?? hasher.hash(password, wanted)()
          made.set(password, outcome)
          return outcome
        },
      }
    },
  ),
  brokenHasher(
    'end a record with a NUL',
    'a record is a text that a store can hold',
    writing(
      (record) => `${record}\0`,
      (written) => written.replace(/\0$/, ''),
    ),
  ),
  brokenHasher(
    'make bytes of a record',
    'a record is a text that a store can hold',
    writing(
      (record) => `${record}\ud800`,
      (written) => written.replace(/\ud800$/, ''),
    ),
  ),
  brokenHasher(
    'make long records of long passwords',
    'a record is a text that a store can hold',
    writing(
      (record, password) => record + '#'.repeat(password.length),
      (written) => written.replace(/#*$/, ''),
    ),
  ),
  ...(['utf8', 'hex', 'base64'] as const).map((encoding) =>
    brokenHasher(
      `keep the password beside its hash (${encoding})`,
      'a record does not show its password',
      writing(
        (record, password) => `${record}#${Buffer.from(password).toString(encoding)}`,
        (written) => written.replace(/#.*$/s, ''),
      ),
    ),
  ),
  brokenHasher('find nothing good enough', 'a new record is current', (hasher) => ({
    assess: (record) => (hasher.assess(record) === 'current' ? 'outdated' : hasher.assess(record)),
  })),
  brokenHasher(
    'let somebody in who has nothing',
    'no password fits where there is no record',
    answering((password, record) => (isNone(record) && password === '' ? true : undefined)),
  ),
  brokenHasher('call every record current', NOBODYS, () => ({ assess: () => 'current' })),
  brokenHasher('reject what they cannot read', NOBODYS, (hasher) => ({
    verify: (password, record, wanted) => async () => {
      if (isSome(record) && hasher.assess(record.value) === 'unreadable') throw new Error('cannot be read')
      return hasher.verify(password, record, wanted)()
    },
  })),
  brokenHasher('throw at what they cannot read', NOBODYS, (hasher) => ({
    assess: (record) => {
      const worth = hasher.assess(record)
      if (worth === 'unreadable') throw new Error('cannot be read')
      return worth
    },
  })),
  brokenHasher(
    'take a plain text for a record',
    NOBODYS.filter((name) => !name.includes('surrogate') && !name.includes('megabyte')),
    answering((password, record) => (is(record, password) ? true : undefined)),
  ),
  brokenHasher('say nothing to a damaged record', DAMAGED.slice(0, -1), (hasher) => ({
    verify: (password, record, wanted) =>
      isSome(record) && hasher.assess(record.value) === 'unreadable'
        ? async () => E.left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
        : hasher.verify(password, record, wanted),
  })),
  ...(
    [
      ['what precedes it', ['its beginning is missing'], (record, one) => one.endsWith(record)],
      [
        'its end',
        ['its end is missing', 'its second half is missing'],
        (record, one) => one.startsWith(record),
      ],
      ['what is before it', ['there is something before it'], (record, one) => record.endsWith(one)],
      [
        'what is behind it',
        ['there is something behind it', 'it is there twice'],
        (record, one) => record.startsWith(one),
      ],
      [
        'its last characters',
        ['its end is another record’s'],
        (record, one) => record.slice(0, -16) === one.slice(0, -16),
      ],
    ] satisfies ReadonlyArray<
      readonly [string, ReadonlyArray<string>, (record: string, one: string) => boolean]
    >
  ).map(([overlooked, caughtBy, isLike]) =>
    brokenHasher(
      `do not mind ${overlooked} in a record`,
      caughtBy.map(damaged),
      reading((record, made) => made.find((one) => record !== '' && isLike(record, one)) ?? record),
    ),
  ),
  brokenHasher(
    'know only the records of today',
    'its own password fits an outdated record, and no other',
    answering((_, record) => (is(record, OUTDATED.record) ? false : undefined)),
  ),
  brokenHasher(
    'trust the records of before',
    'its own password fits an outdated record, and no other',
    answering((_, record) => (is(record, OUTDATED.record) ? true : undefined)),
  ),
  brokenHasher(
    'find everything good enough',
    'an outdated record is outdated, and what its password is hashed to is current',
    (hasher) => ({
      assess: (record) => (hasher.assess(record) === 'unreadable' ? 'unreadable' : 'current'),
    }),
  ),
  brokenHasher(
    'let in whose record they cannot read',
    'no password fits a record made with what is not given, its own neither',
    answering((password, record) =>
      is(record, UNREADABLE.record) && password === UNREADABLE.password ? true : undefined,
    ),
  ),
  brokenHasher(
    'call outdated what they cannot read',
    'a record made with what is not given is unreadable',
    (hasher) => ({
      assess: (record) => (record === UNREADABLE.record ? 'outdated' : hasher.assess(record)),
    }),
  ),
]
