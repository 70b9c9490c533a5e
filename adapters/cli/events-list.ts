import { type Either, map } from 'fp-ts/lib/Either.js'
import type { CatchUpFailure } from '../../application/log/catch-up.ts'
import { matchesFilter } from '../../application/log/entry-facts.ts'
import { entryJson } from '../../application/log/entry-json.ts'
import { findEntries } from '../../application/log/find-entries.ts'
import { type NameOf, namedIn, namesIn } from '../../application/log/names.ts'
import { type BeyondEnd, type LogPage, readLog } from '../../application/log/read-log.ts'
import type { EntryFilter } from '../../application/ports/read-model.ts'
import type { LogEntry } from '../../application/ports/store.ts'
import { namedApplication } from '../../application/recording/change-application.ts'
import { namedUserOrRemoved } from '../../application/recording/change-user.ts'
import type { Actor, EventType } from '../../domain/event.ts'
import { type LogCursor, logCursorText, type OtherEpoch } from '../../domain/log-cursor.ts'
import type { RefusalReason } from '../../domain/refusal-reasons.ts'
import type { CommandContext } from './command-context.ts'
import type { Operations } from './composition.ts'
import { applicationNotNamed, userUnknown } from './not-found.ts'
import { noOtherFailure, runOrFail, withReads } from './operations.ts'
import { listPrinter, type PrintedRecord } from './print.ts'
import { printableOnLine } from './printable.ts'
import { throughReadModel } from './read-model.ts'
import { stopNote } from './stop-note.ts'

/** Which entries are listed. Times are in milliseconds since 1970. */
export type ListOptions = Readonly<{
  after: LogCursor
  since?: number
  until?: number
  user?: string
  application?: string
  type?: ReadonlyArray<EventType>
  reason?: RefusalReason
  limit?: number
  reverse: boolean
}>

/** `portcullis events list`: one entry per line. */
export const eventsList = (
  context: CommandContext,
  { json, follow, ...options }: ListOptions & { json: boolean; follow: boolean },
): Promise<void> =>
  withReads(context, async (operations) => {
    const { store } = operations
    const stopping = follow ? stopNote(context) : undefined
    const print = entryPrinter(context, operations, json)
    const filter = await filterOf(store, options)
    let left = options.limit ?? Number.POSITIVE_INFINITY
    let cursor = options.after
    const show = async (pages: AsyncIterable<Page>): Promise<void> => {
      for await (const page of pages) {
        const { epoch, entries, last } = await runOrFail(async () => page, sentenceFor(cursor))
        await print(entries)
        left -= entries.length
        cursor = { epoch, position: last }
        if (stopping?.isStopped) return
      }
    }
    await show(pagesOf(context, operations, { filter, ...options }))
    while (stopping !== undefined && left > 0 && !stopping.isStopped) {
      await Promise.race([context.pause(LOOK_EVERY_MS), stopping.stopped])
      if (!stopping.isStopped) await show(limited(filtered(readLog(store, { after: cursor }), filter), left))
    }
    if (options.reverse) return // nothing continues at an end that moves
    await context.flushOut() // a reader that stopped early has not seen all entries before the cursor
    context.writeErr(`Continue with --after ${cursorText(cursor)}`)
  })

const LOOK_EVERY_MS = 1_000

export type Page = Either<OtherEpoch | BeyondEnd | CatchUpFailure, LogPage>

const cursorText = ({ epoch = '', position }: LogCursor): string => logCursorText({ epoch, position })

/** @throws CommandFailed if there is no such user or application */
const filterOf = async (
  store: Operations['store'],
  { since, until, user, application, type, reason }: ListOptions,
): Promise<EntryFilter> => ({
  since,
  until,
  types: type,
  reason,
  user: user === undefined ? undefined : (await runOrFail(namedUserOrRemoved(store, user), userUnknown)).id,
  application:
    application === undefined
      ? undefined
      : (await runOrFail(namedApplication(store, application), applicationNotNamed)).id,
})

/** The pages of a listing. Without a condition that needs an index, they come from the log itself. */
const pagesOf = (
  context: CommandContext,
  operations: Operations,
  { filter, after, limit = Number.POSITIVE_INFINITY, reverse }: ListOptions & { filter: EntryFilter },
): AsyncIterable<Page> => {
  const { types = [], ...conditions } = filter
  const isDirect =
    !reverse && types.length <= 1 && Object.values(conditions).every((condition) => condition === undefined)
  const [type] = types
  return isDirect
    ? limited(readLog(operations.store, { after, ...(type === undefined ? {} : { type }) }), limit)
    : throughReadModel(context, operations, (log, onProgress) =>
        findEntries(log, { filter, after, limit, isReverse: reverse }, onProgress),
      )
}

/** The pages of a log, with entries that meet a filter only. */
async function* filtered(pages: AsyncIterable<Page>, filter: EntryFilter): AsyncGenerator<Page, void> {
  for await (const page of pages)
    yield map((found: LogPage) => ({ ...found, entries: found.entries.filter(matchesFilter(filter)) }))(page)
}

/** The pages up to so many entries. */
async function* limited(pages: AsyncIterable<Page>, limit: number): AsyncGenerator<Page, void> {
  let left = limit
  for await (const page of pages) {
    yield map((found: LogPage) => {
      const entries = found.entries.slice(0, left)
      left -= entries.length
      return { ...found, entries, last: left === 0 ? (entries.at(-1)?.position ?? found.last) : found.last }
    })(page)
    if (left === 0) return
  }
}

/** What to say if a listing fails that begins after this cursor. */
export const sentenceFor =
  ({ epoch: expected, position }: LogCursor) =>
  (failure: Exclude<OtherEpoch | BeyondEnd | CatchUpFailure, { _tag: 'StoreUnavailable' }>): string => {
    switch (failure._tag) {
      case 'ReadModelUnavailable':
        return printableOnLine(failure.reason)
      case 'BeyondEnd':
        return `The log ends before position ${position}, so the store was restored from a copy. Run events renew, then read from the beginning (--after 0).`
      case 'OtherEpoch': {
        const { epoch, shared } = failure
        const before = expected === undefined ? '' : `, not ${expected}`
        const sharedCursor =
          shared === undefined
            ? ''
            : ` or from the last shared position (--after ${logCursorText({ epoch, position: shared })})`
        return `The log was restored or renewed: its epoch is now ${epoch}${before}. Positions may refer to other events. Read from the beginning (--after 0)${sharedCursor}.`
      }
    }
  }

/** Prints entries: as JSON, or as rows of a list. On a terminal, users and applications have their names. */
const entryPrinter = (context: CommandContext, { store }: Pick<Operations, 'store'>, json: boolean) => {
  const printList = listPrinter(context, { json })
  const names = namesIn(store)
  return async (entries: ReadonlyArray<LogEntry>): Promise<void> => {
    if (json) {
      for (const entry of entries) context.writeOut(JSON.stringify(entryJson(entry)))
      return
    }
    const nameOf = context.isOutTerminal
      ? await runOrFail(() => names.of(namedIn(entries), ['user', 'application']), noOtherFailure)
      : NO_NAMES
    printList(entries.map((entry) => asRecord(entry, nameOf)))
  }
}

const NO_NAMES: NameOf = () => undefined

const asRecord = (
  { position, type, at, subject, actor, request_id, data }: LogEntry,
  nameOf: NameOf,
): PrintedRecord => {
  const named = (one: Actor | LogEntry['subject']): string =>
    [one.kind, ...('id' in one && one.id !== undefined ? [one.id, nameOf(one.kind, one.id) ?? ''] : [])]
      .join(' ')
      .trimEnd()
  return {
    position,
    at,
    type,
    subject: named(subject),
    actor: named(actor),
    request_id: request_id ?? null,
    data: JSON.stringify(data),
  }
}
