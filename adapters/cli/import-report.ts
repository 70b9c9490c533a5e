import type { Writable } from 'node:stream'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { map } from 'fp-ts/lib/Record.js'
import { ATTRIBUTE_TEXTS } from '../../application/accounts/attribute-texts.ts'
import { MAX_FACTORS, MAX_IDENTITIES } from '../../domain/factor.ts'
import {
  type IdentityFieldProblem,
  MAX_ISSUER_CHARACTERS,
  MAX_SUBJECT_CHARACTERS,
} from '../../domain/identity-import.ts'
import type { PasskeyFieldProblem } from '../../domain/passkey-import.ts'
import { MAX_ROLE_CHARACTERS, MAX_ROLES, MAX_ROLES_CHARACTERS } from '../../domain/roles.ts'
import { MAX_SECRET_BYTES, MIN_SECRET_BYTES, type TotpFieldProblem } from '../../domain/totp-import.ts'
import type { ImportProblem } from '../../domain/user-import.ts'
import type { CommandContext } from './command-context.ts'
import { printableOnLine } from './printable.ts'

/** What happened to a line. A bad line has reasons: sentences without any part of the line. */
export type ReportedLine = Readonly<{
  number: number
  outcome: 'imported' | 'known' | NonEmptyArray<string>
  /** How many secrets of authenticator apps were imported that are shorter than they should be. */
  shortSecrets: number
  /** Whether a user without a password was imported. */
  hasNoPassword: boolean
  /** How many identities at other providers were imported. */
  identities: number
}>

/** Counts lines, and writes bad ones to standard error. On a terminal, it shows the progress. */
export type ImportReport = Readonly<{
  counts: Counts
  add: (lines: ReadonlyArray<ReportedLine>, bytes: number) => void
  end: () => void
}>

/** Of lines; `without_password` counts imported ones, `identities` identities, `short_secrets` secrets. These are absent if there are none. */
type Counts = Readonly<{
  lines: number
  imported: number
  known: number
  bad: number
  without_password?: number
  identities?: number
  short_secrets?: number
}>

/** @param size the bytes of the file, if they are known */
export const importReport = async (
  { writeErr, terminal }: CommandContext,
  size: number | undefined,
): Promise<ImportReport> => {
  const counts: { -readonly [Name in keyof Counts]: Counts[Name] } = {
    lines: 0,
    imported: 0,
    known: 0,
    bad: 0,
  }
  const bar = terminal && (await importProgress(terminal, size))
  const write = bar?.log ?? writeErr

  const addBad = (number: number, reasons: NonEmptyArray<string>): void => {
    counts.bad += 1
    if (counts.bad <= MAX_REPORTED) write(`Line ${number}: ${printableOnLine(reasons.join(' '))}`)
    if (counts.bad === MAX_REPORTED + 1) write('More bad lines are counted, but not reported.')
  }

  return {
    counts,
    add: (lines, bytes) => {
      for (const { number, outcome, shortSecrets, hasNoPassword, identities } of lines) {
        counts.lines += 1
        if (hasNoPassword) counts.without_password = (counts.without_password ?? 0) + 1
        if (identities > 0) counts.identities = (counts.identities ?? 0) + identities
        if (shortSecrets > 0) counts.short_secrets = (counts.short_secrets ?? 0) + shortSecrets
        if (typeof outcome === 'string') counts[outcome] += 1
        else addBad(number, outcome)
      }
      bar?.advance({ bytes, lines: counts.lines })
    },
    end: () => bar?.stop(),
  }
}

/** A file of another format has only bad lines. */
const MAX_REPORTED = 1_000

/**
 * The progress of an import. Without a size it only counts lines.
 *
 * @param size the bytes of the file, if they are known
 */
const importProgress = async (terminal: Writable, size: number | undefined) => {
  const { progressBar } = await import('./progress-bar.ts') // loaded only if it is shown
  const format =
    size === undefined ? '{lines} lines' : '{bar} {percentage}% | {lines} lines | {eta_formatted} left'
  const bar = progressBar(terminal, { format, isKept: true })
  bar.begin(size ?? 0, { lines: 0 })
  return {
    ...bar,
    advance: ({ bytes, lines }: Readonly<{ bytes: number; lines: number }>): void =>
      bar.advance(bytes, { lines }),
  }
}

/** Says what is wrong with a line, without its values: they are secret or personal. */
export const importSentence = (problem: ImportProblem): string => {
  if (problem._tag === 'RecordRefused') return `"password_hash": ${problem.reason}`
  if (!('index' in problem)) return SENTENCES[problem._tag]
  const { _tag, index } = problem
  if (isIn(OF_AN_APP, _tag)) return `"totp[${index}]${OF_AN_APP[_tag]}`
  return isIn(OF_A_PASSKEY, _tag)
    ? `"passkeys[${index}]${OF_A_PASSKEY[_tag]}`
    : `"identities[${index}]${OF_AN_IDENTITY[_tag]}`
}

const SENTENCES: Readonly<
  Record<Exclude<ImportProblem, { reason: string } | { index: number }>['_tag'], string>
> = {
  EmailMissing: '"email" must be a text that is not empty.',
  EmailMalformed: '"email" must be an e-mail address with at most 254 characters.',
  RecordMissing: '"password_hash" must be a text that is not empty, or null for a user without a password.',
  IdMalformed: '"id" must be a UUID.',
  IdTaken: '"id" belongs to a user with another e-mail address.',
  IdOfRemovedUser:
    '"id" belongs to a removed user, who cannot come back. Without "id", the line makes a new user.',
  EmailVerifiedMalformed: '"email_verified" must be true or false.',
  CreatedAtMalformed: '"created_at" must be a time in RFC 3339, for example 2024-05-01T12:00:00Z.',
  CreatedAtOutOfRange: '"created_at" must be between 1970-01-01T00:00:00Z and now.',
  StatusUnknown: '"status" must be enabled or disabled.',
  ...map(([attribute, predicate]: readonly [string, string]) => `"${attribute}" ${predicate}`)(
    ATTRIBUTE_TEXTS,
  ),
  RolesMalformed: `"roles" must be a list of roles: letters, digits and ._:/- with at most ${MAX_ROLE_CHARACTERS} characters each.`,
  TooManyRoles: `"roles" must have at most ${MAX_ROLES} roles, with ${MAX_ROLES_CHARACTERS} characters in all.`,
  TotpMalformed: '"totp" must be a list of objects with "secret".',
  TotpTooMany: `"totp" must have at most ${MAX_FACTORS} entries.`,
  TotpUnverified: '"totp" requires "email_verified": true.',
  PasskeysMalformed: '"passkeys" must be a list of objects with "credential_id".',
  PasskeysTooMany: `"totp" and "passkeys" must have at most ${MAX_FACTORS} entries together.`,
  PasskeysUnverified: '"passkeys" requires "email_verified": true.',
  IdentitiesMalformed: '"identities" must be a list of objects with "issuer" and "subject".',
  IdentitiesTooMany: `"identities" must have at most ${MAX_IDENTITIES} entries.`,
  IdentitiesUnverified: '"identities" requires "email_verified": true.',
}

/** The rest of a sentence that begins with the place of the app in the list. */
const OF_AN_APP: Readonly<Record<TotpFieldProblem, string>> = {
  TotpEntryMalformed: '" must be an object with "secret".',
  TotpSecretMalformed: '.secret" must be base32.',
  TotpSecretLength: `.secret" must have ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes, in base32.`,
  TotpSecretRepeated: '.secret" is already in the list.',
  TotpNameMalformed: '.name" must have 1 to 64 printable characters.',
  TotpAlgorithmUnsupported: '.algorithm" must be SHA1. Other codes are not supported.',
  TotpDigitsUnsupported: '.digits" must be 6. Other codes are not supported.',
  TotpPeriodUnsupported: '.period" must be 30. Other codes are not supported.',
}

const isIn = <Tag extends string>(sentences: Readonly<Record<Tag, string>>, tag: string): tag is Tag =>
  tag in sentences

/** The same for a passkey. */
const OF_A_PASSKEY: Readonly<Record<PasskeyFieldProblem, string>> = {
  PasskeyEntryMalformed: '" must be an object with "credential_id".',
  PasskeyIdMalformed: '.credential_id" must have 1 to 1023 bytes, in base64url.',
  PasskeyRepeated: '.credential_id" is already in the list.',
  PasskeyTaken: '.credential_id" is already enrolled, or in a line before.',
  PasskeyKeyRefused:
    '.public_key" must be a COSE key in base64url: P-256, Ed25519, or RSA of 2048 to 4096 bits.',
  PasskeyRpIdMalformed: '.rp_id" must be a domain in lower case.',
  PasskeyCounterMalformed: '.counter" must be an integer from 0 to 4294967295.',
  PasskeyFlagsMalformed:
    '" must have "verifies_user", "backup_eligible" and "backed_up", each true or false.',
  PasskeyBackupImpossible: '.backed_up" can only be true if "backup_eligible" is true.',
  PasskeyTransportsUnknown: '.transports" must be a list of ble, hybrid, internal, nfc, smart-card or usb.',
  PasskeyNameMalformed: '.name" must have 1 to 64 printable characters.',
}

/** The same for an identity. */
const OF_AN_IDENTITY: Readonly<Record<IdentityFieldProblem, string>> = {
  IdentityEntryMalformed: '" must be an object with "issuer" and "subject".',
  IdentityIssuerMalformed: `.issuer" must be an https URL of at most ${MAX_ISSUER_CHARACTERS} characters, without user, query and fragment.`,
  IdentitySubjectMalformed: `.subject" must be a text of 1 to ${MAX_SUBJECT_CHARACTERS} printable characters.`,
  IdentityNameMalformed: '.name" must have 1 to 64 printable characters.',
  IdentityRepeated: '" is already in the list.',
  IdentityTaken: '" belongs to another user, or is in a line before.',
}
