import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { FactorKind } from './factor.ts'
import type { User } from './user.ts'

/**
 * What a mail is for. A request mail has a link that a person asked for. A notice says what happened to an account: no limit holds it
 * back, and no setting of the person does.
 */
export type MailPurpose = 'request' | 'notice'

/**
 * To whom a mail goes:
 *
 * - `record`: the address that the account has when the mail is sent. The mail itself may contain a typed address, which finds the account
 * - `typed`: the address in the mail, which is that of no account yet
 * - `former`: the address in the mail, which the account had when it happened. A later change of the address withholds no notice
 */
export type MailRecipient = 'record' | 'typed' | 'former'

type MailRule = Readonly<{
  purpose: MailPurpose
  to: MailRecipient
  /** Whether it is sent only if an operator wants it. */
  isExtra: boolean
  /** Whether it is sent although the user is removed. */
  outlivesUser: boolean
  words: string
}>

const NOTICE = { purpose: 'notice', to: 'former', isExtra: false, outlivesUser: false } as const
const REQUEST = { ...NOTICE, purpose: 'request', to: 'record' } as const
const EXTRA = { ...NOTICE, isExtra: true } as const

/** Every kind of mail (docs/mail.md), and what histories call it. */
export const MAIL_KINDS = {
  recovery: { ...REQUEST, words: 'a recovery mail' },
  registration: { ...REQUEST, to: 'typed', words: 'a registration mail' },
  registration_known: { ...REQUEST, words: 'a mail that the account exists' },
  email_confirmation: { ...REQUEST, to: 'typed', words: 'a confirmation mail' },
  email_entered: { ...NOTICE, words: 'a notice of an entered e-mail' },
  /** It tells the owner of a thief, who could hide by removing the account. */
  email_changed: { ...NOTICE, outlivesUser: true, words: 'a notice of the changed e-mail' },
  password_changed: { ...NOTICE, words: 'a notice of the changed password' },
  password_recovered: { ...NOTICE, words: 'a notice of the recovered password' },
  factor_added: { ...NOTICE, words: 'a notice of the added second factor' },
  factor_removed: { ...NOTICE, words: 'a notice of the removed second factor' },
  recovery_codes: { ...NOTICE, words: 'a notice of recovery codes' },
  password_leaked: { ...NOTICE, words: 'a notice of the unfinished sign-in' },
  account_removed: { ...NOTICE, outlivesUser: true, words: 'a notice of the removal' },
  welcome: { ...EXTRA, words: 'a welcome mail' },
  new_sign_in: { ...EXTRA, words: 'a notice of a sign-in' },
} as const satisfies Readonly<Record<string, MailRule>>

export type MailKind = keyof typeof MAIL_KINDS

export type ExtraMailKind = {
  [Kind in MailKind]: (typeof MAIL_KINDS)[Kind]['isExtra'] extends true ? Kind : never
}[MailKind]

/** Whether a text names a kind of mail. */
export const isMailKind = (text: string): text is MailKind => Object.hasOwn(MAIL_KINDS, text)

/** Whether a mail of this kind is sent only if an operator wants it. */
export const isExtraMail = (kind: MailKind): kind is ExtraMailKind => MAIL_KINDS[kind].isExtra

/** The kinds of mails that an operator can add. */
export const EXTRA_MAIL_KINDS: ReadonlyArray<ExtraMailKind> = Object.keys(MAIL_KINDS)
  .filter(isMailKind)
  .filter(isExtraMail)

/** After so long a mail is no longer sent: a late link surprises, and its token lives from the sending. */
export const MAIL_LIFE_SECONDS: Readonly<Record<MailPurpose, number>> = {
  request: 4 * 3_600,
  notice: 72 * 3_600,
}

/** Facts that the text of a mail names. None is a secret, an address, or a name that a thief chose. */
export type MailFacts = Readonly<{
  /** Of `factor_added` and `factor_removed`. Absent if all factors were removed. */
  factor?: FactorKind
  /** Of `recovery_codes`. */
  codesLeft?: number
  /** Of `recovery_codes`: true if they replace all codes before them, absent if one was used. */
  areNew?: true
  /** Of `new_sign_in`. */
  device?: string
  /** Of `email_confirmation`: the user when the mail was requested. */
  asked?: AskedVersions
}>

/** The state of a user with which the link of a mail ends, as with a one-time token (`isUsable`). */
export type AskedVersions = Pick<User, 'passwordVersion' | 'sessionsVersion' | 'emailVersion'>

/**
 * Whether a mail still fits its user. The link is made when the mail is sent, so without this a thief's request for another e-mail would
 * outlive the password change with which the owner ends it.
 */
export const isStillAsked = ({ facts: { asked } }: Pick<Mail, 'facts'>, user: User): boolean =>
  asked === undefined ||
  (asked.passwordVersion === user.passwordVersion &&
    asked.emailVersion === user.emailVersion &&
    asked.sessionsVersion >= user.allEndedVersion)

/** Returns what a mail must know of the user who requested it. */
export const askedBy = ({
  passwordVersion,
  sessionsVersion,
  emailVersion,
}: AskedVersions): AskedVersions => ({
  passwordVersion,
  sessionsVersion,
  emailVersion,
})

/** A mail in the outbox. It contains no token and no secret. */
export type Mail = Readonly<{
  /** A UUIDv7. The `Message-ID` contains it, so that all copies of a mail have the same. */
  id: string
  kind: MailKind
  /** None if a typed address named the account, if any. */
  userId: Option<string>
  address: string
  /** The language of the request, which the sender wishes after that of the user. Of a mail that outlives its user: that of the user, if any. */
  language: Option<string>
  /** The application whose token the link contains. */
  applicationId: Option<string>
  /** Where the page behind the link leads back to. */
  returnTo: Option<string>
  facts: MailFacts
  /** When that happened which the mail is about, in seconds since the epoch. */
  createdAtSeconds: number
  /** From then on it is sent. */
  dueAtSeconds: number
  /** From then on a waiting mail is not sent any more, and a failed one is deleted. */
  expiresAtSeconds: number
  state: MailState
  /** How often it was tried. A claim counts, so that a mail that ends the process ends too. */
  attempts: number
  /** How often it was claimed. Unlike `attempts`, nothing takes one back. */
  claims: number
  /** Of the sender that has claimed it last. */
  claim: Option<string>
  /** Why it was not sent: a code of SMTP, or of the connection. */
  code: Option<string>
}>

export const MAIL_STATES = ['waiting', 'failed'] as const

export type MailState = (typeof MAIL_STATES)[number]

/** What decides about a new mail. Everything else follows. */
export type NewMail = Pick<Mail, 'id' | 'kind' | 'userId' | 'address' | 'language'> &
  Partial<Pick<Mail, 'applicationId' | 'returnTo' | 'facts'>>

/** Returns a mail that waits until it is due. It expires by the life of its kind from then on. */
export const newMail = (
  mail: NewMail,
  createdAtSeconds: number,
  dueAtSeconds: number = createdAtSeconds,
): Mail => ({
  applicationId: none,
  returnTo: none,
  facts: {},
  ...mail,
  createdAtSeconds,
  dueAtSeconds,
  expiresAtSeconds: expiryOf(mail.kind, dueAtSeconds),
  state: 'waiting',
  attempts: 0,
  claims: 0,
  claim: none,
  code: none,
})

/** When a mail of this kind expires that is due from a time on. */
export const expiryOf = (kind: MailKind, dueAtSeconds: number): number =>
  dueAtSeconds + MAIL_LIFE_SECONDS[MAIL_KINDS[kind].purpose]

/** How long one sender has a mail for itself. */
export const CLAIM_SECONDS = 120

/** How long the relay may take. Until then it is asked only within the first half of a claim, so that no two senders do at once. */
export const ATTEMPT_SECONDS = 60

export const MAX_ATTEMPTS = 10

/** Why a claimed mail is not tried. */
export type Hopeless = 'expired' | 'attempts'

/**
 * Returns why a claimed mail is not tried any more; none if it is. Its claim has counted the attempt.
 *
 * A clock that is ahead gives mails up early. None is lost: a failed mail waits for `mail retry`.
 */
export const hopeless = (
  { attempts, expiresAtSeconds }: Pick<Mail, 'attempts' | 'expiresAtSeconds'>,
  nowSeconds: number,
): Option<Hopeless> => {
  if (nowSeconds >= expiresAtSeconds) return some('expired')
  return attempts > MAX_ATTEMPTS ? some('attempts') : none
}

/** Returns after how many seconds a mail is tried again that was refused for now; none after its last attempt. */
export const triedAgainAfter = (attempts: number): Option<number> =>
  attempts >= MAX_ATTEMPTS ? none : some(Math.min(60 * 2 ** Math.max(0, attempts - 1), LONGEST_PAUSE_SECONDS))

const LONGEST_PAUSE_SECONDS = 3_600

/**
 * Returns after how many seconds a mail is tried again whose attempt was given back, because the relay or the store was at fault. A relay that
 * ends each connection before its answer may have taken the mail each time: so an hour brings at most one copy more.
 */
export const givenBackFor = ({ attempts, claims }: Pick<Mail, 'attempts' | 'claims'>): number =>
  Math.min(2 ** Math.max(0, claims - attempts), LONGEST_PAUSE_SECONDS)

/** How long no mail is sent after the relay could not be used: at first, and at most. It doubles with each probe. */
export const FIRST_RELAY_PAUSE_MS = 1_000
export const LONGEST_RELAY_PAUSE_MS = 60_000

/** A mail that is due for longer is late: `doctor`, the console and the alert say so. */
export const LATE_SECONDS = 15 * 60

/** A user gets no second `password_leaked` within this time: a thief could otherwise fill the mailbox. */
export const LEAK_PAUSE_SECONDS = 86_400

/** How long a failed mail keeps its address, so that an operator can send it again. */
export const FAILED_KEPT_SECONDS = 7 * 86_400

/**
 * With so many request mails that no sender has looked at, no further one is put. Each may be for an address without an account. The mail of
 * a registration counts too, but is never refused for it: it comes with a user, who takes more room and for longer.
 */
export const MAX_UNSEEN_REQUESTS = 10_000
