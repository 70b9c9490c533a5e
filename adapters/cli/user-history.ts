import { entryJson } from '../../application/log/entry-json.ts'
import { entrySentence } from '../../application/log/entry-sentence.ts'
import { findEntries } from '../../application/log/find-entries.ts'
import { namedIn, namesIn } from '../../application/log/names.ts'
import type { LogEntry } from '../../application/ports/store.ts'
import { namedUserOrRemoved } from '../../application/recording/change-user.ts'
import type { CommandContext } from './command-context.ts'
import { sentenceFor } from './events-list.ts'
import { userUnknown } from './not-found.ts'
import { noOtherFailure, runOrFail, withReads } from './operations.ts'
import { listPrinter } from './print.ts'
import { throughReadModel } from './read-model.ts'

type HistoryOptions = Readonly<{
  since?: number
  until?: number
  limit?: number
  reverse: boolean
  json: boolean
}>

/** `portcullis user history`: what happened to a user, one entry per line. */
export const userHistory = (
  context: CommandContext,
  emailOrId: string,
  { since, until, limit, reverse, json }: HistoryOptions,
): Promise<void> =>
  withReads(context, async (operations) => {
    const { id: user } = await runOrFail(namedUserOrRemoved(operations.store, emailOrId), userUnknown)
    const filter = { user, since, until }
    const names = namesIn(operations.store)
    const print = listPrinter(context, { json })
    const pages = throughReadModel(context, operations, (log, onProgress) =>
      findEntries(log, { filter, after: BEGINNING, limit, isReverse: reverse }, onProgress),
    )
    for await (const page of pages) {
      const { entries } = await runOrFail(async () => page, sentenceFor(BEGINNING))
      if (json) for (const entry of entries) context.writeOut(JSON.stringify(entryJson(entry)))
      else {
        const nameOf = await runOrFail(() => names.of(namedIn(entries), ['application']), noOtherFailure)
        const what = (entry: LogEntry) => entrySentence(entry, (id) => nameOf('application', id) ?? id)
        print(entries.map((entry) => ({ position: entry.position, at: entry.at, what: what(entry) })))
      }
    }
  })

const BEGINNING = { epoch: undefined, position: 0 }
