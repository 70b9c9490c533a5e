import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { Actor } from '../../domain/event.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'

type Kind = 'user' | 'application'

/** The e-mail of a user, or the name of an application; undefined for a removed user and without a row. */
export type NameOf = (kind: string, id: string) => string | undefined

type Someone = LogEntry['subject'] | Actor

/** Returns whom entries are about, and who acted. */
export const namedIn = (
  entries: ReadonlyArray<Readonly<{ subject: Someone; actor: Someone }>>,
): ReadonlyArray<Someone> => entries.flatMap(({ subject, actor }) => [subject, actor])

/** The names of users and applications, as the rows have them now. Each row is read once. */
export const namesIn = (store: Pick<Store, 'findApplication' | 'findUser'>) => {
  const known = new Map<string, string | undefined>()
  const read: Readonly<Record<Kind, (id: string) => Promise<Either<StoreUnavailable, string | undefined>>>> =
    {
      application: async (id) => {
        const found = await store.findApplication(id)()
        return isLeft(found) ? found : right(toUndefined(found.right)?.name)
      },
      user: async (id) => {
        const found = await store.findUser(id)()
        if (isLeft(found)) return found
        const user = toUndefined(found.right)
        return right(user?.status === 'removed' ? undefined : user?.email)
      },
    }
  const nameOf: NameOf = (kind, id) => known.get(`${kind} ${id}`)
  return {
    /** Returns the names of those that are of these kinds. */
    of: async (
      all: ReadonlyArray<Someone>,
      kinds: ReadonlyArray<Kind>,
    ): Promise<Either<StoreUnavailable, NameOf>> => {
      if (known.size > MOST_KNOWN) known.clear()
      const wanted = new Map<string, Readonly<{ kind: Kind; id: string }>>()
      for (const one of all) {
        const kind = kinds.find((name) => name === one.kind)
        if (kind === undefined || !('id' in one) || one.id === undefined) continue
        const key = `${kind} ${one.id}`
        if (!known.has(key)) wanted.set(key, { kind, id: one.id })
      }
      // A store joins reads of one turn.
      const found = await Promise.all(
        [...wanted].map(async ([key, { kind, id }]) => [key, await read[kind](id)] as const),
      )
      for (const [key, name] of found) {
        if (isLeft(name)) return name
        known.set(key, name.right)
      }
      return right(nameOf)
    },
  }
}

/** A long list may have any number of users. */
const MOST_KNOWN = 10_000
