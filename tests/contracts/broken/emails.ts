import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Change, Store } from '../../../application/ports/store.ts'
import type { SessionFacts } from '../../../domain/session.ts'
import type { User } from '../../../domain/user.ts'
import type { Mutation } from './harness.ts'
import { type Mutate, turn } from './mutations.ts'
import { afterCommit, caught, refusing, rowsIn } from './stores.ts'

/** Stores that compare e-mails differently. */
export const EMAIL_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught(
    ['an e-mail that another user has is taken', 'a user keeps its e-mail when it is written again'],
    { 'lets two users have one e-mail': (store) => careless(store) },
  ),
  ...caught(
    [
      'an e-mail is taken in any case of its ASCII letters',
      'a user is found in any case and shown as written',
    ],
    { 'compares e-mails case by case': comparing((email) => email.replace(/[A-Z]/g, '^$&')) },
  ),
  ...caught('letters outside ASCII are not lowered', {
    'lowers letters outside ASCII too': comparing((email) => email.toLowerCase()),
  }),
  ...caught('characters with a meaning in patterns are only themselves', {
    'reads an e-mail as a pattern': comparing((email) => email.replace(/^a.a.a@/, 'a_a%a@')),
  }),
  ...caught('a refused change takes no e-mail', {
    'keeps the e-mails of refused changes': (store) => {
      const taken = new Set<string>()
      const noted = afterCommit(store, (change, isWritten) => {
        if (!isWritten) for (const email of emailsIn(change)) taken.add(email)
      })
      return refusing(noted, (change) => emailsIn(change).some((email) => taken.has(email)) && 'EmailTaken')
    },
  }),
  ...caught('an e-mail that its user has given up is free again', {
    'finds a user by an e-mail that it has given up': (store) => {
      const former = new Map<string, string>()
      return {
        ...afterCommit(store, (change, isWritten) => {
          if (isWritten) for (const { email, id } of rowsIn(change, 'users')) former.set(email, id)
        }),
        findUserByEmail: (email) => async () => {
          const now = await store.findUserByEmail(email)()
          const holder = former.get(email)
          if (holder === undefined || now._tag === 'Left' || O.isSome(now.right)) return now
          const latest = [...former].filter(([, id]) => id === holder).at(-1)?.[0] ?? email
          return store.findUserByEmail(latest)()
        },
      }
    },
  }),
  ...caught('of 50 registrations of one e-mail at once exactly one wins', {
    'looks for an e-mail a turn before it writes': (store) => looksEarlyForEmails(careless(store)),
  }),
]

const emailsIn = (change: Change): Array<string> =>
  rowsIn(change, 'users').map(({ email }) => email.toLowerCase())

type Emails = Pick<Store, 'commit' | 'findUserByEmail' | 'findSession'>

/** Finds an e-mail by the key that `key` derives from it, and shows it as written. */
function comparing(key: (email: string, holder?: string) => string): (store: Store) => Emails {
  return (store) => {
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
      findUserByEmail: (email) => TE.map(O.map(asWritten))(store.findUserByEmail(key(email))),
      findSession: (id) =>
        TE.map(O.map((facts: SessionFacts) => ({ ...facts, user: asWritten(facts.user) })))(
          store.findSession(id),
        ),
    }
  }
}

/** Allows every e-mail for every user, and finds the user who wrote it last. */
export const careless = (store: Store): Emails => {
  const holders = new Map<string, string>()
  return comparing((email, holder) => {
    const lowered = email.toLowerCase()
    if (holder !== undefined) holders.set(lowered, holder)
    return `${holders.get(lowered)} ${email}`
  })(store)
}

/** Commits a turn after it has searched for the e-mails. */
export const looksEarlyForEmails = (store: Emails): Emails => ({
  ...store,
  ...refusing(store, async (change) => {
    for (const { email, version } of rowsIn(change, 'users')) {
      const holder = version > 1 ? undefined : await store.findUserByEmail(email)()
      if (holder?._tag === 'Right' && O.isSome(holder.right)) return 'EmailTaken'
    }
    await turn()
    return false
  }),
})
