import { fromNullable, toNullable } from 'fp-ts/lib/Option.js'
import type { Interrupted, MailUnknown, MailWaits } from '../../application/mail/operate-mails.ts'
import type { Mail, MailState } from '../../domain/mail.ts'
import { rfc3339OfSeconds } from '../../domain/rfc3339.ts'
import { quoted } from '../config/setting.ts'
import type { CommandContext } from './command-context.ts'
import type { Operations } from './composition.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { noOtherFailure, runOrFail, unavailableText, withOperations, withReads } from './operations.ts'
import { listPrinter, type PrintedRecord, printRecord } from './print.ts'

type Refused = MailUnknown | MailWaits | Interrupted

/** Which mails a command means. */
type Chosen = Readonly<{ id: string | undefined; state?: MailState; json: boolean }>

/** `portcullis mail list`: one per line, in the order in which they were made. */
export const mailList = (
  context: CommandContext,
  {
    state,
    after: begin = '',
    limit = Number.POSITIVE_INFINITY,
    json,
  }: Readonly<{ state?: MailState; after?: string; limit?: number; json: boolean }>,
): Promise<void> =>
  withReads(context, async (operations) => {
    const mails = mailsOf(operations)
    const print = listPrinter(context, { json })
    let after = begin
    for (let left = limit; left > 0; ) {
      const size = Math.min(left, MAILS_PER_READ)
      const query = { state: fromNullable(state), after, limit: size + 1 } // one more shows whether there are more
      const found = await runOrFail(mails.list(query), noOtherFailure)
      const shown = found.slice(0, size)
      print(shown.map(mailRecord))
      if (found.length <= size) return
      after = shown.at(-1)?.id ?? after
      left -= size
    }
    await context.flushOut() // a reader that stopped early has not seen all mails before the cursor
    context.writeErr(`Continue with --after ${after}`)
  })

const MAILS_PER_READ = 1_000

/** A mail without its address. */
const mailRecord = ({ id, kind, userId, state, attempts, dueAtSeconds, code }: Mail): PrintedRecord => ({
  id,
  kind,
  user_id: toNullable(userId),
  state,
  attempts,
  due_at: rfc3339OfSeconds(dueAtSeconds),
  code: toNullable(code),
})

/** `portcullis mail retry`. Without an id, it means all failed mails. */
export const mailRetry = (context: CommandContext, { id, json }: Chosen): Promise<void> =>
  withOperations(context, async (operations) => {
    const mails = mailsOf(operations)
    const retried = await runOrFail(
      id === undefined ? mails.retryAll : mails.retry(id),
      sentenceFor(id, 'wait again'),
    )
    const note = operations.settings.mail === undefined ? { note: NOT_SENT } : {}
    printRecord(context, { json, record: { retried }, ...note })
  })

const NOT_SENT = 'MAIL_URL is not set here. They wait until a service sends mails from this store.'

/** `portcullis mail drop`. Without an id, it means all mails, or those in one state. */
export const mailDrop = (context: CommandContext, { id, state, json }: Chosen): Promise<void> =>
  withOperations(context, async (operations) => {
    const mails = mailsOf(operations)
    const dropped = await runOrFail(
      id === undefined ? mails.dropAll(fromNullable(state)) : mails.drop(id),
      sentenceFor(id, 'are dropped'),
    )
    printRecord(context, { json, record: { dropped } })
  })

/** @throws CommandFailed if the storage has no place for mails */
const mailsOf = ({ mails }: Operations): NonNullable<Operations['mails']> => {
  if (mails === undefined) throw new CommandFailed(NO_OUTBOX, EXIT.wrongSettings)
  return mails
}

const NO_OUTBOX = 'The storage of --with keeps no mails. It needs the port Outbox.'

const AGAIN = 'Run the command again.'

const sentenceFor =
  (id = '', done: string) =>
  (failure: Refused): string => {
    switch (failure._tag) {
      case 'MailUnknown':
        return `No mail has the id ${quoted(id)}. It may have been sent.`
      case 'MailWaits':
        return `The mail ${id} has not failed. It is due at ${rfc3339OfSeconds(failure.dueAtSeconds)}.`
      case 'Interrupted':
        return [
          unavailableText(failure),
          ...(failure.done === 0 ? [] : [`Before that, ${failure.done} mails ${done}.`]),
          AGAIN,
        ].join(' ')
    }
  }
