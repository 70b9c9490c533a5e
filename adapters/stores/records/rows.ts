import * as t from 'io-ts'
import type { Row, Table } from '../../../application/ports/store.ts'
import { nameKeyOf } from '../../../domain/attributes.ts'
import type { Session } from '../../../domain/session.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import type { RevokedToken } from '../../../domain/token.ts'
import { emailKey, type User } from '../../../domain/user.ts'
import { APPLICATION_ROW } from './application-row.ts'
import { Flag, Integer, MethodsText, nullable, Purpose, RolesText, Status } from './columns.ts'
import { FACTOR_ROW } from './factor-row.ts'
import { ONE_TIME_TOKEN_ROW } from './one-time-token-row.ts'
import { type Columns, rowCodec, type TableRecord } from './row-codec.ts'

export type { Columns } from './row-codec.ts'

/**
 * The descriptor of each table. PostgreSQL locks rows in this order. During an update, two versions run on one database, so no table
 * moves: two orders could deadlock. A new one goes to the end.
 */
export const ROWS: { readonly [T in Table]: TableRecord<T> } = {
  applications: {
    holdsSecrets: false,
    expiry: undefined,
    ...APPLICATION_ROW,
  },
  users: {
    holdsSecrets: true,
    unique: 'email_key',
    expiry: undefined,
    ...rowCodec({
      row: t.type({
        id: t.string,
        email: t.string,
        email_key: t.string,
        email_verified: Flag,
        email_version: Integer,
        password_record: t.string,
        password_scheme: t.string,
        password_version: Integer,
        sessions_version: Integer,
        all_ended_version: Integer,
        roles: RolesText,
        status: Status,
        attributes: t.string,
        name_key: t.string,
        created_at: Integer,
        version: Integer,
      }),
      toEntity: (row): User => ({
        id: row.id,
        email: row.email,
        emailVerified: row.email_verified,
        emailVersion: row.email_version,
        passwordRecord: row.password_record,
        passwordScheme: row.password_scheme,
        passwordVersion: row.password_version,
        sessionsVersion: row.sessions_version,
        allEndedVersion: row.all_ended_version,
        roles: row.roles,
        status: row.status,
        attributes: row.attributes,
        createdAtSeconds: row.created_at,
        version: row.version,
      }),
      toColumns: (user) => ({
        id: user.id,
        email: user.email,
        email_key: emailKey(user.email),
        email_verified: user.emailVerified,
        email_version: user.emailVersion,
        password_record: user.passwordRecord,
        password_scheme: user.passwordScheme,
        password_version: user.passwordVersion,
        sessions_version: user.sessionsVersion,
        all_ended_version: user.allEndedVersion,
        roles: user.roles,
        status: user.status,
        attributes: user.attributes,
        name_key: nameKeyOf(user.attributes),
        created_at: user.createdAtSeconds,
        version: user.version,
      }),
    }),
  },
  sessions: {
    holdsSecrets: true,
    expiry: 'expires_at',
    ...rowCodec({
      row: t.type({
        id: t.string,
        user_id: t.string,
        password_version: Integer,
        sessions_version: Integer,
        created_at: Integer,
        expires_at: Integer,
        ends_at: Integer,
        renewed_at: nullable(Integer),
        label: nullable(t.string),
        password_changed_at: nullable(Integer),
        application_id: t.string,
        remembered: Flag,
        cookie: nullable(t.string),
        browser_id: nullable(t.string),
        methods: MethodsText,
        authenticated_at: Integer,
        signed_out: Flag,
        version: Integer,
      }),
      toEntity: (row): Session => ({
        id: row.id,
        userId: row.user_id,
        passwordVersion: row.password_version,
        sessionsVersion: row.sessions_version,
        createdAtSeconds: row.created_at,
        expiresAtSeconds: row.expires_at,
        endsAtSeconds: row.ends_at,
        renewedAtSeconds: row.renewed_at,
        label: row.label,
        passwordChangedAtSeconds: row.password_changed_at,
        applicationId: row.application_id,
        remembered: row.remembered,
        cookie: row.cookie,
        browserId: row.browser_id,
        methods: row.methods,
        authenticatedAtSeconds: row.authenticated_at,
        signedOut: row.signed_out,
        version: row.version,
      }),
      toColumns: (session) => ({
        id: session.id,
        user_id: session.userId,
        password_version: session.passwordVersion,
        sessions_version: session.sessionsVersion,
        created_at: session.createdAtSeconds,
        expires_at: session.expiresAtSeconds,
        ends_at: session.endsAtSeconds,
        renewed_at: session.renewedAtSeconds,
        label: session.label,
        password_changed_at: session.passwordChangedAtSeconds,
        application_id: session.applicationId,
        remembered: session.remembered,
        cookie: session.cookie,
        browser_id: session.browserId,
        methods: session.methods,
        authenticated_at: session.authenticatedAtSeconds,
        signed_out: session.signedOut,
        version: session.version,
      }),
    }),
  },
  keys: {
    holdsSecrets: true,
    expiry: undefined,
    ...rowCodec({
      row: t.type({
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
      toEntity: ({ created_at, signs_from, retires_at, ...same }): SigningKey => ({
        ...same,
        createdAtSeconds: created_at,
        signsFromSeconds: signs_from,
        retiresAtSeconds: retires_at,
      }),
      toColumns: ({ createdAtSeconds, signsFromSeconds, retiresAtSeconds, ...same }) => ({
        ...same,
        created_at: createdAtSeconds,
        signs_from: signsFromSeconds,
        retires_at: retiresAtSeconds,
      }),
    }),
  },
  revoked_tokens: {
    holdsSecrets: false,
    expiry: 'expires_at',
    ...rowCodec({
      row: t.type({ id: t.string, application_id: t.string, expires_at: Integer, version: Integer }),
      toEntity: ({ id, application_id, expires_at, version }): RevokedToken => ({
        id,
        applicationId: application_id,
        expiresAtSeconds: expires_at,
        version,
      }),
      toColumns: ({ id, applicationId, expiresAtSeconds, version }) => ({
        id,
        application_id: applicationId,
        expires_at: expiresAtSeconds,
        version,
      }),
    }),
  },
  one_time_tokens: { holdsSecrets: true, expiry: 'expires_at', ...ONE_TIME_TOKEN_ROW },
  factors: { holdsSecrets: true, expiry: undefined, ...FACTOR_ROW },
}

/** The columns of a row. */
export const encodeRow = <T extends Table>({ table, row }: Row<T>): Columns => ROWS[table].encode(row)
