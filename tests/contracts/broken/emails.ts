import { isSome, map } from 'fp-ts/lib/Option.js'
import type { Store } from '../../../application/ports/store.ts'
import type { User } from '../../../domain/user.ts'
import { altered, type Broken, broken, turn } from './broken.ts'

/** Stores that compare e-mails otherwise. */
export const BROKEN_EMAILS: ReadonlyArray<Broken> = [
  broken(
    'does not mind a taken e-mail',
    ['an e-mail that another user has is taken', 'a user keeps its e-mail when it is written again'],
    (store) => careless(store),
  ),
  broken(
    'compares every letter as it is',
    [
      'an e-mail is taken in whatever case its ASCII letters are',
      'a user is found in any case and shown as written',
    ],
    (store) => comparing(store, (email) => email.replace(/[A-Z]/g, '^$&')),
  ),
  broken('lowers letters outside ASCII too', 'letters outside ASCII are not lowered', (store) =>
    comparing(store, (email) => email.toLowerCase()),
  ),
  broken(
    'takes an e-mail for a pattern',
    'characters with a meaning in patterns are only themselves',
    (store) => comparing(store, (email) => email.replace(/^a.a.a@/, 'a_a%a@')),
  ),
  broken('shows e-mails lowered', 'a user is found in any case and shown as written', (store) => ({
    findUserByEmail: (email) =>
      altered(
        store.findUserByEmail(email),
        map((user) => ({ ...user, email: user.email.toLowerCase() })),
      ),
  })),
  broken('keeps the e-mails of refused changes', 'a refused change takes no e-mail', (store) => {
    const taken = new Set<string>()
    return {
      commit: (change) => async () => {
        const emails = change.rows.flatMap((row) =>
          row.table === 'users' ? [row.row.email.toLowerCase()] : [],
        )
        if (emails.some((email) => taken.has(email))) return { _tag: 'Left', left: { _tag: 'EmailTaken' } }
        const outcome = await store.commit(change)()
        if (outcome._tag === 'Left') for (const email of emails) taken.add(email)
        return outcome
      },
    }
  }),
  broken(
    'keeps the e-mails that users have given up',
    'an e-mail that its user has given up is free again',
    (store) => {
      const former = new Map<string, string>()
      return {
        commit: (change) => async () => {
          const outcome = await store.commit(change)()
          for (const written of change.rows) {
            if (written.table === 'users' && outcome._tag === 'Right')
              former.set(written.row.email, written.row.id)
          }
          return outcome
        },
        findUserByEmail: (email) => async () => {
          const found = await store.findUserByEmail(email)()
          const holder = former.get(email)
          if (holder === undefined || found._tag === 'Left' || isSome(found.right)) return found
          const now = [...former].filter(([, id]) => id === holder).at(-1)?.[0] ?? email
          return store.findUserByEmail(now)()
        },
      }
    },
  ),
  broken(
    "takes a user's own e-mail for another's",
    'a user keeps its e-mail when it is written again',
    (store) => ({
      commit: (change) =>
        change.rows.some(({ table, row }) => table === 'users' && row.version > 1)
          ? async () => ({ _tag: 'Left', left: { _tag: 'EmailTaken' } })
          : store.commit(change),
    }),
  ),
  broken(
    'looks long before it writes whether an e-mail is taken',
    'of 50 registrations of one e-mail at once exactly one wins',
    (store) => {
      const { commit, ...reads } = careless(store)
      return {
        ...reads,
        commit: (change) => async () => {
          for (const { table, row } of change.rows) {
            if (table !== 'users' || row.version > 1) continue
            const found = await store.findUserByEmail(row.email)()
            if (found._tag === 'Right' && found.right._tag === 'Some')
              return { _tag: 'Left', left: { _tag: 'EmailTaken' } }
          }
          await turn()
          return commit(change)()
        },
      }
    },
  ),
]

/** A store that finds an e-mail by what `key` makes of it, and shows it as it was written. */
const comparing = (
  store: Store,
  key: (email: string, holder?: string) => string,
): Pick<Store, 'commit' | 'findUserByEmail' | 'findSession'> => {
  const written = new Map<string, string>()
  const asWritten = (user: User): User => ({ ...user, email: written.get(user.id) ?? user.email })

  return {
    commit: (change) => {
      const rows = change.rows.map((row) => {
        if (row.table !== 'users') return row
        written.set(row.row.id, row.row.email)
        return { ...row, row: { ...row.row, email: key(row.row.email, row.row.id) } }
      })
      return store.commit({ ...change, rows })
    },
    findUserByEmail: (email) => altered(store.findUserByEmail(key(email)), map(asWritten)),
    findSession: (id) =>
      altered(
        store.findSession(id),
        map((found) => ({ ...found, user: asWritten(found.user) })),
      ),
  }
}

/** A store that lets everybody have any e-mail, and finds who wrote it last. */
export const careless = (store: Store) => {
  const holders = new Map<string, string>()
  return comparing(store, (email, holder) => {
    const lowered = email.toLowerCase()
    if (holder !== undefined) holders.set(lowered, holder)
    return `${holders.get(lowered)} ${email}`
  })
}
