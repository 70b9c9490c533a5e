import { expect } from 'chai'
import { isNone, none, type Option, some } from 'fp-ts/lib/Option.js'
import { nodeDigests, systemClock } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { isUsable } from '../../domain/one-time-token.ts'
import { succeed } from './outcome.ts'

const RECORD = '1$$c2NyeXB0'
const EXPIRES = '2100-01-01T00:00:00.000Z'

type Entry = readonly [type: string, subject: string, data: object]

const registered = (user: string): Entry => [
  'UserRegistered',
  user,
  { password_digest: nodeDigests.sha256(RECORD) },
]
const started = (user: string, token: string): Entry => [
  'RecoveryStarted',
  user,
  { token_id: token, expires_at: EXPIRES },
]
const confirmed = (user: string, changed: boolean): Entry => [
  'EmailConfirmed',
  user,
  { token_id: 'deleted', changed },
]

const insertLog = (prefix: string, first: number, entries: ReadonlyArray<Entry>): string => `
  INSERT INTO ${prefix}log (position, id, type, version, at, subject_kind, subject_id, actor_kind, actor_id, data)
  VALUES ${entries
    .map(([type, subject, data], index) => {
      const kind = type.startsWith('Application') ? 'application' : 'user'
      const at = '2026-01-02T03:04:05.678Z'
      return `(${first + index}, 'event ${first + index}', '${type}', 1, '${at}', '${kind}', '${subject}', 'application', 'desk', '${JSON.stringify(data)}')`
    })
    .join(',\n')};`

const insertToken = (prefix: string, id: string, user: string, email: string): string => `
  INSERT INTO ${prefix}one_time_tokens
    (id, purpose, digest, user_id, application_id, password_version, email_on_record, email, expires_at, used, version)
  VALUES ('${id}', 'recovery', 'digest of ${id}', '${user}', 'desk', 1, '${email}', '${email}', ${Date.parse(EXPIRES) / 1000}, 0, 1);`

const ENTRIES: ReadonlyArray<Entry> = [
  ['ApplicationRegistered', 'desk', { name: 'desk', scope: 'users:recover', key_id: 'key' }],
  registered('ada'),
  registered('bob'),
  registered('cleo'),
  started('ada', 'of ada'),
  started('bob', 'of bob'),
  confirmed('bob', true),
  started('bob', 'of bob at the other address'),
  confirmed('bob', true),
  started('bob', 'of bob after his return'),
  started('cleo', 'of cleo'),
  confirmed('cleo', true),
  confirmed('ada', false),
]

/** How many entries the log of `emailsBeforeVersions` has. */
export const ENTRIES_BEFORE_VERSIONS = ENTRIES.length

/**
 * Users and one-time tokens of a store without versions of e-mails. Bob has his first address again.
 *
 * @param prefix of every table
 */
export const emailsBeforeVersions = (prefix = ''): string => `
  INSERT INTO ${prefix}applications (id, name, scope, key_id, key_digest, revoked, version)
    VALUES ('desk', 'desk', 'users:recover', 'key', 'digest', 0, 1);
  INSERT INTO ${prefix}users
    (id, email, email_key, email_verified, password_record, password_scheme, password_version, status, version)
  VALUES ('ada', 'ada@example.com', 'ada@example.com', 1, '${RECORD}', '', 1, 'enabled', 2),
         ('bob', 'bob@example.com', 'bob@example.com', 1, '${RECORD}', '', 1, 'enabled', 3),
         ('cleo', 'cleo@example.org', 'cleo@example.org', 1, '${RECORD}', '', 1, 'enabled', 2);
  ${insertToken(prefix, 'of ada', 'ada', 'ada@example.com')}
  ${insertToken(prefix, 'of bob', 'bob', 'bob@example.com')}
  ${insertToken(prefix, 'of bob at the other address', 'bob', 'bob@example.org')}
  ${insertToken(prefix, 'of bob after his return', 'bob', 'bob@example.com')}
  ${insertToken(prefix, 'of cleo', 'cleo', 'cleo@example.com')}
  ${insertLog(prefix, 1, ENTRIES)}`

/** How a version without these columns starts two recoveries, and then confirms another e-mail of Ada. */
export const changesOfBefore = (prefix = ''): string => `
  ${insertToken(prefix, 'later of ada', 'ada', 'ada@example.com')}
  ${insertToken(prefix, 'later of cleo', 'cleo', 'cleo@example.org')}
  UPDATE ${prefix}users SET email = 'ada@example.org', email_key = 'ada@example.org', version = 3 WHERE id = 'ada';
  ${insertLog(prefix, ENTRIES.length + 1, ENTRIES_OF_BEFORE)}`

const ENTRIES_OF_BEFORE = [
  started('ada', 'later of ada'),
  started('cleo', 'later of cleo'),
  confirmed('ada', true),
]

/** How many entries the log has after `changesOfBefore`. */
export const ENTRIES_WITH_THOSE_OF_BEFORE = ENTRIES.length + ENTRIES_OF_BEFORE.length

type Expected = Readonly<Record<string, readonly [version: Option<number>, isUsable: boolean]>>

const TOKENS: Expected = {
  'of ada': [some(1), true],
  'of bob': [some(1), false],
  'of bob at the other address': [some(2), false],
  'of bob after his return': [some(3), true],
  'of cleo': [some(1), false],
}
const TOKENS_OF_BEFORE: Expected = {
  ...TOKENS,
  'of ada': [some(1), false],
  'later of ada': [none, false],
  'later of cleo': [none, true],
}

/** Checks the versions of these users and tokens, which tokens work, and that the log explains every row. */
export const expectEmailVersions = async (store: Store, { isLater = false } = {}): Promise<void> => {
  const users = await succeed(store.listRows({ table: 'users', after: '', limit: 9 }))
  expect(users.map(({ id, emailVersion }) => [id, emailVersion])).to.deep.equal([
    ['ada', 1],
    ['bob', 3],
    ['cleo', 2],
  ])
  const tokens: Record<string, readonly [Option<number>, boolean]> = {}
  const expected = isLater ? TOKENS_OF_BEFORE : TOKENS
  for (const id of Object.keys(expected)) {
    const found = await succeed(store.findOneTimeToken(`digest of ${id}`))
    if (isNone(found)) throw new Error(`there is no token ${id}`)
    tokens[id] = [found.value.token.emailVersion, isUsable(found.value, 'recovery', systemClock() / 1000)]
  }
  expect(tokens).to.deep.equal(expected)
  const { disagreements } = await succeed(checkLog({ store, clock: systemClock, digests: nodeDigests }))
  expect(disagreements).to.deep.equal([])
}
