import { memoryStore } from '../../../adapters/driven/memory/store.ts'
import type { Change, Store } from '../../../application/ports/store.ts'
import { newId } from '../builders.ts'
import { type Broken, broken, turn } from './broken.ts'
import { type BrokenShared, brokenShared } from './handles.ts'
import { atTwoMoments } from './records.ts'

const WHOLE = 'each read shows all of a change or nothing of it while it is written'
const WHOLE_ELSEWHERE = 'each read shows all of a change or nothing of it while another handle writes it'

/** Stores that show a part of a change while they write it. */
export const NOT_ATOMIC: ReadonlyArray<Broken> = [
  broken('writes a change one key at a time', WHOLE, (store) => inSteps(store, keyByKey)),
  broken('writes a change one key at a time, the rows first', WHOLE, (store) =>
    inSteps(store, (change) => keyByKey(change).reverse()),
  ),
  broken('writes the log in one batch and the rows in another', WHOLE, (store) => inSteps(store, inBatches)),
  broken('writes the rows in one batch and the log in another', WHOLE, (store) =>
    inSteps(store, (change) => inBatches(change).reverse()),
  ),
  broken('writes one table after the other once the log is whole', WHOLE, (store) =>
    inSteps(store, (change) => [onlyLog(change), ...tableByTable(change)]),
  ),
  broken(
    'reads a session and its user at two moments',
    'a session and its user are of one moment, whatever is being written',
    (store) => ({ findSession: atTwoMoments(store) }),
  ),
]

/** Stores whose handles show a part of what another handle writes. */
export const NOT_ATOMIC_SHARED: ReadonlyArray<BrokenShared> = [
  brokenShared('shows other handles one key of a change at a time', WHOLE_ELSEWHERE, (core) => {
    const written = inSteps(core, keyByKey)
    return () => written
  }),
  brokenShared('shows other handles the log before the rows', WHOLE_ELSEWHERE, (core) => {
    const written = inSteps(core, inBatches)
    return () => written
  }),
  brokenShared(
    'reads a session and its user at two moments',
    'a session and its user are of one moment, whichever handle is writing',
    () => (handle) => ({ findSession: atTwoMoments(handle) }),
  ),
]

/** A part of a change that is written at once: it may have no events, or no rows. */
type Step = Readonly<{ events: ReadonlyArray<Change['events'][number]>; rows: Change['rows'] }>

const onlyLog = ({ events }: Change): Step => ({ events, rows: [] })

const inBatches = (change: Change): Array<Step> => [onlyLog(change), { events: [], rows: change.rows }]

const keyByKey = ({ events, rows }: Change): Array<Step> => [
  ...events.map((event) => ({ events: [event], rows: [] })),
  ...rows.map((row) => ({ events: [], rows: [row] })),
]

const tableByTable = ({ rows }: Change): Array<Step> =>
  [...new Set(rows.map(({ table }) => table))].map((table) => ({
    events: [],
    rows: rows.filter((row) => row.table === table),
  }))

/** Judges a change at once, and shows it step by step, with a turn of the event loop in between. */
const inSteps = (judge: Store, stepsOf: (change: Change) => ReadonlyArray<Step>): Partial<Store> => {
  const [log, tables] = [memoryStore(), memoryStore()]
  const show = async ({ events, rows }: Step, { events: [any] }: Change): Promise<void> => {
    const [first, ...others] = events
    if (first !== undefined) await log.commit({ id: first.id, events: [first, ...others], rows: [] })()
    if (rows.length === 0) return
    const id = newId() // rows need an event, which is read nowhere
    await tables.commit({ id, events: [{ ...any, id }], rows })()
  }
  const { readEvents } = log
  const { commit: _, readEvents: __, close: ___, ...reads } = tables
  return {
    ...reads,
    readEvents,
    commit: (change) => async () => {
      const outcome = await judge.commit(change)()
      if (outcome._tag === 'Left') return outcome
      for (const [index, step] of stepsOf(change).entries()) {
        if (index > 0) await turn()
        await show(step, change)
      }
      return outcome
    },
  }
}
