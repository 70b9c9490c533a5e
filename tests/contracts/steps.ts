import * as fc from 'fast-check'
import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import {
  type Change,
  type ComparedRow,
  EXPIRING_TABLES,
  type NewEntry,
  type Row,
  type Store,
  TABLES,
  type Table,
} from '../../application/ports/store.ts'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import { emailKey } from '../../domain/user.ts'
import { change } from '../testkit/builders.ts'
import { everyEvent } from '../testkit/store/every-event.ts'
import { type DrawnRow, digestOf, email, id, row, text, version } from './drawn-rows.ts'

/**
 * Calls of a store, drawn from so few ids, addresses and versions that the same ones recur.
 */
export type Step = Readonly<{ commits: ReadonlyArray<DrawnChange> }> | Read

/** A response without the texts that each store words differently. */
export type Answer = Readonly<{ kind: string; value?: unknown }>

/**
 * The step to take now. Only its store can tell how many versions a row is ahead of the stored one.
 */
export const taken = async (
  step: Step,
  model: Store,
): Promise<(store: Store) => Promise<ReadonlyArray<Answer>>> => {
  if (!('commits' in step)) return async (store) => [answerOf(await step.ask(store))]
  const changes: Array<Change> = []
  for (const drawn of step.commits) changes.push(await toChange(drawn, model))
  return async (store) =>
    (await Promise.all(changes.map((each) => store.commit(each)()))).map((outcome) => answerOf(outcome))
}

const answerOf = (outcome: Either<{ _tag: string }, unknown>): Answer => {
  if (isLeft(outcome)) return { kind: outcome.left._tag }
  const { right: value } = outcome
  if (value === undefined) return { kind: 'success' }
  const isEmpty = Array.isArray(value) ? value.length === 0 : (value as Option<unknown>)._tag === 'None'
  return { kind: isEmpty ? 'nothing' : 'found', value }
}

type DrawnComparison = Readonly<{ table: Table; id: string; ahead: number }>
type DrawnChange = Readonly<{
  entries: ReadonlyArray<NewEntry>
  compared: ReadonlyArray<DrawnComparison>
  rows: ReadonlyArray<DrawnRow>
}>

const toChange = async ({ entries, compared, rows }: DrawnChange, model: Store): Promise<Change> => {
  const [first, ...others] = entries
  if (first === undefined) throw new Error('a change without events was drawn')
  const storedVersion = async (table: Table, id: string): Promise<number> => {
    const stored = await model.listRows({ table, after: '', limit: 1_000 })()
    return (isLeft(stored) ? undefined : stored.right.find((row) => row.id === id))?.version ?? 0
  }
  const written: Array<Row> = []
  for (const { table, row, ahead } of rows) {
    const before = written.findLast((one) => one.table === table && one.row.id === row.id)?.row.version
    const version = Math.max(1, (before ?? (await storedVersion(table, row.id))) + ahead)
    written.push({ table, row: { ...row, version } } as Row)
  }
  const read: Array<ComparedRow> = []
  for (const { table, id, ahead } of compared)
    read.push({ table, id, version: Math.max(1, (await storedVersion(table, id)) + ahead) })
  return { id: first.id, events: [first, ...others], compared: read, rows: written }
}

type Read = Readonly<{ ask: (store: Store) => Promise<Either<{ _tag: string }, unknown>> }>

/** Most events are new. Some have the id of an event that may be in the log. */
const eventId = fc.oneof(
  { weight: 4, arbitrary: fc.uuid({ version: 7 }) },
  { weight: 1, arbitrary: fc.constantFrom('event-1', 'event-2', 'event-3') },
)
const entry: fc.Arbitrary<NewEntry> = fc
  .record({ eventId, of: fc.constantFrom(...everyEvent()), request: fc.option(text, { nil: undefined }) })
  .map(({ eventId, of, request }) => ({
    ...change(of.fact).events[0],
    id: eventId,
    ...(request === undefined ? {} : { request_id: request }),
  }))

const table = fc.constantFrom<Table>(...TABLES)

/** Many of these rows do not exist. Most changes compare none. */
const compared = fc.oneof(
  { weight: 2, arbitrary: fc.constant<ReadonlyArray<DrawnComparison>>([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.record({ table, id, ahead: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, -1) }), {
      minLength: 1,
      maxLength: 2,
    }),
  },
)

const commit: fc.Arbitrary<DrawnChange> = fc.record({
  entries: fc.array(entry, { minLength: 1, maxLength: 3 }),
  compared,
  rows: fc.array(row, { maxLength: 3 }),
})

const limit = fc.constantFrom(-1, 0, 1, 2, 3, Number.MAX_SAFE_INTEGER)

/** A read, with a name for counterexamples. */
const read = (name: string, ask: (store: Store) => ReturnType<Read['ask']>): Read =>
  Object.assign({ ask }, { [fc.toStringMethod]: () => name })

/** Arguments of a lookup that match no row. */
const unstorable = fc.constantFrom('\0', 'a\0', 'ada@example.com\0', '\ud800', 'ada\udc00@example.com')

const lookedUp = (stored: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 9, arbitrary: stored }, { weight: 1, arbitrary: unstorable })

const anyRead: fc.Arbitrary<Read> = fc.oneof(
  lookedUp(id).map((of) => read(`findApplication ${of}`, (store) => store.findApplication(of)())),
  lookedUp(email).map((of) => read(`findUserByEmail ${of}`, (store) => store.findUserByEmail(of)())),
  lookedUp(id).map((of) => read(`findUser ${of}`, (store) => store.findUser(of)())),
  fc
    .record({ emailKeys: fc.array(lookedUp(email.map(emailKey))), ids: fc.array(lookedUp(id)) })
    .map((keys) => read(`findKnownUsers ${JSON.stringify(keys)}`, (store) => store.findKnownUsers(keys)())),
  lookedUp(id.map(digestOf)).map((of) =>
    read(`findOneTimeToken ${of}`, (store) => store.findOneTimeToken(of)()),
  ),
  lookedUp(id).map((of) => read(`findSession ${of}`, (store) => store.findSession(of)())),
  lookedUp(id).map((of) => read(`listFactors ${of}`, (store) => store.listFactors(of)())),
  lookedUp(id).map((of) => read(`findFactor ${of}`, (store) => store.findFactor(of)())),
  fc
    .tuple(lookedUp(id), lookedUp(id))
    .map(([of, token]) =>
      read(`findTokenHolder ${of} ${token}`, (store) => store.findTokenHolder(of, token)()),
    ),
  fc
    .record({
      userId: lookedUp(id),
      passwordVersion: version,
      sessionsVersion: version,
      expiresAfterSeconds: fc.constantFrom(-2, -1, 0, 4_102_444_799, 4_102_444_800),
      skip: fc.constantFrom(0, 1, 2),
      limit,
    })
    .map((query) => read(`listSessions ${JSON.stringify(query)}`, (store) => store.listSessions(query)())),
  fc
    .record({
      status: fc.constantFrom(undefined, 'enabled' as const, 'disabled' as const),
      after: fc.oneof(fc.constantFrom('', 'aa', '~'), id),
      limit,
    })
    .map(({ status, ...query }) => ({ ...query, ...(status === undefined ? {} : { status }) }))
    .map((query) => read(`listUsers ${JSON.stringify(query)}`, (store) => store.listUsers(query)())),
  fc
    .tuple(
      fc.constantFrom('emailPrefix', 'namePrefix', 'role'),
      fc.constantFrom('a', 'k', '\u{1f98a}', 'admin', 'a\0'),
      fc.oneof(fc.constantFrom('', 'aa', '~'), id),
      limit,
    )
    .map(([condition, text, after, atMost]) => ({ [condition]: text, after, limit: atMost }))
    .map((query) => read(`listUsers ${JSON.stringify(query)}`, (store) => store.listUsers(query)())),
  fc
    .record({
      table: fc.constantFrom(...EXPIRING_TABLES),
      beforeSeconds: fc.constantFrom(-1, 0, 1, 4_102_444_800, 4_102_444_801),
      limit,
    })
    .map((query) => read(`deleteExpired ${JSON.stringify(query)}`, (store) => store.deleteExpired(query)())),
  fc.constant(read('eraseEndedLabels', (store) => store.eraseEndedLabels(1_000)())),
  fc
    .record({ after: fc.oneof(fc.constantFrom('', 'aa', '~'), text), limit })
    .map((query) =>
      read(`listPasswordSchemes ${JSON.stringify(query)}`, (store) => store.listPasswordSchemes(query)()),
    ),
  fc.constant(read('listSigningKeys', (store) => store.listSigningKeys()())),
  fc
    .record({
      table,
      after: fc.oneof(fc.constantFrom('', 'aa', '~'), id),
      limit,
    })
    .map((query) => read(`listRows ${JSON.stringify(query)}`, (store) => store.listRows(query)())),
  fc
    .record({
      after: fc.constantFrom(-1, 0, 1, 5, 1_000_000),
      limit,
      through: fc.option(fc.constantFrom(-1, 0, 2, 7, 1_000_000), { nil: undefined }),
      type: fc.option(fc.constantFrom(...EVENT_TYPES), { nil: undefined }),
    })
    .map(({ after, limit, through, type }) => ({
      after,
      limit,
      ...(through === undefined ? {} : { through }),
      ...(type === undefined ? {} : { type }),
    }))
    .map((query) => read(`readEvents ${JSON.stringify(query)}`, (store) => store.readEvents(query)())),
)

/** Commits are called alone or concurrently. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ commits: fc.array(commit, { minLength: 1, maxLength: 4 }) }),
  anyRead,
)
