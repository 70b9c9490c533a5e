import type { UserQuery } from '../../../application/ports/user-query.ts'

/** Returns the end of the range of texts that begin so. Its last character sorts behind all others, and no e-mail or name contains it. */
export const prefixEnd = (prefix: string): string => `${prefix}\u{10ffff}`

/** Returns the id behind which a page of names begins, among those with the name `after`. */
export const idBefore = (namePrefix: string, { after, afterId = '' }: UserQuery): string =>
  after.startsWith(namePrefix) ? afterId : ''
