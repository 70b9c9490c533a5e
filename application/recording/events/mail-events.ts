import { isSome } from 'fp-ts/lib/Option.js'
import type { Mail } from '../../../domain/mail.ts'
import type { MailFailure, SettledMail } from '../../ports/outbox.ts'
import { defineEvent, logged, NO_ROWS, theUser } from './definition.ts'

/** A mail that its sender has done with, as claimed. `userId` is whom the mail is about. */
type Done = Readonly<{ mail: Pick<Mail, 'id' | 'kind' | 'attempts' | 'claim'>; userId: string }>

const settledBy = ({ id, claim }: Done['mail'], failed?: MailFailure): ReadonlyArray<SettledMail> =>
  isSome(claim) ? [{ id, claim: claim.value, ...(failed && { failed }) }] : []

/**
 * What became of a mail. The same change takes the mail from its sender, so of two senders one logs it. Mails to an address without an
 * account have no event: `Outbox.settle` does the same for them.
 */
export const MAIL_EVENTS = {
  MailSent: defineEvent<'MailSent', Done>({
    version: 1,
    event: ({ mail: { id, kind, attempts }, userId }) =>
      logged(theUser(userId), { mail_id: id, kind, attempts }),
    settled: ({ mail }) => settledBy(mail),
    ...NO_ROWS,
  }),

  MailFailed: defineEvent<'MailFailed', Done & { failed: MailFailure }>({
    version: 1,
    event: ({ mail: { id, kind, attempts }, userId, failed: { code } }) =>
      logged(theUser(userId), { mail_id: id, kind, code, attempts }),
    settled: ({ mail, failed }) => settledBy(mail, failed),
    ...NO_ROWS,
  }),
}
