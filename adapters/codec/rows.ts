import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { Row } from '../../application/ports/store.ts'
import type { Application } from '../../domain/application.ts'
import type { Session } from '../../domain/session.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { emailKey, type User } from '../../domain/user.ts'
import { Flag, Integer, Purpose, ScopeText } from './columns.ts'

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

export type Columns = Readonly<Record<string, string | number>>

const rowCodec = <A, O extends Columns, Entity>(
  row: t.Type<A, O, unknown> & { props: object },
  toEntity: (columns: A) => Entity,
  toColumns: (entity: Entity) => A,
): RowCodec<Entity> => ({
  columns: Object.keys(row.props),
  encode: (entity) => row.encode(toColumns(entity)),
  decode: (columns) => pipe(row.decode(columns), E.map(toEntity)),
})

/** Every table there is. */
export const ROWS = {
  applications: rowCodec(
    t.type({
      id: t.string,
      name: t.string,
      scope: ScopeText,
      key_id: t.string,
      key_digest: t.string,
      version: Integer,
    }),
    ({ key_id, key_digest, ...same }): Application => ({ ...same, keyId: key_id, keyDigest: key_digest }),
    ({ keyId, keyDigest, ...same }) => ({ ...same, key_id: keyId, key_digest: keyDigest }),
  ),
  users: rowCodec(
    t.type({
      id: t.string,
      email: t.string,
      email_key: t.string,
      password_record: t.string,
      password_version: Integer,
      version: Integer,
    }),
    ({ id, email, password_record, password_version, version }): User => ({
      id,
      email,
      passwordRecord: password_record,
      passwordVersion: password_version,
      version,
    }),
    ({ id, email, passwordRecord, passwordVersion, version }) => ({
      id,
      email,
      email_key: emailKey(email),
      password_record: passwordRecord,
      password_version: passwordVersion,
      version,
    }),
  ),
  sessions: rowCodec(
    t.type({
      id: t.string,
      user_id: t.string,
      password_version: Integer,
      expires_at: Integer,
      signed_out: Flag,
      version: Integer,
    }),
    ({ id, user_id, password_version, expires_at, signed_out, version }): Session => ({
      id,
      userId: user_id,
      passwordVersion: password_version,
      expiresAtSeconds: expires_at,
      signedOut: signed_out,
      version,
    }),
    ({ id, userId, passwordVersion, expiresAtSeconds, signedOut, version }) => ({
      id,
      user_id: userId,
      password_version: passwordVersion,
      expires_at: expiresAtSeconds,
      signed_out: signedOut,
      version,
    }),
  ),
  keys: rowCodec(
    t.type({
      id: t.string,
      kid: t.string,
      purpose: Purpose,
      material: t.string,
      created_at: Integer,
      version: Integer,
    }),
    ({ created_at, ...same }): SigningKey => ({ ...same, createdAtSeconds: created_at }),
    ({ createdAtSeconds, ...same }) => ({ ...same, created_at: createdAtSeconds }),
  ),
}

export type Table = Row['table']

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
  }
}
