import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import {
  ENTRIES_KEPT_AT_MOST,
  type NewProtocolEntry,
  PROTOCOL_KINDS,
  type ProtocolEntry,
  type ProtocolKind,
  type ProtocolReplacement,
  type ProtocolState,
} from '../../../application/ports/protocol-state.ts'
import { ok } from '../outcome.ts'

/** The second of every case. */
export const NOW = 1_800_000_000

/** So many entries of a kind with a limit are kept in every case: few enough to reach. */
export const KEPT_IN_CASES = 500

export const LIMITED = PROTOCOL_KINDS.filter((kind) => Number.isFinite(ENTRIES_KEPT_AT_MOST[kind]))
export const UNLIMITED = PROTOCOL_KINDS.filter((kind) => !LIMITED.includes(kind))

/** A table like `ENTRIES_KEPT_AT_MOST`, with another limit. */
export const keepingAtMost = (limit: number): typeof ENTRIES_KEPT_AT_MOST => ({
  ...ENTRIES_KEPT_AT_MOST,
  ...Object.fromEntries(LIMITED.map((kind) => [kind, limit])),
})

/** An id of 64 hexadecimal digits, like a digest. */
export const idOf = (index: number): string => index.toString(16).padStart(64, '0')

const ID = idOf(1)

/** The id of the entry that replaces `anEntry()`. */
export const NEXT = idOf(2)

/** By default a refresh token of a session. */
export const anEntry = (fields: Partial<NewProtocolEntry> = {}): NewProtocolEntry => ({
  kind: 'refresh_token',
  id: ID,
  sessionId: fields.kind === 'pushed_request' ? none : some('session'),
  content: 'sealed',
  expiresAtSeconds: NOW + 60,
  ...fields,
})

/** The entry as it is found. */
export const found = (
  entry: NewProtocolEntry,
  consumedAtSeconds: Option<number> = none,
): Option<ProtocolEntry> => some({ ...entry, consumedAtSeconds })

export const put = async (
  state: ProtocolState,
  ...entries: ReadonlyArray<NewProtocolEntry>
): Promise<void> => {
  for (const entry of entries) await ok(state.put(entry))
}

export const find = (
  state: ProtocolState,
  { kind, id }: Pick<ProtocolEntry, 'kind' | 'id'>,
): Promise<Option<ProtocolEntry>> => ok(state.find(kind, id))

export const consume = (
  state: ProtocolState,
  { kind, id }: Pick<ProtocolEntry, 'kind' | 'id'>,
  atSeconds = NOW,
): Promise<boolean> => ok(state.consume(kind, id, atSeconds))

/** Replaces the entry by one with the id `NEXT`, and does not shorten it, unless the fields say otherwise. */
export const replace = (
  state: ProtocolState,
  { kind, id }: Pick<ProtocolEntry, 'kind' | 'id'>,
  fields: Partial<ProtocolReplacement> = {},
): Promise<boolean> =>
  ok(
    state.replace(kind, id, {
      atSeconds: NOW,
      keptUntilSeconds: NOW + 86_400,
      unconsumedAtMost: 9,
      next: anEntry({ id: NEXT }),
      ...fields,
    }),
  )

/** Puts so many entries of a kind, in their order, and returns them. */
export const putMany = async (
  state: ProtocolState,
  count: number,
  fieldsOf: (index: number) => Partial<NewProtocolEntry>,
): Promise<ReadonlyArray<NewProtocolEntry>> => {
  const entries = Array.from({ length: count }, (_, index) =>
    anEntry({ id: idOf(index), ...fieldsOf(index) }),
  )
  await inPortions(entries, (entry) => ok(state.put(entry)))
  return entries
}

/** Which of these entries are there. */
export const leftOf = async (
  state: ProtocolState,
  entries: ReadonlyArray<NewProtocolEntry>,
): Promise<ReadonlyArray<NewProtocolEntry>> => {
  const all = await inPortions(entries, (entry) => find(state, entry))
  return entries.filter((_, index) => isSome(all[index] ?? none))
}

/** Many at once, but too few to be refused as an overload. */
const inPortions = async <Item, A>(
  items: ReadonlyArray<Item>,
  ask: (item: Item) => Promise<A>,
): Promise<ReadonlyArray<A>> => {
  const answers: Array<A> = []
  for (let from = 0; from < items.length; from += AT_ONCE)
    answers.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(ask))))
  return answers
}

const AT_ONCE = 50

/** One entry of each kind with the same id. */
export const ofEachKind = (fields: Partial<NewProtocolEntry> = {}): ReadonlyArray<NewProtocolEntry> =>
  PROTOCOL_KINDS.map((kind: ProtocolKind) => anEntry({ kind, content: `of a ${kind}`, ...fields }))
