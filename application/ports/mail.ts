import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { FactorKind } from '../../domain/factor.ts'

/**
 * Sends letters through a relay: the SMTP server of `MAIL_URL`.
 *
 * A failure says who is at fault, because the sender acts on that: `Refused` ends the letter, `Later` postpones it, and `RelayDown`
 * postpones all letters. No failure has a text of the relay: it repeats addresses.
 *
 * No method rejects. Several calls may run at once.
 */
export interface Mailer {
  /**
   * Sends a letter to its one recipient.
   *
   * An answer comes within `ATTEMPT_SECONDS`. After `Accepted`, the relay is responsible for the letter (RFC 5321 §6.1). After every failure it
   * may have the letter too, if its answer was lost. So the sender repeats a letter with the same `messageId`.
   */
  send(letter: Letter): TaskEither<Refused | Later | RelayDown, Accepted>

  /** Does all that a letter needs of the relay, up to the sender address, and sends none: connects, encrypts, signs in. It answers as soon. */
  check(): TaskEither<RelayDown, CheckedRelay>

  /** Ends the connections. Letters on their way get their answer first. A second call does nothing. */
  close: Task<void>
}

/** A mail without what each attempt decides: `From`, `Date` and the encoding. */
export type Letter = Readonly<{
  kind: LetterKind
  /** The address of the recipient. */
  to: string
  subject: string
  text: string
  html: string
  /** The language tag of subject and texts (BCP 47). */
  language: string
  /** `ID@DOMAIN`, without angle brackets. Each attempt has the same, so that mail programs show a second copy once. */
  messageId: string
}>

/** The relay has the letter. */
export type Accepted = Readonly<{ _tag: 'Accepted'; code: string }>

/** The relay refuses this recipient or this letter for good: 5xx. */
export type Refused = Readonly<{ _tag: 'Refused'; code: string }>

/** The relay refuses this recipient or this letter for now: 4xx. */
export type Later = Readonly<{ _tag: 'Later'; code: string }>

/**
 * No letter is to blame: the relay does not answer, has no TLS that can be trusted, refuses the password or the sender, or ended the
 * connection before its answer. `code` is the answer code, or one of Node.js or the adapter: `ECONNREFUSED`, `ETIMEDOUT`, `EAUTH`.
 */
export type RelayDown = Readonly<{ _tag: 'RelayDown'; code: string }>

export type CheckedRelay = Readonly<{
  /** `TLSv1.3`, for example. Undefined without TLS, which only a relay on this machine may have. */
  tlsVersion: string | undefined
  /** When the certificate of the relay ends. Undefined without TLS. */
  certificateEndsAtSeconds: number | undefined
}>

/** What a letter says, by its kind. Times are seconds since the epoch. */
export type Message =
  | Readonly<{
      kind: 'recovery' | 'registration' | 'email_confirmation'
      link: string
      lifetimeSeconds: number
    }>
  | Readonly<{ kind: 'registration_known'; link: string; recoveryLink: string }>
  | Readonly<{
      kind: 'email_entered' | 'email_changed' | 'password_leaked' | 'account_removed'
      atSeconds: number
    }>
  /** `link`: where the user starts a recovery, if the service has pages. */
  | Readonly<{
      kind: 'password_changed' | 'password_recovered'
      atSeconds: number
      link: string | undefined
    }>
  | Readonly<{ kind: 'factor_added'; atSeconds: number; factor: FactorKind }>
  /** `factor`: undefined if all factors were removed together. */
  | Readonly<{ kind: 'factor_removed'; atSeconds: number; factor: FactorKind | undefined }>
  /** `areNew`: the codes replace all codes before them. Otherwise one was used. */
  | Readonly<{ kind: 'recovery_codes'; atSeconds: number; areNew: boolean; codesLeft: number }>
  | Readonly<{ kind: 'welcome'; link: string }>
  /** `device`: undefined if it told no name. */
  | Readonly<{ kind: 'new_sign_in'; atSeconds: number; device: string | undefined }>
  /** The mail of `portcullis mail test`. */
  | Readonly<{ kind: 'test'; atSeconds: number }>

export type LetterKind = Message['kind']

/**
 * Writes a letter in the nearest language that the service has.
 *
 * @param id becomes part of the `messageId`
 * @param wishes well-formed language tags, the most wished one first. If none fits, it is in the language of the service
 */
export type WriteLetter = (
  letter: Readonly<{ id: string; to: string; wishes: ReadonlyArray<string>; message: Message }>,
) => Letter
