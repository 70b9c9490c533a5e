import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import type { Application, PreviousKey } from '../../../domain/application.ts'
import {
  Assurance,
  Client,
  Flag,
  Integer,
  nullable,
  OriginsText,
  ScopeText,
  UrisText,
  UrlsText,
} from './columns.ts'
import { type RowCodec, rowCodec } from './row-codec.ts'

export const APPLICATION_ROW: RowCodec<Application> = rowCodec({
  row: t.type({
    id: t.string,
    name: t.string,
    scope: ScopeText,
    key_id: t.string,
    key_digest: t.string,
    previous_key_id: nullable(t.string),
    previous_key_digest: nullable(t.string),
    previous_until: nullable(Integer),
    user_token_ttl: nullable(Integer),
    idle_ttl: nullable(Integer),
    session_ttl: nullable(Integer),
    remember_ttl: nullable(Integer),
    required_assurance: Assurance,
    require_verified_email: Flag,
    passkey_origins: OriginsText,
    return_urls: UrlsText,
    redirect_uris: UrisText,
    logout_uris: UrisText,
    client_kind: Client,
    requires_pkce: Flag,
    revoked: Flag,
    version: Integer,
  }),
  toEntity: (row): Application => ({
    id: row.id,
    name: row.name,
    scope: row.scope,
    keyId: row.key_id,
    keyDigest: row.key_digest,
    previousKey: previousKeyOf(row),
    lifetimes: {
      userTokenTtlSeconds: row.user_token_ttl,
      idleTtlSeconds: row.idle_ttl,
      sessionTtlSeconds: row.session_ttl,
      rememberTtlSeconds: row.remember_ttl,
    },
    requiredAssurance: row.required_assurance,
    requiresVerifiedEmail: row.require_verified_email,
    passkeyOrigins: row.passkey_origins,
    returnUrls: row.return_urls,
    redirectUris: row.redirect_uris,
    logoutUris: row.logout_uris,
    clientKind: row.client_kind,
    requiresPkce: row.requires_pkce,
    revoked: row.revoked,
    version: row.version,
  }),
  toColumns: ({ id, name, scope, previousKey, lifetimes, revoked, version, ...application }) => ({
    id,
    name,
    scope,
    key_id: application.keyId,
    key_digest: application.keyDigest,
    previous_key_id: O.map((key: PreviousKey) => key.id)(previousKey),
    previous_key_digest: O.map((key: PreviousKey) => key.digest)(previousKey),
    previous_until: O.map((key: PreviousKey) => key.untilSeconds)(previousKey),
    user_token_ttl: lifetimes.userTokenTtlSeconds,
    idle_ttl: lifetimes.idleTtlSeconds,
    session_ttl: lifetimes.sessionTtlSeconds,
    remember_ttl: lifetimes.rememberTtlSeconds,
    required_assurance: application.requiredAssurance,
    require_verified_email: application.requiresVerifiedEmail,
    passkey_origins: application.passkeyOrigins,
    return_urls: application.returnUrls,
    redirect_uris: application.redirectUris,
    logout_uris: application.logoutUris,
    client_kind: application.clientKind,
    requires_pkce: application.requiresPkce,
    revoked,
    version,
  }),
  // A previous key has all three columns or none.
  isConsistent: ({ previous_key_id: id, previous_key_digest: digest, previous_until: until }) =>
    O.isSome(id) === O.isSome(digest) && O.isSome(id) === O.isSome(until),
})

type PreviousKeyColumns = Readonly<{
  previous_key_id: O.Option<string>
  previous_key_digest: O.Option<string>
  previous_until: O.Option<number>
}>

const previousKeyOf = ({
  previous_key_id: id,
  previous_key_digest: digest,
  previous_until: until,
}: PreviousKeyColumns): O.Option<PreviousKey> =>
  O.isSome(id) && O.isSome(digest) && O.isSome(until)
    ? O.some({ id: id.value, digest: digest.value, untilSeconds: until.value })
    : O.none
