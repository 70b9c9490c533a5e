import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expiryOf, type Mail, type MailState } from '../../domain/mail.ts'
import type { Clock } from '../ports/environment.ts'
import type { Outbox } from '../ports/outbox.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { pages } from '../recording/pages.ts'

/** No mail has this id. It may have been sent. */
export type MailUnknown = Readonly<{ _tag: 'MailUnknown' }>

/** The mail has not failed: a sender tries it by itself. */
export type MailWaits = Readonly<{ _tag: 'MailWaits'; dueAtSeconds: number }>

/** The store failed after so many mails. A repetition does the others, also if the last step was done after all. */
export type Interrupted = Readonly<{ _tag: 'Interrupted'; done: number; reason: string }>

/** The mails of the outbox for operators. No step makes an event: the log says what happened to accounts, and a mail is none. */
export type OperatorMails = Pick<Outbox, 'list' | 'counts'> &
  Readonly<{
    /** Lets a failed mail wait as a new one does: due now, without an attempt. */
    retry(id: string): TaskEither<MailUnknown | MailWaits | Interrupted, number>
    /** The same for all failed mails. */
    retryAll: TaskEither<Interrupted, number>
    /** Deletes a mail in any state. A sender that has it may send it nevertheless. */
    drop(id: string): TaskEither<MailUnknown | Interrupted, number>
    /** Deletes all mails, or those in one state. */
    dropAll(state: Option<MailState>): TaskEither<Interrupted, number>
  }>

export const operateMails = ({
  outbox,
  clock,
}: Readonly<{ outbox: Outbox; clock: Clock }>): OperatorMails => {
  /** All ids are equally long. So at most sixteen begin like this one, which differ in their last digit. */
  const find = (id: string): TaskEither<StoreUnavailable, Mail | undefined> =>
    pipe(
      outbox.list({ state: none, after: id.slice(0, -1), limit: 16 }),
      TE.map((found) => found.find((mail) => mail.id === id)),
    )

  const retry = (mails: ReadonlyArray<Mail>): TaskEither<StoreUnavailable, number> => {
    const dueAtSeconds = Math.floor(clock() / 1000)
    return outbox.retry(
      mails.map(({ id, kind }) => ({ id, dueAtSeconds, expiresAtSeconds: expiryOf(kind, dueAtSeconds) })),
    )
  }

  /** Does a step with all mails, page by page, and answers with how many. Mails that come meanwhile may be among them. */
  const withAll =
    (
      state: Option<MailState>,
      step: (mails: ReadonlyArray<Mail>) => TaskEither<StoreUnavailable, number>,
    ): TaskEither<Interrupted, number> =>
    async () => {
      let done = 0
      const read = (after: string, limit: number) => outbox.list({ state, after, limit })
      for await (const page of pages(read, '', ({ id }) => id)) {
        const count = isLeft(page) ? page : await step(page.right)()
        if (isLeft(count)) return left(interrupted(count.left, done))
        done += count.right
      }
      return right(done)
    }

  return {
    list: outbox.list,
    counts: outbox.counts,
    retry: (id) =>
      pipe(
        find(id),
        TE.chainW((mail): TaskEither<MailUnknown | MailWaits | StoreUnavailable, number> => {
          if (mail === undefined) return TE.left({ _tag: 'MailUnknown' })
          const { state, dueAtSeconds } = mail
          return state === 'waiting' ? TE.left({ _tag: 'MailWaits', dueAtSeconds }) : retry([mail])
        }),
        TE.mapLeft((failure) => (failure._tag === 'StoreUnavailable' ? interrupted(failure) : failure)),
      ),
    retryAll: withAll(some('failed'), retry),
    drop: (id) =>
      pipe(
        outbox.drop([id]),
        TE.mapLeft((failure) => interrupted(failure)),
        TE.filterOrElseW(
          (dropped) => dropped > 0,
          (): MailUnknown => ({ _tag: 'MailUnknown' }),
        ),
      ),
    dropAll: (state) => withAll(state, (mails) => outbox.drop(mails.map(({ id }) => id))),
  }
}

const interrupted = ({ reason }: StoreUnavailable, done = 0): Interrupted => ({
  _tag: 'Interrupted',
  done,
  reason,
})
