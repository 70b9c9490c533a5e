import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import type { Row, RowOf, Table } from '../../../application/ports/store.ts'
import type { Application, PreviousKey } from '../../../domain/application.ts'
import type { Session } from '../../../domain/session.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import type { RevokedToken } from '../../../domain/token.ts'
import { emailKey, type User } from '../../../domain/user.ts'
import { Flag, Integer, nullable, Purpose, ScopeText, Status } from './columns.ts'

/**
 * How the records of the domain stand in a table: flat, in strings and integers, so that any store can hold them.
 * Reading is strict: a row that somebody damaged is an error and never half a record.
 */
export type RowCodec<Entity> = Readonly<{
  /** The names of the columns. `id` is the key, and `version` counts how often the row was written. */
  columns: ReadonlyArray<string>
  encode(entity: Entity): Columns
  decode(columns: unknown): E.Either<t.Errors, Entity>
}>

export type Columns = Readonly<Record<string, string | number | null>>

const rowCodec = <A, O extends Columns, Entity>(
  row: t.Type<A, O, unknown> & { props: object },
  toEntity: (columns: A) => Entity,
  toColumns: (entity: Entity) => A,
  isWhole: (columns: A) => boolean = () => true,
): RowCodec<Entity> => ({
  columns: Object.keys(row.props),
  encode: (entity) => row.encode(toColumns(entity)),
  decode: (columns) =>
    pipe(
      row.decode(columns),
      E.filterOrElse(isWhole, (): t.Errors => []),
      E.map(toEntity),
    ),
})

const previousKeyOf = (
  id: O.Option<string>,
  digest: O.Option<string>,
  until: O.Option<number>,
): O.Option<PreviousKey> =>
  O.isSome(id) && O.isSome(digest) && O.isSome(until)
    ? O.some({ id: id.value, digest: digest.value, untilSeconds: until.value })
    : O.none

/** Every table there is. */
export const ROWS = {
  applications: rowCodec(
    t.type({
      id: t.string,
      name: t.string,
      scope: ScopeText,
      key_id: t.string,
      key_digest: t.string,
      previous_key_id: nullable(t.string),
      previous_key_digest: nullable(t.string),
      previous_until: nullable(Integer),
      revoked: Flag,
      version: Integer,
    }),
    (row): Application => ({
      id: row.id,
      name: row.name,
      scope: row.scope,
      keyId: row.key_id,
      keyDigest: row.key_digest,
      previousKey: previousKeyOf(row.previous_key_id, row.previous_key_digest, row.previous_until),
      revoked: row.revoked,
      version: row.version,
    }),
    ({ id, name, scope, keyId, keyDigest, previousKey, revoked, version }) => ({
      id,
      name,
      scope,
      key_id: keyId,
      key_digest: keyDigest,
      previous_key_id: O.map((key: PreviousKey) => key.id)(previousKey),
      previous_key_digest: O.map((key: PreviousKey) => key.digest)(previousKey),
      previous_until: O.map((key: PreviousKey) => key.untilSeconds)(previousKey),
      revoked,
      version,
    }),
    // Of a previous key all is there, or nothing.
    ({ previous_key_id: id, previous_key_digest: digest, previous_until: until }) =>
      O.isSome(id) === O.isSome(digest) && O.isSome(id) === O.isSome(until),
  ),
  users: rowCodec(
    t.type({
      id: t.string,
      email: t.string,
      email_key: t.string,
      password_record: t.string,
      password_scheme: t.string,
      password_version: Integer,
      status: Status,
      version: Integer,
    }),
    ({ id, email, password_record, password_scheme, password_version, status, version }): User => ({
      id,
      email,
      passwordRecord: password_record,
      passwordScheme: password_scheme,
      passwordVersion: password_version,
      status,
      version,
    }),
    ({ id, email, passwordRecord, passwordScheme, passwordVersion, status, version }) => ({
      id,
      email,
      email_key: emailKey(email),
      password_record: passwordRecord,
      password_scheme: passwordScheme,
      password_version: passwordVersion,
      status,
      version,
    }),
  ),
  sessions: rowCodec(
    t.type({
      id: t.string,
      user_id: t.string,
      password_version: Integer,
      created_at: nullable(Integer),
      expires_at: Integer,
      application_id: nullable(t.string),
      signed_out: Flag,
      version: Integer,
    }),
    (row): Session => ({
      id: row.id,
      userId: row.user_id,
      passwordVersion: row.password_version,
      createdAtSeconds: row.created_at,
      expiresAtSeconds: row.expires_at,
      applicationId: row.application_id,
      signedOut: row.signed_out,
      version: row.version,
    }),
    (session) => ({
      id: session.id,
      user_id: session.userId,
      password_version: session.passwordVersion,
      created_at: session.createdAtSeconds,
      expires_at: session.expiresAtSeconds,
      application_id: session.applicationId,
      signed_out: session.signedOut,
      version: session.version,
    }),
  ),
  keys: rowCodec(
    t.type({
      id: t.string,
      kid: t.string,
      purpose: Purpose,
      material: t.string,
      created_at: Integer,
      signs_from: Integer,
      retires_at: nullable(Integer),
      retired: Flag,
      version: Integer,
    }),
    ({ created_at, signs_from, retires_at, ...same }): SigningKey => ({
      ...same,
      createdAtSeconds: created_at,
      signsFromSeconds: signs_from,
      retiresAtSeconds: retires_at,
    }),
    ({ createdAtSeconds, signsFromSeconds, retiresAtSeconds, ...same }) => ({
      ...same,
      created_at: createdAtSeconds,
      signs_from: signsFromSeconds,
      retires_at: retiresAtSeconds,
    }),
  ),
  revoked_tokens: rowCodec(
    t.type({ id: t.string, application_id: t.string, expires_at: Integer, version: Integer }),
    ({ id, application_id, expires_at, version }): RevokedToken => ({
      id,
      applicationId: application_id,
      expiresAtSeconds: expires_at,
      version,
    }),
    ({ id, applicationId, expiresAtSeconds, version }) => ({
      id,
      application_id: applicationId,
      expires_at: expiresAtSeconds,
      version,
    }),
  ),
}

/** A row as it stands in its table. */
export const encodeRow = (written: Row): Columns => {
  switch (written.table) {
    case 'applications':
      return ROWS.applications.encode(written.row)
    case 'users':
      return ROWS.users.encode(written.row)
    case 'sessions':
      return ROWS.sessions.encode(written.row)
    case 'keys':
      return ROWS.keys.encode(written.row)
    case 'revoked_tokens':
      return ROWS.revoked_tokens.encode(written.row)
  }
}

/** The records in rows of one table. */
export const decodeRows = <T extends Table>(
  table: T,
  rows: ReadonlyArray<unknown>,
): E.Either<t.Errors, ReadonlyArray<RowOf<T>>> => {
  const codec = ROWS[table] as unknown as RowCodec<RowOf<T>> // the table's own; the compiler cannot pick it by name
  return pipe(rows, E.traverseArray(codec.decode))
}
