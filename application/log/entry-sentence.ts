import type { Actor, Event, EventType, RefusalType } from '../../domain/event.ts'
import type { FactorKind } from '../../domain/factor.ts'
import type { LogEntry } from '../ports/store.ts'
import { modelRefusalsOf } from './entry-facts.ts'

/**
 * What happened, in words, as part of a history that names its subject: `signed in through shop`.
 *
 * @param nameOf the name of an application
 */
export const entrySentence = (entry: LogEntry, nameOf: (applicationId: string) => string): string => {
  const { type, data, actor } = entry
  const words: unknown = Object.hasOwn(WORDS, type) ? WORDS[type] : type // a foreign store may have other types
  const text = typeof words === 'function' ? String(words(data)) : String(words)
  const [refusal] = type === 'RefusalsSummarized' ? [] : modelRefusalsOf(entry)
  return `${text}${refusal === undefined ? '' : `: ${refusal.reason}`}${doer(actor, nameOf)}`
}

const doer = (actor: Actor, nameOf: (applicationId: string) => string): string => {
  switch (actor.kind) {
    case 'application':
      return ` through ${nameOf(actor.id)}`
    case 'operator':
      return actor.id === undefined ? ' by an operator' : ` by operator ${actor.id}`
    default:
      return ''
  }
}

type Words = {
  readonly [Type in Exclude<EventType, RefusalType>]:
    | string
    | ((data: Extract<Event, { type: Type }>['data']) => string)
} & { readonly [Type in RefusalType]: string }

/** What people call a second factor. */
export const FACTORS: Readonly<Record<FactorKind, string>> = {
  totp: 'authenticator app',
  passkey: 'passkey',
  recovery_codes: 'recovery codes',
}

/** Each type of event. The reason of a refusal follows. */
const WORDS: Words = {
  ApplicationRegistered: ({ name }) => `application ${name} created`,
  ApplicationChanged: ({ name }) => `application ${name} changed`,
  PasskeyOriginsSet: 'passkey origins set',
  ApplicationKeyRotated: 'API key rotated',
  ApplicationRevoked: 'application revoked',
  ApplicationTokenIssued: 'application token issued',
  ApplicationTokenRevoked: 'application token revoked',
  UserRegistered: 'registered',
  UserImported: 'imported',
  UserDisabled: 'disabled',
  UserEnabled: 'enabled',
  UserRemoved: 'removed',
  UsersExported: ({ count }) => `all ${count} users exported`,
  UserSignedIn: 'signed in',
  SecondFactorRequested: 'password accepted, second factor requested',
  SessionRenewed: 'session renewed',
  SessionSteppedUp: 'authenticated again',
  UserSignedOut: ({ displaced_by }) =>
    displaced_by === undefined ? 'signed out' : 'session ended by a sign-in beyond the bound',
  OtherSessionsEnded: 'all other sessions ended',
  SessionsEnded: 'all sessions ended',
  RecoveryStarted: 'password recovery started',
  EmailConfirmationStarted: 'e-mail confirmation started',
  EmailConfirmed: ({ changed }) => (changed ? 'new e-mail confirmed' : 'e-mail confirmed'),
  FactorEnrolled: ({ kind }) => `${FACTORS[kind]} added`,
  FactorImported: ({ kind }) => `${FACTORS[kind]} imported`,
  FactorRemoved: ({ kind }) => `${FACTORS[kind]} removed`,
  FactorReencrypted: 'authenticator app encrypted again',
  FactorRenamed: 'second factor renamed',
  FactorUsed: ({ kind, counter_went_back: wentBack, backup_eligible: mayBeSynced }) =>
    [
      `${FACTORS[kind]} used`,
      ...(wentBack ? [' (its counter went back)'] : []),
      ...(mayBeSynced === undefined ? [] : [` (it ${mayBeSynced ? 'may now' : 'can no longer'} be synced)`]),
    ].join(''),
  FactorsReset: 'all second factors removed',
  RecoveryCodesGenerated: 'new recovery codes generated',
  PasswordChanged: 'password changed',
  PasswordSet: 'password set',
  PasswordRecovered: 'password recovered',
  PasswordRehashed: 'password hashed again',
  SigningKeyCreated: ({ purpose }) => `signing key created: ${purpose}`,
  SigningKeyRetired: 'signing key retired',
  SigningKeyReencrypted: 'signing key encrypted again',
  ApplicationTokenRefused: 'application token refused',
  SignInRefused: 'sign-in refused',
  SecondFactorRefused: 'second factor refused',
  PasswordChangeRefused: 'password change refused',
  RecoveryRefused: 'password recovery refused',
  RegistrationRefused: 'registration refused',
  EmailConfirmationRefused: 'e-mail confirmation refused',
  RefusalsSummarized: ({ type, count }) => `${WORDS[type]} ${count} more times`,
  LogRenewed: 'log renewed',
  LogPruned: ({ entries }) => `log pruned: ${entries} entries`,
}
