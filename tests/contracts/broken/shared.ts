import type { Store } from '../../../application/ports/store.ts'
import { turn, underNewIds, watched } from './broken.ts'
import { careless } from './emails.ts'
import { type BrokenShared, brokenShared } from './handles.ts'

const READS = [
  'findApplication',
  'findUserByEmail',
  'findSession',
  'findTokenHolder',
  'listSessions',
  'listPasswordSchemes',
  'listSigningKeys',
  'listRows',
  'readEvents',
  'readEpoch',
] as const satisfies ReadonlyArray<keyof Store>

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
]

/** A handle that asks again only once it has written something itself. */
const keeping = (handle: Store, method: (typeof READS)[number]): Partial<Store> => {
  let kept: unknown
  return {
    commit: (change) => async () => {
      kept = undefined
      return handle.commit(change)()
    },
    renewEpoch: (entryOf) => async () => {
      kept = undefined
      return handle.renewEpoch(entryOf)()
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
