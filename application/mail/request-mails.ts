import { isRight, left, right } from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { MAX_UNSEEN_REQUESTS, type Mail } from '../../domain/mail.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Outbox } from '../ports/outbox.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { beginningCommit, type RequestContext } from '../recording/recorder.ts'
import type { ThrottleKey } from '../throttling/throttle-key.ts'

/** Where mails wait that people request. Absent if the service mails no links. */
export type RequestMails = Readonly<{
  outbox: Pick<Outbox, 'put'>
  /** Of the whole service. 0 is no limit. */
  mailsPerHour: number
}>

/** The counts of a mail to this address. That of the service comes last, so that what the address is refused does not use it up. */
export const requestMailKeys = (
  { mailsPerHour }: RequestMails,
  email: string,
): ReadonlyArray<ThrottleKey> => [
  { kind: 'mails_to_email', email },
  ...(mailsPerHour > 0 ? [{ kind: 'mails' } as const] : []),
]

/**
 * Puts mails of a request outside of a change, in this order, each with the promises of a commit (`Recorder`).
 *
 * It rings no bell. A sender that began at once would share the processor with the answer, and do more for an address that has an account:
 * the time of the answer would show it. The next look comes within a second.
 */
export const putMails =
  (
    { outbox }: RequestMails,
    context: RequestContext,
    mails: ReadonlyArray<Mail>,
  ): TE.TaskEither<Overloaded | StoreUnavailable, void> =>
  async () => {
    for (const [index, mail] of mails.entries()) {
      // The bound decides about the first one alone: a refusal after that would leave half of the request.
      const unseenAtMost = index === 0 ? MAX_UNSEEN_REQUESTS : Number.MAX_SAFE_INTEGER
      const put = await beginningCommit(context, outbox.put({ mail, unseenAtMost }))()
      if (isRight(put)) continue
      if (put.left._tag === 'OutboxFull') return left(FULL)
      // With a mail before it, something was written.
      return left(index === 0 ? put.left : { ...put.left, outcome: 'unknown' })
    }
    return right(undefined)
  }

/** Senders look at thousands of mails within this time, also while the relay is down. */
const FULL: Overloaded = { _tag: 'Overloaded', retryAfterSeconds: 5 }
