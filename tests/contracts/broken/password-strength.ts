import * as E from 'fp-ts/lib/Either.js'
import type { LeakedPasswords, PasswordEstimator } from '../../../application/ports/password-strength.ts'
import type { PasswordEstimate } from '../../../domain/password-policy.ts'
import { leakedAre, plainEstimator } from '../../support/fake-passwords.ts'
import { ESTIMATES, LISTED, LONG, UNLISTED } from '../password-strength.ts'
import type { BrokenOne } from './a-contract.ts'
import { turn } from './broken.ts'

export type List = (passwords: ReadonlyArray<string>) => LeakedPasswords

const finds = (password: string): string => `finds ${JSON.stringify(password)}`
const findsNot = (password: string): string => `does not find ${JSON.stringify(password)}`
const LIST_AT_ONCE = 'keeps answers apart that are asked for at once'

/** Lists that take one password for another, or lose one. */
export const BROKEN_LISTS: ReadonlyArray<BrokenOne<List>> = [
  ...LISTED.map((lost) => ({
    breaks: `loses ${JSON.stringify(lost)}`,
    caughtBy: [finds(lost), LIST_AT_ONCE],
    open: (passwords: ReadonlyArray<string>) => leakedAre(...passwords.filter((one) => one !== lost)),
  })),
  ...UNLISTED.map((made) => ({
    breaks: `makes up ${JSON.stringify(made)}`,
    caughtBy: [findsNot(made), LIST_AT_ONCE],
    open: (passwords: ReadonlyArray<string>) => leakedAre(...passwords, made),
  })),
  {
    breaks: 'finds everything',
    caughtBy: UNLISTED.map(findsNot),
    open: () => () => async () => E.right(true),
  },
  {
    breaks: 'rejects what it does not find',
    caughtBy: UNLISTED.map(findsNot),
    open: (passwords) => (password) => async () => {
      const found = await leakedAre(...passwords)(password)()
      if (E.isRight(found) && !found.right) throw new Error('not found')
      return found
    },
  },
  {
    breaks: 'answers all with the last that was asked',
    caughtBy: [LIST_AT_ONCE],
    open: (passwords) => {
      let last = ''
      return (password) => async () => {
        last = password
        await turn()
        return leakedAre(...passwords)(last)()
      }
    },
  },
]

const ESTIMATES_AT_ONCE = 'keeps estimates apart that are asked for at once'

const called = (text: string, estimate: PasswordEstimate): string =>
  `calls ${JSON.stringify(text)} ${estimate}`

/** Estimators that misjudge, or do not answer. */
export const BROKEN_ESTIMATORS: ReadonlyArray<BrokenOne<() => PasswordEstimator>> = [
  ...ESTIMATES.map(([text, estimate]) =>
    estimating(`misjudges ${JSON.stringify(text)}`, [called(text, estimate), ESTIMATES_AT_ONCE], (asked) =>
      asked === text ? (estimate === 'strong' ? 'common' : 'strong') : undefined,
    ),
  ),
  ...LONG.map(([what, text]) =>
    estimating(`gives up on ${what}`, [`has an answer for 16 KiB of ${what}`], (asked) => {
      if (asked === text) throw new Error('too long')
      return undefined
    }),
  ),
  {
    breaks: 'answers all with the last that was asked',
    caughtBy: [ESTIMATES_AT_ONCE],
    open: () => {
      let last = ''
      return {
        ...plainEstimator,
        estimate: (text) => async () => {
          last = text
          await turn()
          return plainEstimator.estimate(last)()
        },
      }
    },
  },
  {
    breaks: 'cannot be closed twice',
    caughtBy: ['may be closed twice, and before it was asked for anything'],
    open: () => {
      let closed = false
      return {
        ...plainEstimator,
        close: async () => {
          if (closed) throw new Error('closed already')
          closed = true
        },
      }
    },
  },
]

function estimating(
  breaks: string,
  caughtBy: ReadonlyArray<string>,
  estimate: (text: string) => PasswordEstimate | undefined,
): BrokenOne<() => PasswordEstimator> {
  return {
    breaks,
    caughtBy,
    open: () => ({
      ...plainEstimator,
      estimate: (text) => async () => {
        const wrong = estimate(text)
        return wrong === undefined ? plainEstimator.estimate(text)() : E.right(wrong)
      },
    }),
  }
}
