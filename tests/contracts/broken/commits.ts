import * as O from 'fp-ts/lib/Option.js'
import { memoryStore } from '../../../adapters/stores/memory/store.ts'
import type { Change, Row, Store } from '../../../application/ports/store.ts'
import type { Mutation } from './harness.ts'
import { eager, type Mutate, turn } from './mutations.ts'
import {
  afterCommit,
  atTwoMoments,
  caught,
  committing,
  ignoring,
  refusing,
  rowsIn,
  underNewIds,
  underVersion,
  watched,
  withoutEvents,
} from './stores.ts'

const LAST_ROW = 'a change whose last row conflicts writes neither events nor other rows'
const FIRST_ROW = 'a change whose first row conflicts writes neither events nor other rows'
const TAKEN = 'a change that takes a taken e-mail writes neither events nor other rows'
const AGAIN = 'a change committed again is a success that writes nothing'
const TWICE = 'one row twice in a change is judged by what it has left itself, and the last is kept'

/** Refuses a change and writes a part of it. */
const keeps =
  (part: (change: Change) => Change): Mutate<Store> =>
  (store) =>
    afterCommit(store, async (change, isWritten) => {
      if (!isWritten) await store.commit(part(change))()
    })

/** Events that a change may not contain after its first one. */
const FOREIGN_EVENTS: Readonly<
  Record<
    string,
    (id: string, seen: Readonly<Record<'firsts' | 'laters', Set<string>>>, change: Change) => boolean
  >
> = {
  'the first event of a change that is in the log': (id, { firsts }) => firsts.has(id),
  'a later event of a change that is in the log': (id, { laters }) => laters.has(id),
  'an event twice': (id, _, change) => id === change.id,
}

/** Stores that write what they must refuse, or refuse what they must write. */
export const COMMIT_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught(
    [
      LAST_ROW,
      FIRST_ROW,
      TAKEN,
      'a change that creates one record twice is a conflict with itself',
      'a change that gives one e-mail to two new users is refused',
    ],
    { 'keeps the events of a refused change': keeps((change) => ({ ...change, rows: [] })) },
  ),
  ...caught([LAST_ROW, TAKEN, 'a password change from a stale session leaves the user as it was'], {
    'keeps the first row of a refused change': keeps((change) => ({
      ...change,
      rows: change.rows.slice(0, 1),
    })),
  }),
  ...caught('a change that is asked for but not run is not written', {
    'writes before the task is run': eager('commit'),
  }),
  ...caught(
    [
      AGAIN,
      'a change without rows committed again is a success that writes nothing',
      'a change committed again after later changes undoes nothing',
    ],
    {
      'writes a known change again': (store) => {
        const { commit, force } = watched(store)
        const known = new Set<string>()
        return {
          commit: (change) => {
            const isKnown = known.has(change.id)
            known.add(change.id)
            return isKnown ? force(underNewIds(change)) : commit(change)
          },
        }
      },
    },
  ),
  ...Object.entries(FOREIGN_EVENTS).flatMap(([which, isForeign]) =>
    caught(`a change that holds ${which} is refused and writes nothing`, {
      [`leaves out ${which} and writes the rest`]: (store) => {
        const seen = { firsts: new Set<string>(), laters: new Set<string>() }
        const noted = afterCommit(store, ({ events: [first, ...others] }, isWritten) => {
          if (!isWritten) return
          seen.firsts.add(first.id)
          for (const { id } of others) seen.laters.add(id)
        })
        return {
          commit: (change) => noted.commit(withoutEvents(change, (id) => isForeign(id, seen, change))),
        }
      },
      [`refuses a change with ${which} and writes it under other ids`]: keeps(underNewIds),
    }),
  ),
  ...caught('one change committed 20 times at once succeeds every time and is written once', {
    'looks a turn before it writes whether it knows a change': (store) => {
      const { force } = watched(store)
      const known = new Set<string>()
      return ignoring(
        {
          commit: (change) => async () => {
            await turn()
            const outcome = await force(known.has(change.id) ? underNewIds(change) : change)()
            known.add(change.id)
            return outcome
          },
        },
        ({ id }) => known.has(id),
      )
    },
  }),
  ...caught('a refused change is judged anew when it is committed again', {
    'takes a refused change for written': (store) => {
      const known = new Set<string>()
      return ignoring(
        afterCommit(store, ({ id }) => known.add(id)),
        ({ id }) => known.has(id),
      )
    },
  }),
]

const rowsOf = (change: Change, rows: ReadonlyArray<Row>): Change => ({ ...change, rows })

/** Each row once: the last content under the version of the first. */
const lastOfEach = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const places = new Map<string, Row>()
  for (const written of rows) {
    const place = `${written.table}/${written.row.id}`
    const before = places.get(place)?.row.version ?? Number.MAX_SAFE_INTEGER
    places.set(place, underVersion(Math.min(before, written.row.version), written))
  }
  return [...places.values()]
}

const takesTakenEmail = async (store: Store, change: Change): Promise<boolean> => {
  for (const { id, email } of rowsIn(change, 'users')) {
    const holder = await store.findUserByEmail(email)()
    if (holder._tag === 'Right' && O.isSome(holder.right) && holder.right.value.id !== id) return true
  }
  return false
}

/** Stores that check the rows of one change in another order, or against the state before the change. */
export const ROW_ORDER_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught(TWICE, {
    'writes only the last of a row that comes twice': committing((change) =>
      rowsOf(change, lastOfEach(change.rows)),
    ),
  }),
  ...caught('an e-mail that a row gives up is not free for the rows before it', {
    'judges the last row first': committing((change) => rowsOf(change, [...change.rows].reverse())),
  }),
  ...caught('of two rows that do not fit the first decides, where that is one with a taken e-mail', {
    'looks at all versions before it looks at e-mails': (store) => {
      const versions = watched(store)
      const isAhead = (row: Row) => row.row.version > versions.storedVersion(row) + 1
      return refusing(versions, ({ rows }) => rows.some(isAhead) && 'Conflict')
    },
  }),
  ...caught(
    [
      'an e-mail that a row gives up is free for the rows behind it',
      'of two rows that do not fit the first decides, where that is one that conflicts',
      'a row that fits neither by its version nor by its e-mail is a conflict',
    ],
    {
      'judges each e-mail by its holder before the change, before it looks at versions': (store) =>
        refusing(store, async (change) => (await takesTakenEmail(store, change)) && 'EmailTaken'),
    },
  ),
]

/** A part of a change that is written at once. It may lack events or rows. */
type Step = Readonly<{ events: ReadonlyArray<Change['events'][number]>; rows: Change['rows'] }>

const onlyLog = ({ events }: Change): Step => ({ events, rows: [] })
const onlyRows = (rows: Change['rows']): Step => ({ events: [], rows })

export const inBatches = (change: Change): Array<Step> => [onlyLog(change), onlyRows(change.rows)]

export const oneByOne = ({ events, rows }: Change): Array<Step> => [
  ...events.map((event) => ({ events: [event], rows: [] })),
  ...rows.map((row) => onlyRows([row])),
]

/** Checks a change at once, and writes it step by step with a turn of the event loop in between. */
export const inSteps =
  (stepsOf: (change: Change) => ReadonlyArray<Step>): Mutate<Store> =>
  (judge) => {
    const [log, tables] = [memoryStore(), memoryStore()]
    const show = async ({ events, rows }: Step, { events: [any] }: Change): Promise<void> => {
      const [first, ...others] = events
      if (first !== undefined)
        await log.commit({ id: first.id, events: [first, ...others], compared: [], rows: [] })()
      // Rows need an event, which no test reads.
      if (rows.length > 0)
        await tables.commit(underNewIds({ id: any.id, events: [any], compared: [], rows }))()
    }
    const { commit: _, close: __, ...reads } = tables
    return {
      ...reads,
      readEvents: log.readEvents,
      ...afterCommit(judge, async (change, isWritten) => {
        for (const [index, step] of isWritten ? stepsOf(change).entries() : []) {
          if (index > 0) await turn()
          await show(step, change)
        }
      }),
    }
  }

/** Stores that reveal a part of a change while they write it. */
export const ATOMICITY_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('each read shows all of a change or nothing of it while it is written', {
    'writes a change one key at a time': inSteps(oneByOne),
  }),
  ...caught('a session and its user are of one moment during any write', {
    'reads a session and its user at two moments': atTwoMoments('user'),
  }),
]
