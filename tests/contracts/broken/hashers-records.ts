import { isNone, isSome, map, type Option, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PasswordHasher } from '../../../application/ports/password-hasher.ts'
import type { HashedPassword } from '../../../domain/user.ts'
import { caughtBy } from './harness.ts'
import { answering, type MutateHasher, OUTDATED, PASSWORD, UNREADABLE } from './hashers.ts'
import { all, mutationsOf } from './mutations.ts'

const caught = caughtBy<MutateHasher>
const { hear, answer } = mutationsOf<PasswordHasher>()

const is = (record: Option<string>, that: string): boolean => isSome(record) && record.value === that

/** Writes its records differently. */
const writing = (
  write: (record: string, password: string) => string,
  back: (written: string) => string,
): MutateHasher =>
  all(
    answer('hash', (hashed, password) => ({ ...hashed, record: write(hashed.record, password) })),
    hear('verify', (password, record, request) => [password, map(back)(record), request]),
    ({ assess }) => ({ assess: (record) => assess(back(record)) }),
  )

/** Confuses a record with another of its records. */
const mistaking =
  (isLike: (record: string, one: string) => boolean): MutateHasher =>
  (hasher) => {
    const made: Array<string> = []
    const likely = (record: string) => made.find((one) => record !== '' && isLike(record, one)) ?? record
    return all<PasswordHasher>(
      answer('hash', (hashed) => {
        made.push(hashed.record)
        return hashed
      }),
      hear('verify', (password, record, request) => [password, map(likely)(record), request]),
    )(hasher)
  }

const isUnreadable = ({ assess }: PasswordHasher, record: Option<string>): boolean =>
  isSome(record) && assess(record.value) === 'unreadable'

const FOREIGN = /^an invalid record is unreadable/

const damaged = (...whats: ReadonlyArray<string>) =>
  whats.map((what) => `no password fits a record that is damaged: ${what}`)

const STORABLE = 'a record is a text that a store can hold'
const OUTDATED_FITS = 'an outdated record fits its own password and no other'

const OF_RECORDS = [
  ...caught(
    ['records of one password differ, and all of them fit', 'a hash that is run twice makes two records'],
    {
      'makes one record of one password': ({ hash }) => {
        const made = new Map<string, ReturnType<ReturnType<typeof hash>>>()
        return {
          hash: (password, request) => () => {
            const outcome = made.get(password) ?? hash(password, request)()
            made.set(password, outcome)
            return outcome
          },
        }
      },
    },
  ),
  ...caught(STORABLE, {
    'ends a record with a NUL': writing(
      (record) => `${record}\0`,
      (written) => written.replace(/\0$/, ''),
    ),
  }),
  ...(['utf8', 'hex', 'base64'] as const).flatMap((encoding) =>
    caught('a record does not show its password', {
      [`keeps the password beside its hash (${encoding})`]: writing(
        (record, password) => `${record}#${Buffer.from(password).toString(encoding)}`,
        (written) => written.replace(/#.*$/s, ''),
      ),
    }),
  ),
  ...caught('a new record is current', {
    'calls current records outdated': ({ assess }) => ({
      assess: (record) => (assess(record) === 'current' ? 'outdated' : assess(record)),
    }),
  }),
  ...caught('no password fits without a record', {
    'accepts an empty password without a record': answering((password, record) =>
      isNone(record) && password === '' ? true : undefined,
    ),
  }),
  ...caught(FOREIGN, {
    'calls every record current': () => ({ assess: () => 'current' }),
  }),
  ...caught(/^no password fits a record that is damaged: (?!its end is another)/, {
    'is overloaded when a record is damaged': (hasher) => ({
      verify: (password, record, request) =>
        isUnreadable(hasher, record)
          ? TE.left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
          : hasher.verify(password, record, request),
    }),
  }),
  ...caught(damaged('its end is another record’s'), {
    'ignores the end of a record': mistaking((record, one) => record.slice(0, -16) === one.slice(0, -16)),
  }),
  ...caught(OUTDATED_FITS, {
    'refuses outdated records': answering((_, record) => (is(record, OUTDATED) ? false : undefined)),
  }),
  ...caught('an outdated record is assessed as outdated, and a new one of its password as current', {
    'calls outdated records current': ({ assess }) => ({
      assess: (record) => (assess(record) === 'unreadable' ? 'unreadable' : 'current'),
    }),
  }),
  ...caught('an outdated record is outdated for its own password', {
    'calls every record current for its password': ({ assess }) => ({
      assess: (record, password) => (password === undefined ? assess(record) : 'current'),
    }),
  }),
  ...caught('a record that two passwords fit is outdated for neither', {
    'replaces a record that another password fits': ({ assess }) => ({ assess: (record) => assess(record) }),
  }),
  ...caught('an unreadable record fits no password, not even its own', {
    'accepts a password although it cannot read the record': answering((password, record) =>
      is(record, UNREADABLE) && password === PASSWORD ? true : undefined,
    ),
  }),
  ...caught('a known unreadable record is assessed as unreadable', {
    'calls an unreadable record outdated': ({ assess }) => ({
      assess: (record) => (record === UNREADABLE ? 'outdated' : assess(record)),
    }),
  }),
]

const SCHEME = 'a scheme is a public text that a store can hold'
const KNOWN = 'verifyMs knows its own scheme'

const naming = (name: (hashed: HashedPassword) => string): MutateHasher =>
  answer('hash', (hashed) => ({ ...hashed, scheme: name(hashed) }))

const OF_SCHEMES = [
  ...caught([SCHEME, KNOWN], {
    'names no scheme': naming(() => ''),
  }),
  ...caught('verifyMs knows the time without a record from the beginning', {
    'takes no time without a record': ({ verifyMs }) => ({
      verifyMs: (scheme) => (isSome(scheme) ? verifyMs(scheme) : some(0)),
    }),
  }),
  ...caught('verifyMs is none for an unknown scheme', {
    'knows the time of every scheme': () => ({ verifyMs: () => some(1) }),
  }),
]

export const RECORD_MUTATIONS = [...OF_RECORDS, ...OF_SCHEMES]
