import * as TE from 'fp-ts/lib/TaskEither.js'
import type { LeakedPasswords, PasswordEstimator } from '../../application/ports/password-strength.ts'

/** An in-memory list of leaked passwords. */
export const leakedAre =
  (...passwords: ReadonlyArray<string>): LeakedPasswords =>
  (password) =>
    TE.right(passwords.includes(password))

/** An estimator with one common word and one pattern: a repeated character or an empty text. */
export const plainEstimator: PasswordEstimator = {
  estimate: (text) => TE.right(estimateOf(text)),
  close: async () => {},
}

const estimateOf = (text: string) => {
  if (/^(.)\1*$|^$/su.test(text)) return 'guessable'
  return /password/i.test(text) ? 'common' : 'strong'
}
