import { type Either, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, type Option, some, toNullable } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  type NewProtocolEntry,
  PROTOCOL_KINDS,
  type ProtocolEntry,
  type ProtocolKind,
} from '../../../application/ports/protocol-state.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { Integer, nullable } from './columns.ts'
import { orUnreadable } from './unavailable.ts'

const Kind = new t.Type<ProtocolKind, string, unknown>(
  'kind of a protocol entry',
  (u): u is ProtocolKind => PROTOCOL_KINDS.includes(u as ProtocolKind),
  (u, context) =>
    PROTOCOL_KINDS.includes(u as ProtocolKind) ? t.success(u as ProtocolKind) : t.failure(u, context),
  t.identity,
)

const Row = t.type({
  kind: Kind,
  id: t.string,
  session_id: nullable(t.string),
  content: t.string,
  consumed_at: nullable(Integer),
  expires_at: Integer,
})

/** The columns of a new entry, which is not consumed. */
export const rowOfEntry = ({ kind, id, sessionId, content, expiresAtSeconds }: NewProtocolEntry) => ({
  kind,
  id,
  session_id: toNullable(sessionId),
  content,
  expires_at: expiresAtSeconds,
})

/** The entry in the row that a query found; none when it found no row. */
export const oneEntry = (columns: unknown): Either<StoreUnavailable, Option<ProtocolEntry>> =>
  columns === undefined
    ? right(none)
    : pipe(Row.decode(columns), map(entryIn), orUnreadable('protocol_state'))

const entryIn = (row: t.TypeOf<typeof Row>): Option<ProtocolEntry> =>
  some({
    kind: row.kind,
    id: row.id,
    sessionId: row.session_id,
    content: row.content,
    consumedAtSeconds: row.consumed_at,
    expiresAtSeconds: row.expires_at,
  })
