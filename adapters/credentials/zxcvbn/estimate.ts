import { type MatchExtended, ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english } from '@zxcvbn-ts/language-en'
import type { PasswordEstimate } from '../../../domain/password-policy.ts'

/**
 * The number of code points that zxcvbn checks. Its time grows faster than the length. The most expensive texts take
 * below 100 ms at 64, over 300 ms at 256, 8 s at 2048, and minutes at 16 KiB, the size of a request. A strong password
 * is strong within 64.
 */
const MAX_CODE_POINTS = 64

/**
 * The substitutions of digits and signs by letters to try. With zxcvbn's default of 100, the same texts take ten times
 * as long. The first one replaces all of them, and most others find the same words.
 */
const MAX_SUBSTITUTIONS = 5

/** Of 4: more than 10^8 guesses, which zxcvbn calls "safely unguessable" with slow hashing. */
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

/** Whether passwords or dictionary words, or repetitions of them, make up at least half of the text. */
const isMostlyWords = (text: string, sequence: ReadonlyArray<MatchExtended>): boolean => {
  const inWords = sequence.filter(isWord).reduce((sum, { token }) => sum + token.length, 0)
  return text !== '' && inWords * 2 >= text.length
}

const isWord = ({ pattern, baseToken }: MatchExtended): boolean =>
  pattern === 'dictionary' ||
  pattern === 'wordSequence' ||
  (pattern === 'repeat' && isMostlyWords(baseToken, zxcvbn.check(baseToken).sequence))
