import { isLeft } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { compact } from 'fp-ts/lib/ReadonlyArray.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { answerAfterMs } from '../../domain/even-timing.ts'
import type { Timer } from '../ports/environment.ts'
import type { PasswordHasher } from '../ports/password-hasher.ts'
import type { Store } from '../ports/store.ts'

/**
 * Answers a password check that failed no earlier than the slowest record in use takes, counted from when the work on its hash
 * began: where records were made at several costs, the time would tell whether there is an account. It waits without hashing.
 *
 * @param check is given what the hasher asks right before the work begins
 */
export type EvenTiming = <E, A>(attempt: {
  wanted: () => boolean
  check: (wanted: () => boolean) => TaskEither<E, A>
  hasFailed: (outcome: A) => boolean
}) => TaskEither<E, A>

export const evenTiming = ({
  store,
  hasher,
  timer,
}: Readonly<{
  store: Pick<Store, 'listPasswordSchemes'>
  hasher: Pick<PasswordHasher, 'verifyMs'>
  timer: Timer
}>): EvenTiming => {
  const answerAfter = async (): Promise<number> => {
    const schemes = await store.listPasswordSchemes()()
    if (isLeft(schemes)) return 0 // which scheme a record is of does not change whether the store is away
    // An account that does not exist costs what a new record costs, whether or not there is one.
    return answerAfterMs(compact([none, ...schemes.right.map(some)].map(hasher.verifyMs)))
  }

  return ({ wanted, check, hasFailed }) =>
    async () => {
      let begunAt = timer.now()
      const begin = (): boolean => {
        begunAt = timer.now()
        return wanted()
      }
      const outcome = await check(begin)()
      if (isLeft(outcome) || !hasFailed(outcome.right)) return outcome
      await timer.until(begunAt + (await answerAfter()))()
      return outcome
    }
}
