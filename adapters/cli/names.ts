import { toUndefined } from 'fp-ts/lib/Option.js'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import { noOtherFailure, runOrFail } from './operations.ts'

type Kind = 'user' | 'application'

/** The e-mail of a user, or the name of an application; undefined for a removed user and without a row. */
export type NameOf = (kind: string, id: string) => string | undefined

/** The names of users and applications in entries of the log, as the rows have them now. Each row is read once. */
export const namesIn = (store: Pick<Store, 'findApplication' | 'findUser'>) => {
  const known = new Map<string, string | undefined>()
  const read: Readonly<Record<Kind, (id: string) => Promise<string | undefined>>> = {
    application: async (id) => toUndefined(await runOrFail(store.findApplication(id), noOtherFailure))?.name,
    user: async (id) => {
      const user = toUndefined(await runOrFail(store.findUser(id), noOtherFailure))
      return user?.status === 'removed' ? undefined : user?.email
    },
  }
  const nameOf: NameOf = (kind, id) => known.get(`${kind} ${id}`)
  return {
    /** Returns the names of these kinds in entries. */
    of: async (entries: ReadonlyArray<LogEntry>, kinds: ReadonlyArray<Kind>): Promise<NameOf> => {
      if (known.size > MOST_KNOWN) known.clear()
      const reads: Array<Promise<void>> = []
      for (const { subject, actor } of entries)
        for (const one of [subject, actor]) {
          const kind = kinds.find((wanted) => wanted === one.kind)
          if (kind === undefined || !('id' in one) || one.id === undefined) continue
          const key = `${kind} ${one.id}`
          if (known.has(key)) continue
          known.set(key, undefined)
          reads.push(read[kind](one.id).then((name) => void known.set(key, name)))
        }
      await Promise.all(reads) // a store joins reads of one turn
      return nameOf
    },
  }
}

/** A long list may have any number of users. */
const MOST_KNOWN = 10_000
