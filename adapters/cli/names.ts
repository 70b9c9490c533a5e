import { toUndefined } from 'fp-ts/lib/Option.js'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import { noOtherFailure, runOrFail } from './operations.ts'

/** Names of the applications that entries of the log mention, as the rows have them now. Each row is read once. */
export const namesIn = (store: Pick<Store, 'findApplication'>) => {
  const applications = new Map<string, string>()
  return {
    /** An application without a row has its id for a name. */
    ofApplications: async (entries: ReadonlyArray<LogEntry>): Promise<(id: string) => string> => {
      for (const { subject, actor } of entries)
        for (const one of [subject, actor]) {
          if (one.kind !== 'application' || applications.has(one.id)) continue
          const found = toUndefined(await runOrFail(store.findApplication(one.id), noOtherFailure))
          applications.set(one.id, found?.name ?? one.id)
        }
      return (id) => applications.get(id) ?? id
    },
  }
}
