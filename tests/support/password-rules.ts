import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PasswordRule } from '../../application/ports/password-rule.ts'

/** Refuses passwords that contain a word. Records what it is asked. */
export const ruleAgainst = (word: string, asked: Array<unknown> = []): PasswordRule => ({
  name: `no-${word}`,
  refusal: `contains the word ${word}.`,
  refuses: (password, user) => {
    asked.push([password, user])
    return TE.right(password.includes(word))
  },
})

const REFUSAL = 'is on a list.'

export const UNAVAILABLE_RULE: PasswordRule = {
  name: 'away',
  refusal: REFUSAL,
  refuses: () => TE.left({ _tag: 'PasswordCheckUnavailable', reason: 'the list is away' }),
}
