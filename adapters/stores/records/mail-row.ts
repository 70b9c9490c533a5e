import { type Either, map, traverseArray } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { MAIL_KINDS, type Mail, type MailFacts, type MailState } from '../../../domain/mail.ts'
import { Flag, Integer, Kind, MailKindText, nullable } from './columns.ts'
import { type RowCodec, rowCodec } from './row-codec.ts'
import { orUnreadable } from './unavailable.ts'

const State = t.keyof({ waiting: null, failed: null } satisfies Record<MailState, null>)

const Facts = t.partial({
  factor: Kind,
  codesLeft: Integer,
  areNew: t.literal(true),
  device: t.string,
  asked: t.type({ passwordVersion: Integer, sessionsVersion: Integer, emailVersion: Integer }),
})

/** JSON of `MailFacts`. */
const FactsText = new t.Type<MailFacts, string, unknown>(
  'facts of a mail',
  (u): u is MailFacts => Facts.is(u),
  (u, context) => {
    const facts = typeof u === 'string' ? parse(u) : undefined
    return Facts.is(facts) ? t.success(facts as MailFacts) : t.failure(u, context)
  },
  (facts) => JSON.stringify(facts),
)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The columns of a mail, besides `leased_until`, which only the store knows. */
export const MAIL_ROW: RowCodec<Mail> = rowCodec({
  row: t.type({
    id: t.string,
    kind: MailKindText,
    /** 1 for a request mail. An index finds those that were never claimed. */
    request: Flag,
    user_id: nullable(t.string),
    address: t.string,
    language: nullable(t.string),
    application_id: nullable(t.string),
    return_to: nullable(t.string),
    facts: FactsText,
    created_at: Integer,
    due_at: Integer,
    expires_at: Integer,
    state: State,
    attempts: Integer,
    claims: Integer,
    claim: nullable(t.string),
    code: nullable(t.string),
  }),
  toEntity: (row): Mail => ({
    id: row.id,
    kind: row.kind,
    userId: row.user_id,
    address: row.address,
    language: row.language,
    applicationId: row.application_id,
    returnTo: row.return_to,
    facts: row.facts,
    createdAtSeconds: row.created_at,
    dueAtSeconds: row.due_at,
    expiresAtSeconds: row.expires_at,
    state: row.state,
    attempts: row.attempts,
    claims: row.claims,
    claim: row.claim,
    code: row.code,
  }),
  toColumns: ({ id, kind, address, language, facts, state, attempts, claims, claim, code, ...mail }) => ({
    id,
    kind,
    request: MAIL_KINDS[kind].purpose === 'request',
    user_id: mail.userId,
    address,
    language,
    application_id: mail.applicationId,
    return_to: mail.returnTo,
    facts,
    created_at: mail.createdAtSeconds,
    due_at: mail.dueAtSeconds,
    expires_at: mail.expiresAtSeconds,
    state,
    attempts,
    claims,
    claim,
    code,
  }),
  isConsistent: ({ kind, request }) => request === (MAIL_KINDS[kind].purpose === 'request'),
})

/** The mails in rows, in the order in which they are due. A statement that returns what it has written does not sort it. */
export const dueMails = (rows: ReadonlyArray<unknown>): Either<StoreUnavailable, ReadonlyArray<Mail>> =>
  pipe(
    manyMails(rows),
    map((mails) =>
      [...mails].sort(
        (one, other) => one.dueAtSeconds - other.dueAtSeconds || (one.id < other.id ? -1 : 1), // ids are ASCII
      ),
    ),
  )

/** The mails in rows. */
export const manyMails = (rows: ReadonlyArray<unknown>): Either<StoreUnavailable, ReadonlyArray<Mail>> =>
  pipe(rows, traverseArray(MAIL_ROW.decode), orUnreadable('mails'))
