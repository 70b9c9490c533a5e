import * as fc from 'fast-check'
import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import {
  type Change,
  type ComparedRow,
  EXPIRING_TABLES,
  type NewEntry,
  type Row,
  type RowOf,
  type Store,
  TABLES,
  type Table,
} from '../../application/ports/store.ts'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import { SCOPES } from '../../domain/application.ts'
import { FACTOR_KINDS } from '../../domain/factor.ts'
import { ONE_TIME_TOKEN_PURPOSES } from '../../domain/one-time-token.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { emailKey, USER_STATUSES } from '../../domain/user.ts'
import {
  aFactor,
  aKey,
  anApplication,
  aOneTimeToken,
  aRevokedToken,
  aSession,
  aUser,
  change,
} from '../testkit/builders.ts'
import { everyEvent } from '../testkit/store/every-event.ts'

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

type DrawnRow = { [T in Table]: Readonly<{ table: T; row: RowOf<T>; ahead: number }> }[Table]
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

const id = fc.constantFrom('a', 'B', '10', '9', 'é', '\uff5e', '\u{1f98a}')
const email = fc.constantFrom(
  'ada@example.com',
  'ADA@example.com',
  'k@example.com',
  '\u212a@example.com',
  'a_a@b',
)
const text = fc.constantFrom('', 'x', "'", 'é', 'e\u0301', '\u{1f98a}')
/** Arguments of a lookup that match no row. */
const unstorable = fc.constantFrom('\0', 'a\0', 'ada@example.com\0', '\ud800', 'ada\udc00@example.com')
const seconds = fc.constantFrom(0, -1, 4_102_444_800, Number.MAX_SAFE_INTEGER)
const version = fc.constantFrom(1, 2)
const optional = <A>(value: fc.Arbitrary<A>): fc.Arbitrary<Option<A>> =>
  fc.option(value, { nil: undefined }).map((drawn) => (drawn === undefined ? none : some(drawn)))

const application = fc.record({
  id,
  name: text,
  scope: fc.constantFrom([...SCOPES], ...SCOPES.map((one) => [one])),
  keyId: text,
  previousKey: optional(fc.record({ id: text, digest: text, untilSeconds: seconds })),
  revoked: fc.boolean(),
})
const user = fc.record({
  id,
  email,
  passwordRecord: text,
  passwordScheme: text,
  passwordVersion: version,
  status: fc.constantFrom(...USER_STATUSES),
  emailVerified: fc.boolean(),
  emailVersion: version,
  createdAtSeconds: optional(seconds),
})
const session = fc.record({
  id,
  userId: id,
  passwordVersion: version,
  createdAtSeconds: optional(seconds),
  expiresAtSeconds: seconds,
  applicationId: optional(id),
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

const digestOf = (of: string): string => `digest of ${of}`
const oneTimeToken = fc
  .record({
    id,
    purpose: fc.constantFrom(...ONE_TIME_TOKEN_PURPOSES),
    userId: id,
    applicationId: id,
    passwordVersion: version,
    emailVersion: optional(version),
    emailOnRecord: text,
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

const row: fc.Arbitrary<DrawnRow> = fc.oneof(
  fc.record({ table: fc.constant('applications' as const), row: application.map(anApplication), ahead }),
  fc.record({ table: fc.constant('users' as const), row: user.map(aUser), ahead }),
  fc.record({ table: fc.constant('sessions' as const), row: session.map(aSession), ahead }),
  fc.record({ table: fc.constant('keys' as const), row: key.map(aKey), ahead }),
  fc.record({ table: fc.constant('revoked_tokens' as const), row: revoked.map(aRevokedToken), ahead }),
  fc.record({ table: fc.constant('one_time_tokens' as const), row: oneTimeToken, ahead }),
  fc.record({ table: fc.constant('factors' as const), row: factor.map(aFactor), ahead }),
)

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
      expiresAfterSeconds: fc.constantFrom(-2, -1, 0, 4_102_444_799, 4_102_444_800),
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
    .record({
      table: fc.constantFrom(...EXPIRING_TABLES),
      beforeSeconds: fc.constantFrom(-1, 0, 1, 4_102_444_800, 4_102_444_801),
      limit,
    })
    .map((query) => read(`deleteExpired ${JSON.stringify(query)}`, (store) => store.deleteExpired(query)())),
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
