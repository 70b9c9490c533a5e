import * as fc from 'fast-check'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { RowOf, Table } from '../../application/ports/store.ts'
import { SCOPES } from '../../domain/application.ts'
import { attributesText } from '../../domain/attributes.ts'
import { FACTOR_KINDS } from '../../domain/factor.ts'
import { ONE_TIME_TOKEN_PURPOSES } from '../../domain/one-time-token.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { USER_STATUSES, type User } from '../../domain/user.ts'
import {
  aFactor,
  aKey,
  anApplication,
  aOneTimeToken,
  aRevokedToken,
  aSession,
  aUser,
} from '../testkit/builders.ts'

export type DrawnRow = { [T in Table]: Readonly<{ table: T; row: RowOf<T>; ahead: number }> }[Table]

export const id = fc.constantFrom('a', 'B', '10', '9', 'é', '\uff5e', '\u{1f98a}')
export const email = fc.constantFrom(
  'ada@example.com',
  'ADA@example.com',
  'k@example.com',
  '\u212a@example.com',
  'a_a@b',
)
export const text = fc.constantFrom('', 'x', "'", 'é', 'e\u0301', '\u{1f98a}')
const seconds = fc.constantFrom(0, -1, 4_102_444_800, Number.MAX_SAFE_INTEGER)
export const version = fc.constantFrom(1, 2)
const optional = <A>(value: fc.Arbitrary<A>): fc.Arbitrary<Option<A>> =>
  fc.option(value, { nil: undefined }).map((drawn) => (drawn === undefined ? none : some(drawn)))

const application = fc.record({
  id,
  name: text,
  scope: fc.constantFrom([], [...SCOPES], ...SCOPES.map((one) => [one])),
  keyId: text,
  previousKey: optional(fc.record({ id: text, digest: text, untilSeconds: seconds })),
  revoked: fc.boolean(),
})
const user = fc.record<Omit<User, 'version'>>({
  id,
  email,
  passwordRecord: text,
  passwordScheme: text,
  passwordVersion: version,
  sessionsVersion: version,
  allEndedVersion: version,
  status: fc.constantFrom(...USER_STATUSES),
  attributes: fc.constantFrom('a', 'ada', 'é', '\u{1f98a}').map((name) => attributesText({ name })),
  emailVerified: fc.boolean(),
  emailVersion: version,
  createdAtSeconds: seconds,
  roles: fc.subarray(['admin', 'editor']),
})
const session = fc.record({
  id,
  userId: id,
  passwordVersion: version,
  sessionsVersion: version,
  createdAtSeconds: seconds,
  expiresAtSeconds: seconds,
  applicationId: id,
  signedOut: fc.boolean(),
})
const key = fc.record({
  id,
  kid: text,
  purpose: fc.constantFrom(...KEY_PURPOSES),
  createdAtSeconds: seconds,
  signsFromSeconds: seconds,
  retiresAtSeconds: optional(seconds),
  retired: fc.boolean(),
})

const revoked = fc.record({ id, applicationId: id, expiresAtSeconds: seconds })

export const digestOf = (of: string): string => `digest of ${of}`
const oneTimeToken = fc
  .record({
    id,
    purpose: fc.constantFrom(...ONE_TIME_TOKEN_PURPOSES),
    userId: id,
    applicationId: id,
    passwordVersion: version,
    sessionsVersion: version,
    emailVersion: version,
    email: text,
    label: optional(text),
    expiresAtSeconds: seconds,
    used: fc.boolean(),
  })
  .map((drawn) => aOneTimeToken({ ...drawn, digest: digestOf(drawn.id) }))

const factor = fc.record({
  id,
  userId: id,
  kind: fc.constantFrom(...FACTOR_KINDS),
  name: text,
  material: text,
  mark: seconds,
  counter: seconds,
  flags: text,
  createdAtSeconds: seconds,
  usedAtSeconds: optional(seconds),
  removed: fc.boolean(),
})

/** Most rows are written over the version at which they were read. */
const ahead = fc.constantFrom(1, 1, 1, 1, 1, 0, 2)

/** A row of any table, and how many versions it is ahead of the stored one. */
export const row: fc.Arbitrary<DrawnRow> = fc.oneof(
  fc.record({ table: fc.constant('applications' as const), row: application.map(anApplication), ahead }),
  fc.record({ table: fc.constant('users' as const), row: user.map(aUser), ahead }),
  fc.record({ table: fc.constant('sessions' as const), row: session.map(aSession), ahead }),
  fc.record({ table: fc.constant('keys' as const), row: key.map(aKey), ahead }),
  fc.record({ table: fc.constant('revoked_tokens' as const), row: revoked.map(aRevokedToken), ahead }),
  fc.record({ table: fc.constant('one_time_tokens' as const), row: oneTimeToken, ahead }),
  fc.record({ table: fc.constant('factors' as const), row: factor.map(aFactor), ahead }),
)
