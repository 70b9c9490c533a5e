import * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryStore } from '../../../adapters/stores/memory/store.ts'
import { type Change, type Store, TABLES } from '../../../application/ports/store.ts'
import { OBJECT_READS } from '../../testkit/store/reads.ts'
import { caughtBy } from './harness.ts'
import { always, type MutateHandles, NO_ANSWERS, through, UNAVAILABLE } from './mutations.ts'
import {
  afterCommit,
  answer,
  answersEarly,
  DONE,
  hear,
  underNewIds,
  watched,
  withoutEvents,
} from './stores.ts'

type Handles = MutateHandles<Store>
const caught = caughtBy<Handles>

const THERE_AGAIN = 'every record is there again, as it was last written'

/** What a store has written before it is reopened: the ids of its events, and a store with the versions. */
type Past = Readonly<{ core: Store; written: Set<string>; versions: ReturnType<typeof watched> }>

/** A store that is correct until it is reopened. */
const reopened =
  (wrong: (past: Past) => Partial<Store>): Handles =>
  (core) => {
    const [versions, written] = [watched(core), new Set<string>()]
    const noted = afterCommit(versions, ({ events }, isWritten) => {
      for (const { id } of isWritten ? events : []) written.add(id)
    })
    return (_, life) => (life === 1 ? noted : wrong({ core, versions, written: new Set(written) }))
  }

/** Stores that differ after they are reopened. */
export const LASTING_MUTATIONS = [
  ...OBJECT_READS.flatMap(([method]) =>
    caught(`${method} says the same when the store is opened again`, {
      [`forgets what ${method} returns`]: reopened(() => ({ [method]: memoryStore()[method] })),
    }),
  ),
  ...caught(THERE_AGAIN, {
    'forgets everything': reopened(() => memoryStore()),
    ...Object.fromEntries(
      TABLES.map((table) => [
        `forgets its ${table}`,
        reopened(({ core }) =>
          answer('listRows', (rows, query) => (query.table === table ? [] : rows))(core),
        ),
      ]),
    ),
  }),
  ...caught('the log is there again, entry by entry', {
    'forgets its log': reopened(({ core }) => answer('readEvents', () => [])(core)),
  }),
  ...caught('the epoch is there again', {
    'has another epoch': reopened(() => ({ readEpoch: memoryStore().readEpoch })),
  }),
  ...caught('positions go on where they stopped', {
    'skips a position': reopened(({ core, written: { size } }) =>
      answer('readEvents', (log) =>
        log.map((entry) => ({ ...entry, position: entry.position + Number(entry.position > size) })),
      )(core),
    ),
  }),
  ...caught('a change of before is known, and committing it again writes nothing', {
    'writes a known change again': reopened(({ core, written }) =>
      hear('commit', (change) => [written.has(change.id) ? { ...underNewIds(change), rows: [] } : change])(
        core,
      ),
    ),
  }),
  ...caught('an event of before is known, and refused in another change', {
    'leaves out events that are in the log': reopened(({ core, written }) =>
      hear('commit', (change) => [withoutEvents(change, (id) => written.has(id))])(core),
    ),
  }),
  ...caught('versions are those of before', {
    'ignores versions': reopened(({ versions }) => ({ commit: (change) => versions.force(change) })),
  }),
  ...caught('an e-mail of before is taken', {
    'says that a taken e-mail is written': reopened(({ core }) => ({
      commit: (change) => async () => {
        const outcome = await core.commit(change)()
        return outcome._tag === 'Left' && outcome.left._tag === 'EmailTaken' ? DONE : outcome
      },
    })),
  }),
  ...caught('a refused change has left nothing', {
    'writes a refused change when it is opened again': (core) => {
      const refused: Array<Change> = []
      return (_, life) => {
        if (life > 1) for (const change of refused) void core.commit(change)()
        return afterCommit(core, (change, isWritten) => {
          if (!isWritten) refused.push({ ...change, rows: change.rows.slice(0, 1) })
        })
      }
    },
  }),
  ...caught('commits that were not awaited before it was closed are there', {
    'answers a commit before it writes': () => (handle, life) => (life === 1 ? answersEarly(handle) : {}),
  }),
  ...caught('the store can be closed and reopened repeatedly', {
    'is empty when it is opened for the second time': () => (_, life) => (life > 2 ? memoryStore() : {}),
  }),
]

/** How a store responds while it fails, and its defect after the repair. */
export type MutateFailing = (
  core: Store,
) => Readonly<{ failing: Partial<Store>; mended?: () => Partial<Store> }>

/** A store that fails while it is told to. */
export const failingMemory = (mutate: MutateFailing = () => ({ failing: {} })) => {
  const core = memoryStore()
  const { failing, mended } = mutate(core)
  let current = core
  return {
    store: { ...through(core, () => current), close: core.close },
    fail: async () => {
      current = { ...always(core, () => TE.left(UNAVAILABLE)), ...failing }
    },
    mend: async () => ({ ...core, ...mended?.() }),
  }
}

const TRULY = 'a failing store reports correctly what it has not written'

/** Stores that hide their failures. */
export const FAILING_MUTATIONS = [
  ...Object.entries(NO_ANSWERS).flatMap(([how, say]) =>
    caughtBy<MutateFailing>(/neither throws nor rejects while the store fails$|^a store that has failed/, {
      [`${how} while it fails`]: (core) => ({ failing: always(core, say) }),
    }),
  ),
  ...caughtBy<MutateFailing>(['commit neither throws nor rejects while the store fails', TRULY], {
    'says that a change is written while it fails': () => ({
      failing: { commit: () => TE.right(undefined) },
    }),
  }),
]

/** How a store commits while responses are lost. */
export type MutateLosing = (core: Store) => Store['commit']

const UNKNOWN = TE.left({ ...UNAVAILABLE, outcome: 'unknown' } as const)

/** Commits a part of a change and gives one response. */
const then =
  (
    outcome: ReturnType<Store['commit']>,
    part: (change: Change) => Change = (change) => change,
  ): MutateLosing =>
  (core) =>
  (change) =>
  async () => {
    await core.commit(part(change))()
    return outcome()
  }

/** A store that writes a change without knowing it. */
export const losingMemory = (mutate: MutateLosing = then(UNKNOWN)) => {
  const core = memoryStore()
  const losing = mutate(core)
  let commit = core.commit
  return {
    store: { ...core, commit: (change: Change) => commit(change) },
    loseAnswer: async () => {
      commit = losing
    },
    mend: async () => core,
  }
}

const IS_UNKNOWN = 'a commit whose answer is lost is unknown, or found to be done'
const ONCE = 'a change whose answer was lost is written once when it is committed again'
const AT_ONCE = 'of concurrent commits with lost answers each is reported correctly'

/** Stores that give a definite response although they do not know the outcome. */
export const LOSING_MUTATIONS = [
  ...caughtBy<MutateLosing>([IS_UNKNOWN, ONCE, AT_ONCE], {
    'rejects when an answer is lost': () => () => () => Promise.reject(new Error('lost')),
  }),
]
