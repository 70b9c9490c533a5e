import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { fromNullable, isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import { compact } from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { attributesOf } from '../../domain/attributes.ts'
import { MAIL_KINDS, type Mail } from '../../domain/mail.ts'
import type { User } from '../../domain/user.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Letter, Message } from '../ports/mail.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { newSecret, newTokenRecord } from '../recording/one-time-tokens.ts'
import { NO_REQUEST, neverFailsWith, type Recorder } from '../recording/recorder.ts'
import { sealRegistration } from '../recording/registration-links.ts'
import type { MailDesk, MailLinks } from './mail-parts.ts'
import type { AddressedMail } from './mail-user.ts'

export type LetterDependencies = Readonly<{
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
  desk: Pick<MailDesk, 'writeLetter'>
  links: MailLinks
  /** Makes the tokens of registrations. */
  sealing?: Sealing | undefined
  settings: Readonly<{ recoveryTtlSeconds: number; emailConfirmationTtlSeconds: number }>
}>

/** This instance has no page for a link that a person asked for. Another one took the request, so it has the page. */
export type NoPages = Readonly<{ _tag: 'NoPages' }>

/**
 * Makes the letter of a mail. A request mail gets a new one-time token, which one commit records: so a link lives from the moment it is sent,
 * and no store and no queue contains it. None if the mail needs no sending, because the service has no page that it could lead to.
 */
export const makeLetter = (
  dependencies: LetterDependencies,
  addressed: AddressedMail,
): TE.TaskEither<NoPages | StoreUnavailable, Option<Letter>> => {
  const { mail, user } = addressed
  return pipe(
    messageOf(dependencies, addressed),
    TE.map((message) =>
      message === undefined
        ? none
        : some(
            dependencies.desk.writeLetter({
              id: mail.id,
              to: MAIL_KINDS[mail.kind].to === 'record' && isSome(user) ? user.value.email : mail.address,
              wishes: wishesOf(addressed),
              message,
            }),
          ),
    ),
  )
}

/** The service may not know the language of the user. */
const wishesOf = ({ mail: { language }, user }: AddressedMail): ReadonlyArray<string> =>
  compact([isSome(user) ? fromNullable(attributesOf(user.value.attributes).locale) : none, language])

const messageOf = (
  dependencies: LetterDependencies,
  { mail, user }: AddressedMail,
): TE.TaskEither<NoPages | StoreUnavailable, Message | undefined> => {
  const { kind } = mail
  if (kind === 'registration') return TE.fromEither(registrationMessage(dependencies, mail))
  if (kind === 'registration_known') return TE.fromEither(knownMessage(dependencies.links))
  return isSome(user) && (kind === 'recovery' || kind === 'email_confirmation')
    ? messageWithToken(dependencies, kind, mail, user.value)
    : TE.right(plainMessage(mail, dependencies.links))
}

const registrationMessage = (
  { links, settings, sealing, ...dependencies }: LetterDependencies,
  mail: Mail,
): Either<NoPages, Message> => {
  if (links.register === undefined || sealing === undefined) return left({ _tag: 'NoPages' })
  const token = sealRegistration(
    { ...dependencies, sealing, settings },
    { userId: mail.id, email: mail.address },
  )
  const { returnTo, language } = mail
  const more = [
    ...(isSome(returnTo) ? [`&continue=${encodeURIComponent(returnTo.value)}`] : []),
    ...(isSome(language) ? [`&ui_locales=${encodeURIComponent(language.value)}`] : []),
  ].join('')
  const { emailConfirmationTtlSeconds: lifetimeSeconds } = settings
  return right({ kind: 'registration', link: `${links.register(token)}${more}`, lifetimeSeconds })
}

const knownMessage = ({ signIn, forgotten }: MailLinks): Either<NoPages, Message> =>
  signIn === undefined || forgotten === undefined
    ? left({ _tag: 'NoPages' })
    : right({ kind: 'registration_known', link: signIn, recoveryLink: forgotten })

const messageWithToken = (
  dependencies: LetterDependencies,
  kind: 'recovery' | 'email_confirmation',
  mail: Mail,
  user: User,
): TE.TaskEither<NoPages | StoreUnavailable, Message | undefined> => {
  const { record, links, settings } = dependencies
  const isRecovery = kind === 'recovery'
  const link = isRecovery ? links.recovery : links.emailConfirmation
  if (link === undefined) return TE.left({ _tag: 'NoPages' })
  if (isNone(mail.applicationId)) return TE.right(undefined)
  const { value: applicationId } = mail.applicationId
  const lifetimeSeconds = isRecovery ? settings.recoveryTtlSeconds : settings.emailConfirmationTtlSeconds
  const { text, digest } = newSecret(dependencies, kind)
  const token = newTokenRecord(dependencies, user, {
    purpose: kind,
    digest,
    applicationId,
    email: isRecovery ? user.email : mail.address,
    ttlSeconds: lifetimeSeconds,
  })
  return pipe(
    record(
      [{ _tag: isRecovery ? 'RecoveryStarted' : 'EmailConfirmationStarted', token }],
      { kind: 'application', id: applicationId },
      NO_REQUEST,
    ),
    neverFailsWith('Conflict', 'EmailTaken'),
    TE.map((): Message => ({ kind, link: withReturn(link(text), mail), lifetimeSeconds })),
  )
}

/** The page reads it again, and compares it with the return URLs of the application. */
const withReturn = (link: string, { returnTo }: Mail): string =>
  isNone(returnTo) ? link : `${link}&return_to=${encodeURIComponent(returnTo.value)}`

/** Undefined for a mail whose link leads to a page that the service does not have. */
const plainMessage = (
  { kind, facts, createdAtSeconds: atSeconds }: Mail,
  { forgotten, account }: MailLinks,
): Message | undefined => {
  switch (kind) {
    case 'password_changed':
    case 'password_recovered':
      return { kind, atSeconds, link: forgotten }
    case 'factor_added':
      return { kind, atSeconds, factor: facts.factor ?? 'totp' }
    case 'factor_removed':
      return { kind, atSeconds, factor: facts.factor }
    case 'recovery_codes':
      return { kind, atSeconds, areNew: facts.areNew === true, codesLeft: facts.codesLeft ?? 0 }
    case 'new_sign_in':
      return { kind, atSeconds, device: facts.device }
    case 'welcome':
      return account === undefined ? undefined : { kind, link: account }
    case 'email_entered':
    case 'email_changed':
    case 'password_leaked':
    case 'account_removed':
      return { kind, atSeconds }
    // `messageOf` makes them.
    case 'registration':
    case 'registration_known':
    case 'recovery':
    case 'email_confirmation':
      return undefined
  }
}
