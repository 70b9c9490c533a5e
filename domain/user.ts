import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { NO_ROLES, type Roles } from './roles.ts'

/** A user, who signs in with an e-mail address and a password, with a passkey, or because an application vouches for the user. */
export type User = Readonly<{
  id: string
  /** The e-mail of the registration or the last confirmation. `emailKey` compares it. */
  email: string
  /** Whether the user proved to receive mail at this address. */
  emailVerified: boolean
  /**
   * Counts the e-mails that the user has had, from 1. One-time tokens of an earlier one have ended, also after the user has the same
   * address again.
   */
  emailVersion: number
  /** The password hash with its parameters, opaque to the domain. It is never logged. '' if the user has no password. */
  passwordRecord: string
  /**
   * The password hasher's public description of how it made the record. '' if there is no record, or its scheme is unknown.
   */
  passwordScheme: string
  /**
   * Incremented to end all sessions and one-time tokens without listing them: on a new password, when the user is disabled, and when an
   * application or an operator resets the factors. What has another version has ended, also after the user is enabled again.
   */
  passwordVersion: number
  /**
   * Incremented to end sessions, and with each change of factors that the user makes. Recoveries go on: a thief of a session could
   * otherwise end each one of the owner.
   */
  sessionsVersion: number
  /**
   * The `sessionsVersion` since the factors were changed or all sessions were ended together. Sign-ins that wait for a second factor,
   * e-mail confirmations and enrolments that began before have ended.
   */
  allEndedVersion: number
  /** What programs that verify its tokens permit it (`domain/roles.ts`). */
  roles: Roles
  status: UserStatus
  /** What the user says about itself, as one text (`attributesText` in attributes.ts): '' without any. It is never logged. */
  attributes: string
  /** Seconds since the epoch. 0 once the user is removed. */
  createdAtSeconds: number
  /** Counts the writes of this record, from 1. */
  version: number
}>

/** Only an enabled user can sign in or use a session. Of a removed user only the id remains. */
export const USER_STATUSES = ['enabled', 'disabled', 'removed'] as const
export type UserStatus = (typeof USER_STATUSES)[number]

/** Returns the user disabled: no sign-in until it is enabled again, and all sessions end. */
export const disabled = (user: User): User => ({
  ...withoutProofs(user),
  status: 'disabled',
})

/** Returns the user enabled. Its earlier sessions stay ended. */
export const enabled = (user: User): User => ({ ...user, status: 'enabled' })

/**
 * Returns what remains of a removed user: its id. The id also replaces the e-mail, which can then be registered again: an id is
 * unique and never a valid address.
 */
export const removed = (user: User): User => ({
  ...disabled(withoutPassword(user)),
  status: 'removed',
  email: user.id,
  emailVerified: false,
  createdAtSeconds: 0,
  roles: NO_ROLES,
  attributes: '',
})

const withoutPassword = (user: User): User => rehashed(user, NO_PASSWORD)

/** Returns the user with all sessions and one-time tokens ended. A session that must continue needs the new `passwordVersion`. */
export const withoutProofs = (user: User): User => ({ ...user, passwordVersion: user.passwordVersion + 1 })

/** Returns the user with all sessions ended. The one that must continue needs the new `sessionsVersion`. */
export const withoutOtherSessions = (user: User): User => ({
  ...user,
  sessionsVersion: user.sessionsVersion + 1,
})

/** Returns the user with all sessions ended, and all that `allEndedVersion` ends. A session that must continue needs the new version. */
export const withoutSessions = (user: User): User => ({
  ...withoutOtherSessions(user),
  allEndedVersion: user.sessionsVersion + 1,
})

/**
 * Returns a text that changes with the password, with the factors, and when all sessions are ended together. What is sealed for the user
 * contains it. `end_others` keeps it: a thief of a session could otherwise end the enrolments of the owner.
 */
export const proofVersion = ({
  passwordVersion,
  allEndedVersion,
}: Pick<User, 'passwordVersion' | 'allEndedVersion'>): string => `${passwordVersion}.${allEndedVersion}`

/** The record of a hashed password, and the scheme that made it. */
export type HashedPassword = Readonly<{ record: string; scheme: string }>

/** What a user without a password has instead. */
export const NO_PASSWORD: HashedPassword = { record: '', scheme: '' }

/** Returns the user with a new password. All sessions end. */
export const withPassword = (user: User, password: HashedPassword): User =>
  withoutProofs(rehashed(user, password))

/** Whether a password signs the user in. A removed user has none, and a user need not have one. */
export const hasPassword = ({ passwordRecord }: Pick<User, 'passwordRecord'>): boolean =>
  passwordRecord !== ''

/** Returns the record with which a password is compared: none without a password. So the comparison takes the time of an unknown user. */
export const passwordRecordOf = (user: Pick<User, 'passwordRecord'>): Option<string> =>
  hasPassword(user) ? some(user.passwordRecord) : none

/**
 * Returns the user as its owner claims it, whom an application has authenticated: another person may have registered the address. The
 * password goes, and all sessions and one-time tokens end.
 */
export const claimed = (user: User): User => ({
  ...withoutProofs(withoutPassword(user)),
  emailVerified: true,
})

/** Returns the user with another record of the same password. */
export const rehashed = (user: User, { record, scheme }: HashedPassword): User => ({
  ...user,
  passwordRecord: record,
  passwordScheme: scheme,
})

/** Returns the user with this confirmed e-mail. Sessions go on. */
export const withConfirmedEmail = (user: User, email: string): User => ({
  ...user,
  email,
  emailVerified: true,
  emailVersion: email === user.email ? user.emailVersion : user.emailVersion + 1,
})

/** Returns the user with a new password that was set through the mailbox, which proves the e-mail. All sessions end. */
export const recovered = (user: User, password: HashedPassword): User => ({
  ...withPassword(user, password),
  emailVerified: true,
})

const MAX_EMAIL_CHARACTERS = 254 // RFC 5321 §4.5.3.1.3, less the angle brackets

/** The pattern of `type=email` in the HTML standard: ASCII only, no comments, no quoted local parts. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** Whether the service accepts the text as an e-mail address (docs/contract.md §4). */
export const isEmail = (text: string): boolean => text.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(text)

/** Returns the key that identifies the user of an e-mail: the address with ASCII letters lowered. */
export const emailKey = (email: string): string =>
  email.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))
