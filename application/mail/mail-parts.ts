import type { MailKind } from '../../domain/mail.ts'
import type { Mailer, WriteLetter } from '../ports/mail.ts'
import type { Outbox } from '../ports/outbox.ts'
import type { StoreUnavailable } from '../ports/store.ts'

/** What sends letters, and what writes them. */
export type MailDesk = Readonly<{ mailer: Mailer; writeLetter: WriteLetter }>

/** The pages to which links in mails lead. One is absent if the service does not have it. */
export type MailLinks = Readonly<{
  recovery?: ((token: string) => string) | undefined
  emailConfirmation?: ((token: string) => string) | undefined
  register?: ((token: string) => string) | undefined
  /** Where a person starts a recovery. */
  forgotten?: string | undefined
  signIn?: string | undefined
  account?: string | undefined
}>

/** What became of a mail: the label of a metric. */
export type MailOutcome = 'sent' | 'later' | 'failed' | 'expired' | 'dropped'

/** Is told what happens. It changes nothing and does not throw. */
export type MailObserver = Readonly<{
  ended(kind: MailKind, outcome: MailOutcome): void
  /** How long the relay took to answer. */
  answered(seconds: number): void
  /** The relay cannot be used since then, in milliseconds since the epoch; undefined if it works again. */
  relayDown(since: Readonly<{ atMilliseconds: number; code: string }> | undefined): void
  failed(failure: StoreUnavailable): void
  /** An adapter broke its contract. The mail is tried again after the lease. */
  crashed(error: unknown): void
}>

/** Of the outbox, what the sender needs. */
export type SenderOutbox = Pick<Outbox, 'claim' | 'postpone' | 'settle'>
