import type { LeakedPasswords, PasswordEstimator } from '../../../application/ports/password-strength.ts'
import type { PasswordEstimate } from '../../../domain/password-policy.ts'
import { leakedAre } from '../../support/fake-passwords.ts'
import { ESTIMATES, LISTED, LONG, UNLISTED } from '../../testkit/password-strength.ts'
import { caughtBy } from './harness.ts'
import { closesOnce, type Mutate, mutationsOf } from './mutations.ts'

/** A mutation of a list of leaked passwords. */
export type MutateList = (passwords: ReadonlyArray<string>) => LeakedPasswords

const FOUND_AT_ONCE = 'keeps answers apart that are asked for at once'

/** Lists that confuse passwords or lose one. */
export const LIST_MUTATIONS = [
  ...LISTED.flatMap((lost) =>
    caughtBy<MutateList>([`finds ${JSON.stringify(lost)}`, FOUND_AT_ONCE], {
      [`loses ${JSON.stringify(lost)}`]: (passwords) => leakedAre(...passwords.filter((one) => one !== lost)),
    }),
  ),
  ...UNLISTED.flatMap((added) =>
    caughtBy<MutateList>([`does not find ${JSON.stringify(added)}`, FOUND_AT_ONCE], {
      [`adds ${JSON.stringify(added)}`]: (passwords) => leakedAre(...passwords, added),
    }),
  ),
]

export type MutateEstimator = Mutate<PasswordEstimator>
const caught = caughtBy<MutateEstimator>
const { answer } = mutationsOf<PasswordEstimator>()
const ESTIMATED_AT_ONCE = 'keeps estimates apart that are asked for at once'

const wrongEstimate = (estimate: PasswordEstimate): PasswordEstimate =>
  estimate === 'strong' ? 'common' : 'strong'

/** Estimators that give a wrong estimate, or none. */
export const ESTIMATOR_MUTATIONS = [
  ...ESTIMATES.flatMap(([text, estimate]) =>
    caught([`calls ${JSON.stringify(text)} ${estimate}`, ESTIMATED_AT_ONCE], {
      [`misjudges ${JSON.stringify(text)}`]: answer('estimate', (good, asked) =>
        asked === text ? wrongEstimate(good) : good,
      ),
    }),
  ),
  ...LONG.flatMap(([what, text]) =>
    caught(`has an answer for 16 KiB of ${what}`, {
      [`rejects ${what}`]: answer('estimate', (good, asked) => {
        if (asked === text) throw new Error('too long')
        return good
      }),
    }),
  ),
  ...caught('may be closed twice, and before it was asked for anything', {
    'cannot be closed twice': closesOnce,
  }),
]
