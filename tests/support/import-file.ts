import { hash } from '@node-rs/bcrypt'

/** A bcrypt record of a password, at the lowest cost. */
export const bcryptRecord = (password: string): Promise<string> => hash(password, 4)

/** A well-formed record that no test verifies. */
export const SOME_RECORD = `$2b$04$${'.'.repeat(53)}`

/** A line of a file to import. */
export const importLine = (email: string, fields: object = {}): string =>
  `${JSON.stringify({ email, password_hash: SOME_RECORD, ...fields })}\n`

/** Lines of so many users, from user0@example.com. */
export const importLines = (count: number): string =>
  Array.from({ length: count }, (_, index) => importLine(`user${index}@example.com`)).join('')
