import * as E from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import {
  answering,
  type BrokenHasher,
  brokenHasher,
  is,
  OUTDATED,
  reading,
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

const damaged = (what: string): string => `no password fits a record that is damaged: ${what}`

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
        hash: (password, request) => () => {
          const outcome = made.get(password) ?? hasher.hash(password, request)()
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
    verify: (password, record, request) => async () => {
      if (isSome(record) && hasher.assess(record.value) === 'unreadable') throw new Error('cannot be read')
      return hasher.verify(password, record, request)()
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
    verify: (password, record, request) =>
      isSome(record) && hasher.assess(record.value) === 'unreadable'
        ? async () => E.left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
        : hasher.verify(password, record, request),
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
