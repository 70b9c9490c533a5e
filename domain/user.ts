/** Somebody who signs in with an e-mail address and a password. */
export type User = Readonly<{
  id: string
  /** As it was sent at registration; compared by `emailKey`. */
  email: string
  /** What the password hasher made of the password. Opaque here, and never in a log. */
  passwordRecord: string
  /**
   * How the record was made, in public words of the password hasher; '' where there is no record, or nobody said so. It is
   * written with the record.
   */
  passwordScheme: string
  /**
   * Goes up with every new password, when the user is disabled, and when the user ends all other sessions: whenever sessions are
   * to end that nobody has gathered. A session opened
   * under another one is dead, and stays dead when the user is enabled again.
   */
  passwordVersion: number
  status: UserStatus
  /** How often this record was written; 1 is the first time. */
  version: number
}>

/** Only an enabled user can sign in or use a session. What is left of a removed one is no more than its id. */
export const USER_STATUSES = ['enabled', 'disabled', 'removed'] as const
export type UserStatus = (typeof USER_STATUSES)[number]

/** A user nobody can sign in as, until it is enabled again. Its sessions are dead for good. */
export const disabled = (user: User): User => ({
  ...withoutSessions(user),
  status: 'disabled',
})

export const enabled = (user: User): User => ({ ...user, status: 'enabled' })

/**
 * What is kept of a user who was removed: that there was one with this id. The id stands in place of the e-mail, for
 * it is unique and no address equals it, so that the address may be registered again.
 */
export const removed = (user: User): User => ({
  ...disabled(user),
  status: 'removed',
  email: user.id,
  passwordRecord: '',
  passwordScheme: '',
})

/** The user with no session left. One that is to live on has to follow to the new version. */
export const withoutSessions = (user: User): User => ({
  ...user,
  passwordVersion: user.passwordVersion + 1,
})

/** What a password hasher makes of a password: the record, and how it was made. */
export type HashedPassword = Readonly<{ record: string; scheme: string }>

/** The user with another password. All sessions end. */
export const withPassword = (user: User, password: HashedPassword): User =>
  withoutSessions(rehashed(user, password))

/** The user with another record of the same password. */
export const rehashed = (user: User, { record, scheme }: HashedPassword): User => ({
  ...user,
  passwordRecord: record,
  passwordScheme: scheme,
})

const MAX_EMAIL_CHARACTERS = 254 // RFC 5321 §4.5.3.1.3, less the angle brackets

/** The pattern of `type=email` in the HTML standard: ASCII only, no comments, no quoted local parts. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

export const isEmail = (text: string): boolean => text.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(text)

/** Two addresses are one user's when their keys are equal: ASCII letters lowered, nothing else touched. */
export const emailKey = (email: string): string =>
  email.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))
