import * as t from 'io-ts'
import type { OneTimeToken } from '../../../domain/one-time-token.ts'
import { Flag, Integer, nullable, OneTimePurpose, OtherFirst } from './columns.ts'
import { type RowCodec, rowCodec } from './row-codec.ts'

/** The columns of a one-time token. */
export const ONE_TIME_TOKEN_ROW: RowCodec<OneTimeToken> = rowCodec({
  row: t.type({
    id: t.string,
    purpose: OneTimePurpose,
    digest: t.string,
    user_id: t.string,
    application_id: t.string,
    password_version: Integer,
    sessions_version: Integer,
    email_version: Integer,
    email: t.string,
    label: nullable(t.string),
    remembered: Flag,
    first: nullable(OtherFirst),
    expires_at: Integer,
    used: Flag,
    version: Integer,
  }),
  toEntity: (row): OneTimeToken => ({
    id: row.id,
    purpose: row.purpose,
    digest: row.digest,
    userId: row.user_id,
    applicationId: row.application_id,
    passwordVersion: row.password_version,
    sessionsVersion: row.sessions_version,
    emailVersion: row.email_version,
    email: row.email,
    label: row.label,
    remembered: row.remembered,
    first: row.first,
    expiresAtSeconds: row.expires_at,
    used: row.used,
    version: row.version,
  }),
  toColumns: (token) => ({
    id: token.id,
    purpose: token.purpose,
    digest: token.digest,
    user_id: token.userId,
    application_id: token.applicationId,
    password_version: token.passwordVersion,
    sessions_version: token.sessionsVersion,
    email_version: token.emailVersion,
    email: token.email,
    label: token.label,
    remembered: token.remembered,
    first: token.first,
    expires_at: token.expiresAtSeconds,
    used: token.used,
    version: token.version,
  }),
})
