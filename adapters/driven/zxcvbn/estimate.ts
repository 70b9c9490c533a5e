import { type MatchExtended, ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english } from '@zxcvbn-ts/language-en'
import type { PasswordEstimate } from '../../../domain/password-policy.ts'

/**
 * What zxcvbn looks at. Its work grows faster than the length: the most expensive texts take less than 100 ms at 64 code
 * points, more than 300 at 256 and eight seconds at 2048, and would take minutes at the 16 KiB of a whole request. Nobody
 * needs more than 64 to begin well.
 */
const MAX_CODE_POINTS = 64

/**
 * Ways to read digits and signs as letters that are tried: with the 100 that are zxcvbn's default the same texts take ten
 * times as long. One that replaces all of them comes first, and most others find the same words.
 */
const MAX_SUBSTITUTIONS = 5

/** Of 4: more than 10^8 guesses, "safely unguessable" for zxcvbn where passwords are hashed slowly. */
const STRONG_SCORE = 3

const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
  l33tMaxSubstitutions: MAX_SUBSTITUTIONS,
  maxLength: 2 * MAX_CODE_POINTS, // in UTF-16 units
})

export const estimate = (text: string): PasswordEstimate => {
  const begin = [...text].slice(0, MAX_CODE_POINTS).join('')
  const { score, sequence } = zxcvbn.check(begin)
  if (score >= STRONG_SCORE) return 'strong'
  return isMostlyWords(begin, sequence) ? 'common' : 'guessable'
}

/** Whether at least half of a text are passwords or words of the dictionaries, or repetitions of such. */
const isMostlyWords = (text: string, sequence: ReadonlyArray<MatchExtended>): boolean => {
  const inWords = sequence.filter(isWord).reduce((sum, { token }) => sum + token.length, 0)
  return text !== '' && inWords * 2 >= text.length
}

const isWord = ({ pattern, baseToken }: MatchExtended): boolean =>
  pattern === 'dictionary' ||
  pattern === 'wordSequence' ||
  (pattern === 'repeat' && isMostlyWords(baseToken, zxcvbn.check(baseToken).sequence))
