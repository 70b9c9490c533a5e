import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Store } from '../../../application/ports/store.ts'
import type { User } from '../../../domain/user.ts'
import { altered, type Broken, broken } from './broken.ts'

const IN_ORDER = 'password schemes are listed once each, code point by code point'
const NONE = 'a user without a password scheme has none listed'
const DISABLED = 'the password scheme of a disabled user is listed'
const LAST = 'a password scheme is listed until its last user has another'
const AT_MOST = 'no more than a hundred password schemes are listed, the first of them'

/** Stores that list other schemes than their users have. */
export const BROKEN_PASSWORD_SCHEMES: ReadonlyArray<Broken> = [
  broken('lists a password scheme for each user', IN_ORDER, (store) =>
    listing(store, (all) => all.sort(byPoint)),
  ),
  broken('lists password schemes as they come', IN_ORDER, (store) => listing(store, unique)),
  broken('orders password schemes by the units of UTF-16', IN_ORDER, (store) =>
    listing(store, (all) => unique(all).sort()),
  ),
  broken('lists the password scheme of who has none', NONE, (store) =>
    listing(
      store,
      (all) => unique(all).sort(byPoint),
      () => true,
    ),
  ),
  broken('stops at a user without a password scheme', NONE, (store) => ({
    listPasswordSchemes: () =>
      TE.map((users: ReadonlyArray<User>) =>
        users.some(({ passwordScheme }) => passwordScheme === '')
          ? []
          : unique(users.map(({ passwordScheme }) => passwordScheme))
              .sort(byPoint)
              .slice(0, 100),
      )(usersOf(store)),
  })),
  broken('lists password schemes of enabled users only', DISABLED, (store) =>
    listing(
      store,
      (all) => unique(all).sort(byPoint),
      ({ status, passwordScheme }) => status === 'enabled' && passwordScheme !== '',
    ),
  ),
  broken('remembers every password scheme', LAST, (store) => {
    const seen = new Set<string>()
    return {
      commit: (change) => {
        for (const { table, row } of change.rows) if (table === 'users') seen.add(row.passwordScheme)
        seen.delete('')
        return store.commit(change)
      },
      listPasswordSchemes: () =>
        altered(store.listPasswordSchemes(), () => [...seen].sort(byPoint).slice(0, 100)),
    }
  }),
  broken('lists every password scheme', AT_MOST, (store) =>
    listing(store, (all) => unique(all).sort(byPoint), undefined, 1_000),
  ),
  broken('lists the last password schemes', AT_MOST, (store) =>
    listing(store, (all) => unique(all).sort(byPoint).slice(-100)),
  ),
]

function unique(schemes: ReadonlyArray<string>): Array<string> {
  return [...new Set(schemes)]
}

function byPoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

function usersOf(store: Store) {
  return store.listRows({ table: 'users', after: '', limit: 1_000 })
}

/** A store that makes its list of all its users. */
function listing(
  store: Store,
  order: (schemes: Array<string>) => ReadonlyArray<string>,
  isListed: (user: User) => boolean = ({ passwordScheme }) => passwordScheme !== '',
  limit = 100,
): Pick<Store, 'listPasswordSchemes'> {
  return {
    listPasswordSchemes: () =>
      TE.map((users: ReadonlyArray<User>) =>
        order(users.filter(isListed).map(({ passwordScheme }) => passwordScheme)).slice(0, limit),
      )(usersOf(store)),
  }
}
