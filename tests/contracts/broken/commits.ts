import type { Change, Row, Store } from '../../../application/ports/store.ts'
import { type Broken, broken, turn, underNewIds, watched } from './broken.ts'

type Seen = Readonly<{ firsts: ReadonlySet<string>; laters: ReadonlySet<string> }>

/** Which events a change has no right to, beside its first one. */
const FOREIGN_EVENTS: Readonly<Record<string, (id: string, seen: Seen, change: Change) => boolean>> = {
  'the first event of a change that is in the log': (id, { firsts }) => firsts.has(id),
  'a later event of a change that is in the log': (id, { laters }) => laters.has(id),
  'an event twice': (id, _, change) => id === change.id,
}

/** Stores that write what they must not, or refuse what they must take. */
export const BROKEN_COMMITS: ReadonlyArray<Broken> = [
  broken(
    'keeps the events of a refused change',
    [
      'a change whose last row conflicts writes neither events nor other rows',
      'a change whose first row conflicts writes neither events nor other rows',
      'a change that takes a taken e-mail writes neither events nor other rows',
      'a change that creates one record twice is a conflict with itself',
      'a change that gives one e-mail to two new users is refused',
    ],
    (store) => ({ commit: afterRefusal(store, (change) => ({ ...change, rows: [] })) }),
  ),
  broken(
    'keeps the first row of a refused change',
    [
      'a change whose last row conflicts writes neither events nor other rows',
      'a change that takes a taken e-mail writes neither events nor other rows',
      'a password change from a stale session leaves the user as it was',
    ],
    (store) => ({ commit: afterRefusal(store, (change) => ({ ...change, rows: change.rows.slice(0, 1) })) }),
  ),
  broken(
    'keeps the last row of a refused change',
    'a change whose first row conflicts writes neither events nor other rows',
    (store) => ({ commit: afterRefusal(store, (change) => ({ ...change, rows: change.rows.slice(-1) })) }),
  ),
  broken(
    'writes before the task is run',
    'a change that is asked for but not run is not written',
    (store) => ({
      commit: (change) => {
        const running = store.commit(change)()
        return () => running
      },
    }),
  ),
  ...(['applications', 'users', 'sessions', 'keys', 'revoked_tokens'] satisfies Array<Row['table']>).map(
    (table) =>
      broken(
        `creates ${table} over those there are`,
        `what exists is not created again: ${table}`,
        (store) => {
          const { force } = watched(store)
          return { commit: (change) => force(change, (row) => row.table === table && row.row.version === 1) }
        },
      ),
  ),
  broken('updates what does not exist', 'what does not exist is not updated', (store) => {
    const { force, storedVersion } = watched(store)
    return { commit: (change) => force(change, (row) => storedVersion(row) === 0) }
  }),
  broken(
    'does not look at versions',
    [
      'what was read before the last write is not written',
      'a version that was never reached is not written over',
    ],
    (store) => {
      const { force } = watched(store)
      return { commit: (change) => force(change, everyRow) }
    },
  ),
  broken(
    'takes any version from the next one on',
    'a version that was never reached is not written over',
    (store) => {
      const { force, storedVersion } = watched(store)
      return { commit: (change) => force(change, (row) => row.row.version > storedVersion(row)) }
    },
  ),
  broken(
    'looks at versions long before it writes',
    [
      'of 50 updates at once, all read at one version, exactly one wins',
      'of 50 creations of one id at once exactly one wins',
    ],
    (store) => {
      const { force, storedVersion } = watched(store)
      return {
        commit: (change) => async () => {
          if (change.rows.some((row) => row.row.version !== storedVersion(row) + 1))
            return { _tag: 'Left', left: { _tag: 'Conflict' } }
          await turn()
          return force(change, everyRow)()
        },
      }
    },
  ),
  broken('never forgives a conflict', 'a conflict is over as soon as the facts are fresh', (store) => {
    const unforgiven = new Set<string>()
    return {
      commit: (change) => async () => {
        if (change.rows.some(({ row }) => unforgiven.has(row.id)))
          return { _tag: 'Left', left: { _tag: 'Conflict' } }
        const outcome = await store.commit(change)()
        if (outcome._tag === 'Left') for (const { row } of change.rows) unforgiven.add(row.id)
        return outcome
      },
    }
  }),
  broken(
    'writes a change it knows once more',
    [
      'a change committed again is a success that writes nothing',
      'a change without rows committed again is a success that writes nothing',
      'a change committed again when others moved on takes nothing back',
    ],
    (store) => {
      const { force } = watched(store)
      const known = new Set<string>()
      return {
        commit: (change) => {
          const again = known.has(change.id)
          known.add(change.id)
          return again ? force(underNewIds(change), everyRow) : force(change, () => false)
        },
      }
    },
  ),
  broken(
    'refuses a change it knows',
    'a change committed again is a success that writes nothing',
    (store) => {
      const known = new Set<string>()
      return {
        commit: (change) => async () => {
          if (known.has(change.id)) return { _tag: 'Left', left: { _tag: 'Conflict' } }
          const outcome = await store.commit(change)()
          if (outcome._tag === 'Right') known.add(change.id)
          return outcome
        },
      }
    },
  ),
  ...Object.entries(FOREIGN_EVENTS).map(([which, isForeign]) =>
    broken(`takes ${which}`, `a change that holds ${which} is refused and writes nothing`, (store) =>
      leavingOut(store, isForeign),
    ),
  ),
  ...Object.keys(FOREIGN_EVENTS).map((which) =>
    broken(
      `writes a change under other ids that holds ${which}`,
      `a change that holds ${which} is refused and writes nothing`,
      (store) => ({ commit: afterRefusal(store, underNewIds) }),
    ),
  ),
  broken(
    'looks long before it writes whether it knows a change',
    'one change committed 20 times at once succeeds every time and is written once',
    (store) => {
      const { force } = watched(store)
      const known = new Set<string>()
      return {
        commit: (change) => async () => {
          if (known.has(change.id)) return { _tag: 'Right', right: undefined }
          await turn()
          const outcome = await force(known.has(change.id) ? underNewIds(change) : change, everyRow)()
          known.add(change.id)
          return outcome
        },
      }
    },
  ),
  broken(
    'remembers a refused change as done',
    'a refused change is judged anew when it is committed again',
    (store) => {
      const known = new Set<string>()
      return {
        commit: (change) => async () => {
          if (known.has(change.id)) return { _tag: 'Right', right: undefined }
          known.add(change.id)
          return store.commit(change)()
        },
      }
    },
  ),
]

const everyRow = () => true

/** A store that leaves such events out and writes the rest. */
const leavingOut = (
  store: Store,
  isForeign: (id: string, seen: Seen, change: Change) => boolean,
): Pick<Store, 'commit'> => {
  const seen = { firsts: new Set<string>(), laters: new Set<string>() }
  return {
    commit: (change) => async () => {
      const [first, ...others] = change.events
      const kept = others.filter(({ id }) => !isForeign(id, seen, change))
      const outcome = await store.commit({ ...change, events: [first, ...kept] })()
      if (outcome._tag === 'Right') {
        seen.firsts.add(first.id)
        for (const { id } of kept) seen.laters.add(id)
      }
      return outcome
    },
  }
}

/** Refuses as it should, and writes a part of the change all the same. */
const afterRefusal =
  (store: Store, part: (change: Change) => Change): Store['commit'] =>
  (change) =>
  async () => {
    const outcome = await store.commit(change)()
    if (outcome._tag === 'Left') await store.commit(part(change))()
    return outcome
  }
