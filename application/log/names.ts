import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { Actor } from '../../domain/event.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'

type Kind = 'user' | 'application'

/** The e-mail of a user, or the name of an application; undefined for a removed user and without a row. */
export type NameOf = (kind: string, id: string) => string | undefined

/** An entry, or something else that names whom it is about. */
export type Named = Readonly<{ subject: Someone; actor: Someone }>
type Someone = LogEntry['subject'] | Actor

/** The names of users and applications in entries of the log, as the rows have them now. Each row is read once. */
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
    /** Returns the names of these kinds in entries. */
    of: async (
      entries: ReadonlyArray<Named>,
      kinds: ReadonlyArray<Kind>,
    ): Promise<Either<StoreUnavailable, NameOf>> => {
      if (known.size > MOST_KNOWN) known.clear()
      const wanted = new Map<string, Readonly<{ kind: Kind; id: string }>>()
      for (const { subject, actor } of entries)
        for (const one of [subject, actor]) {
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
