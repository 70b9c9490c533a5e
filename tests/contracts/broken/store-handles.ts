import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Change, LogEntry, Store } from '../../../application/ports/store.ts'
import { READS } from '../../testkit/store/reads.ts'
import { inBatches, inSteps } from './commits.ts'
import { careless, looksEarlyForEmails } from './emails.ts'
import { factorAtTwoMoments } from './factors.ts'
import { caughtBy } from './harness.ts'
import { late, type MutateHandles, oneAfterTheOther, turn } from './mutations.ts'
import { tokenAtTwoMoments } from './one-time-tokens.ts'
import {
  afterCommit,
  answersEarly,
  atTwoMoments,
  beforeCommit,
  ignoring,
  refusing,
  rowsIn,
  underNewIds,
  watched,
  withoutEvents,
} from './stores.ts'

type Handles = MutateHandles<Store>
const caught = caughtBy<Handles>

const SAME_EMAIL = 'of registrations of one e-mail through several handles at once one wins'
const CLOSED = 'closing one handle drops none of its commits, and leaves the others open'
const WHOLE = 'each read shows all of a change or nothing of it while another handle writes it'

/** Commits one change after the other on a handle. */
const locked = ({ commit }: Pick<Store, 'commit'>): Pick<Store, 'commit'> => {
  const lock = oneAfterTheOther()
  return { commit: (change) => () => lock(commit(change)) }
}

/** Positions from a counter instead of the log. */
const numbering = (core: Store) => {
  const positions = new Map<string, number>()
  let last = 0
  const readEvents: Store['readEvents'] = ({ after, limit }) =>
    TE.map((log: ReadonlyArray<LogEntry>) =>
      log
        .map((entry) => ({ ...entry, position: positions.get(entry.id) ?? 0 }))
        .filter(({ position }) => position > after)
        .sort((one, another) => one.position - another.position)
        .slice(0, limit),
    )(core.readEvents({ after: 0, limit: 10_000 }))
  return {
    readEvents,
    /** The last position before this many new ones. */
    take: (count: number): number => {
      last += count
      return last - count
    },
    give: (id: string, position: number) => void positions.set(id, position),
  }
}

/** Stores whose handles ignore each other. */
export const SHARED_MUTATIONS = [
  ...READS.flatMap(([method]) =>
    caught(`${method} says what another handle has written, however often it was asked`, {
      [`repeats the answer of ${method} until the handle writes`]: () => (handle) => {
        let kept: Promise<unknown> | undefined
        const forget = () => {
          kept = undefined
        }
        const ask = handle[method] as (...asked: ReadonlyArray<unknown>) => () => Promise<unknown>
        return {
          ...beforeCommit(handle, forget),
          renewEpoch: (entryOf) => {
            forget()
            return handle.renewEpoch(entryOf)
          },
          [method]:
            (...asked: ReadonlyArray<unknown>) =>
            () => {
              kept ??= ask(...asked)()
              return kept
            },
        }
      },
    }),
  ),
  ...caught('what is read on another handle once a commit has resolved holds it', {
    'answers a commit before it writes': () => answersEarly,
  }),
  ...caught('what was read before another handle wrote is not written', {
    'judges by the versions that the handle has written': (core) => {
      const { force } = watched(core)
      return () => {
        const known = new Map<string, number>()
        const noted = afterCommit({ commit: (change) => force(change) }, ({ rows }) => {
          for (const { row } of rows) known.set(row.id, row.version)
        })
        return refusing(
          noted,
          ({ rows }) => rows.some(({ row }) => row.version <= (known.get(row.id) ?? 0)) && 'Conflict',
        )
      }
    },
  }),
  ...caught(['an e-mail that was taken through one handle is taken through the others', SAME_EMAIL], {
    'knows only the e-mails that the handle has written': (core) => {
      const reads = careless(core)
      return () => {
        const taken = new Set<string>()
        const newIn = (change: Change) =>
          rowsIn(change, 'users').flatMap(({ version, email }) =>
            version === 1 ? [email.toLowerCase()] : [],
          )
        const noted = beforeCommit({ ...core, ...reads }, (change) => {
          for (const email of newIn(change)) taken.add(email)
        })
        return {
          ...reads,
          ...refusing(noted, (change) => newIn(change).some((email) => taken.has(email)) && 'EmailTaken'),
        }
      }
    },
  }),
  ...caught(
    [
      'a change that is known through one handle is known through the others',
      'one change committed through several handles at once is written once',
    ],
    {
      'knows only the changes that the handle has written': (core) => {
        const { force } = watched(core)
        const written = new Set<string>()
        return () => {
          const known = new Set<string>()
          const commit: Store['commit'] = (change) => {
            known.add(change.id)
            const isAgain = written.has(change.id)
            written.add(change.id)
            return force(isAgain ? underNewIds(change) : change)
          }
          return {
            commit: (change) => () => ignoring({ commit }, ({ id }) => known.has(id)).commit(change)(),
          }
        }
      },
    },
  ),
  ...caught('an event that another handle has logged is refused in another change', {
    'leaves out the events that are in the log': (core) => {
      const written = new Set<string>()
      return () => ({
        commit: (change) => {
          const kept = withoutEvents(change, (id) => written.has(id))
          for (const { id } of change.events) written.add(id)
          return core.commit(kept)
        },
      })
    },
  }),
  ...caught(CLOSED, {
    'drops what waits when a handle is closed': () => late('commit'),
  }),
  ...caught(WHOLE, {
    'shows other handles the log before the rows': (core) => {
      const written = inSteps(inBatches)(core)
      return () => written
    },
  }),
  ...caught('a row that one handle has deleted is gone for the others, and counts once', {
    'lists the rows that another handle has deleted': () => (handle) => {
      const kept = new Map<string, Promise<unknown>>()
      return {
        listRows: ((query) => () => {
          const answer = kept.get(query.table) ?? handle.listRows(query)()
          kept.set(query.table, answer)
          return answer
        }) as Store['listRows'],
      }
    },
  }),
  ...caught('a one-time token, its user and its application are of one moment while another handle writes', {
    'reads a one-time token and its user at two moments': () => tokenAtTwoMoments('user'),
  }),
  ...caught('a factor and its user are of one moment while another handle writes', {
    'reads a factor and its user at two moments': () => factorAtTwoMoments('user'),
  }),
  ...caught('a session and its user are of one moment, whichever handle is writing', {
    'reads a session and its user at two moments': () => atTwoMoments('user'),
  }),
  ...caught(SAME_EMAIL, {
    'looks for an e-mail under a lock of the handle': (core) => {
      const early = looksEarlyForEmails(careless(core))
      return () => ({ ...early, ...locked(early) })
    },
  }),
  ...caught('commits through several handles at once leave no gap, and none is lost', {
    'reserves positions for each handle': (core) => {
      const { take, give, readEvents } = numbering(core)
      return () => {
        let [last, end] = [0, 0]
        const noted = afterCommit(core, ({ events }, isWritten) => {
          for (const { id } of isWritten ? events : []) {
            if (last === end) [last, end] = [take(50), last + 50]
            last += 1
            give(id, last)
          }
        })
        return { readEvents, ...noted }
      }
    },
  }),
  ...caught('a reader that continues from the last position skips nothing while others write', {
    'counts a position before other handles can see it': (core) => {
      const { take, give, readEvents } = numbering(core)
      let isSlow = false
      return () => ({
        readEvents,
        commit: (change) => async () => {
          const last = take(change.events.length)
          isSlow = !isSlow
          if (isSlow) for (let turns = 0; turns < 3; turns += 1) await turn()
          for (const [index, { id }] of change.events.entries()) give(id, last + 1 + index)
          return core.commit(change)()
        },
      })
    },
  }),
  ...caught('renewals and commits through several handles at once leave no gap', {
    'renews the epoch that the handle has read first': () => (handle) => {
      const first = handle.readEpoch()()
      return {
        renewEpoch: (entryOf) => async () => {
          const known = await first
          const epoch = known._tag === 'Right' ? known.right : ''
          return handle.renewEpoch(({ size }) => entryOf({ epoch, size }))()
        },
      }
    },
  }),
]
