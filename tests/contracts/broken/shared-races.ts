import type { Store } from '../../../application/ports/store.ts'
import { altered, turn, watched } from './broken.ts'
import { careless } from './emails.ts'
import { type BrokenShared, brokenShared, oneAfterTheOther } from './handles.ts'

const SAME_UPDATE = 'of updates through several handles at once, all read at one version, one wins'
const SAME_ID = 'of creations of one id through several handles at once one wins'
const SAME_EMAIL = 'of registrations of one e-mail through several handles at once one wins'

/** Stores whose handles get in each other's way when they write at once. */
export const BROKEN_RACES: ReadonlyArray<BrokenShared> = [
  brokenShared('looks at versions under a lock of the handle', [SAME_UPDATE, SAME_ID], (core) => {
    const { force, storedVersion } = watched(core)
    return () => {
      const locked = oneAfterTheOther()
      return {
        commit: (change) => () =>
          locked(async () => {
            if (change.rows.some((row) => row.row.version !== storedVersion(row) + 1))
              return { _tag: 'Left', left: { _tag: 'Conflict' } }
            await turn()
            return force(change, () => true)()
          }),
      }
    }
  }),
  brokenShared('looks for an e-mail under a lock of the handle', SAME_EMAIL, (core) => {
    const { commit, ...reads } = careless(core)
    return () => {
      const locked = oneAfterTheOther()
      return {
        ...reads,
        commit: (change) => () =>
          locked(async () => {
            for (const { table, row } of change.rows) {
              if (table !== 'users' || row.version > 1) continue
              const found = await reads.findUserByEmail(row.email)()
              if (found._tag === 'Right' && found.right._tag === 'Some')
                return { _tag: 'Left', left: { _tag: 'EmailTaken' } }
            }
            await turn()
            return commit(change)()
          }),
      }
    }
  }),
  brokenShared(
    'gives each handle positions of its own in advance',
    'commits through several handles at once leave no gap, and none is lost',
    (core) => {
      const numbers = numbering(core)
      return () => {
        let [next, end] = [1, 1]
        return {
          readEvents: numbers.readEvents,
          commit: (change) => async () => {
            const outcome = await core.commit(change)()
            if (outcome._tag === 'Left') return outcome
            for (const { id } of change.events) {
              if (next === end) [next, end] = numbers.take(50)
              numbers.give(id, next)
              next += 1
            }
            return outcome
          },
        }
      }
    },
  ),
  brokenShared(
    'counts a position before others can see it',
    'who reads on from the last position skips nothing while others write',
    (core) => {
      const numbers = numbering(core)
      let isSlow = false
      return () => ({
        readEvents: numbers.readEvents,
        commit: (change) => async () => {
          const [first] = numbers.take(change.events.length)
          isSlow = !isSlow
          if (isSlow) for (let turns = 0; turns < 3; turns += 1) await turn()
          for (const [index, { id }] of change.events.entries()) numbers.give(id, first + index)
          return core.commit(change)()
        },
      })
    },
  ),
  brokenShared(
    'renews the epoch that the handle knew',
    'renewals and commits through several handles at once leave no gap',
    () => (handle) => {
      const known = handle.readEpoch()()
      return {
        renewEpoch: (entryOf) => async () => {
          const epoch = await known
          return handle.renewEpoch((ended) =>
            entryOf({ ...ended, epoch: epoch._tag === 'Right' ? epoch.right : ended.epoch }),
          )()
        },
      }
    },
  ),
]

/** Positions that do not come from the log, but from a number that is counted up. */
const numbering = (core: Store) => {
  const positions = new Map<string, number>()
  let last = 0
  return {
    /** The first of so many new positions, and the one after the last of them. */
    take: (count: number): [first: number, end: number] => {
      last += count
      return [last - count + 1, last + 1]
    },
    give: (id: string, position: number) => void positions.set(id, position),
    readEvents: (({ after, limit }) =>
      altered(core.readEvents({ after: 0, limit: 10_000 }), (entries) =>
        entries
          .map((entry) => ({ ...entry, position: positions.get(entry.id) ?? 0 }))
          .filter(({ position }) => position > after)
          .sort((one, another) => one.position - another.position)
          .slice(0, limit),
      )) satisfies Store['readEvents'],
  }
}
