/** Somebody who signs in with an e-mail address and a password. */
export type User = Readonly<{
  id: string
  /** As it was sent at registration; compared by `emailKey`. */
  email: string
  /** What the password hasher made of the password. Opaque here, and never in a log. */
  passwordRecord: string
  /** Goes up with every new password. A session opened under another one is dead. */
  passwordVersion: number
  /** How often this record was written; 1 is the first time. */
  version: number
}>

const MAX_EMAIL_CHARACTERS = 254 // RFC 5321 §4.5.3.1.3, less the angle brackets

/** The pattern of `type=email` in the HTML standard: ASCII only, no comments, no quoted local parts. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

export const isEmail = (text: string): boolean => text.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(text)

/** Two addresses are one user's when their keys are equal: ASCII letters lowered, nothing else touched. */
export const emailKey = (email: string): string =>
  email.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))
