import type { UserStatus } from '../../domain/user.ts'

/**
 * Which users to list: of `role`, `emailPrefix` and `namePrefix` at most one, and `status` with neither prefix. Each is
 * well-formed Unicode of at least one character. A text that no row can have matches nothing.
 * The testkit has no contract for this type: that of the store asks with it.
 */
export type UserQuery = Readonly<{
  status?: Exclude<UserStatus, 'removed'>
  /** Only users with this role, which contains no space. */
  role?: string
  /** Only users whose `emailKey` begins so, ascending by it. */
  emailPrefix?: string
  /** Only users whose `nameKey` begins so, ascending by it, then by id. */
  namePrefix?: string
  /** What the last user before has: the id, or with a prefix that key. '' for the beginning. No user needs to have it. */
  after: string
  /** With `namePrefix`: the id of that user. '' by default. */
  afterId?: string
  limit: number
}>

/** `expiresAfterSeconds` is a whole number. */
export type SessionQuery = Readonly<{
  userId: string
  passwordVersion: number
  sessionsVersion: number
  expiresAfterSeconds: number
  /** How many of the first ones are left out. */
  skip: number
  limit: number
}>

/** E-mails of users, each as its `emailKey`, and ids of users. */
export type UserKeys = Readonly<{ emailKeys: ReadonlyArray<string>; ids: ReadonlyArray<string> }>

/** `after` is a scheme or '' for the beginning. No user needs to have it. It is a text that a change may contain. */
export type SchemeQuery = Readonly<{ after: string; limit: number }>
