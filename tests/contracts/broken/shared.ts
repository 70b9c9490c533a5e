import type { Store } from '../../../application/ports/store.ts'
import { altered, turn, underNewIds, watched } from './broken.ts'
import { careless } from './emails.ts'
import { type BrokenShared, brokenShared, oneAfterTheOther } from './handles.ts'
import { atTwoMoments } from './records.ts'

const READS = [
  'findApplication',
  'findUserByEmail',
  'findSession',
  'listSigningKeys',
  'listRows',
  'readEvents',
] as const satisfies ReadonlyArray<keyof Store>

const SAME_UPDATE = 'of updates through several handles at once, all read at one version, one wins'
const SAME_ID = 'of creations of one id through several handles at once one wins'
const SAME_EMAIL = 'of registrations of one e-mail through several handles at once one wins'
const SAME_CHANGE = 'one change committed through several handles at once is written once'
const LATER_EMAIL = 'an e-mail that was taken through one handle is taken through the others'
const LATER_CHANGE = 'a change that is known through one handle is known through the others'

/** Stores each handle of which is as it should be, as long as there is no other. */
export const BROKEN_SHARED: ReadonlyArray<BrokenShared> = [
  ...READS.map((method) =>
    brokenShared(
      `keeps what ${method} said until the handle itself writes`,
      `${method} says what another handle has written, however often it was asked`,
      () => (handle) => keeping(handle, method),
    ),
  ),
  brokenShared(
    'writes for the others a little later',
    'what is read on another handle once a commit has resolved holds it',
    () => (handle) => ({
      commit: (change) => async () => {
        setImmediate(handle.commit(change))
        return { _tag: 'Right', right: undefined }
      },
    }),
  ),
  brokenShared(
    'judges by the versions that the handle has written',
    [
      'what was read before another handle wrote is not written',
      'what exists is not created again through another handle',
    ],
    (core) => {
      const { force } = watched(core)
      return () => {
        const known = new Map<string, number>()
        return {
          commit: (change) => async () => {
            if (change.rows.some(({ row }) => row.version <= (known.get(row.id) ?? 0)))
              return { _tag: 'Left', left: { _tag: 'Conflict' } }
            for (const { row } of change.rows) known.set(row.id, row.version)
            return force(change, () => true)()
          },
        }
      }
    },
  ),
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
  brokenShared('knows the e-mails that the handle has written', [LATER_EMAIL, SAME_EMAIL], (core) => {
    const { commit, ...reads } = careless(core)
    return () => {
      const taken = new Set<string>()
      return {
        ...reads,
        commit: (change) => async () => {
          const emails = change.rows.flatMap(({ table, row }) =>
            table === 'users' && row.version === 1 ? [row.email.toLowerCase()] : [],
          )
          if (emails.some((email) => taken.has(email))) return { _tag: 'Left', left: { _tag: 'EmailTaken' } }
          for (const email of emails) taken.add(email)
          return commit(change)()
        },
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
  brokenShared('knows the changes that the handle has written', [LATER_CHANGE, SAME_CHANGE], (core) => {
    const { force } = watched(core)
    const written = new Set<string>()
    return () => {
      const known = new Set<string>()
      return {
        commit: (change) => async () => {
          if (known.has(change.id)) return { _tag: 'Right', right: undefined }
          known.add(change.id)
          const isAgain = written.has(change.id)
          written.add(change.id)
          return force(isAgain ? underNewIds(change) : change, () => true)()
        },
      }
    }
  }),
  brokenShared(
    'knows the events that the handle has written',
    'an event that another handle has logged is refused in another change',
    (core) => {
      const written = new Set<string>()
      return () => ({
        commit: (change) => {
          const [first, ...others] = change.events
          const kept = others.filter(({ id }) => !written.has(id))
          for (const { id } of change.events) written.add(id)
          return core.commit({ ...change, events: [first, ...kept] })
        },
      })
    },
  ),
  brokenShared(
    'closes the store with the handle',
    'closing one handle drops none of its commits, and leaves the others open',
    (core) => () => ({ close: core.close }),
  ),
  brokenShared(
    'drops what waits when a handle is closed',
    'closing one handle drops none of its commits, and leaves the others open',
    () => (handle) => ({
      commit: (change) => async () => {
        await turn()
        return handle.commit(change)()
      },
    }),
  ),
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
    'reads a session and its user at two moments',
    'a session and its user are of one moment, whichever handle is writing',
    () => (handle) => ({ findSession: atTwoMoments(handle) }),
  ),
]

/** A handle that asks again only once it has written something itself. */
const keeping = (handle: Store, method: (typeof READS)[number]): Partial<Store> => {
  let kept: unknown
  return {
    commit: (change) => async () => {
      kept = undefined
      return handle.commit(change)()
    },
    [method]: (...asked: Parameters<Store[typeof method]>) => {
      const ask = handle[method] as (...asked: ReadonlyArray<unknown>) => () => Promise<unknown>
      return async () => {
        kept ??= await ask(...asked)()
        return kept
      }
    },
  }
}

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
