import { isLeft } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { compact } from 'fp-ts/lib/ReadonlyArray.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { answerAfterMs } from '../../domain/even-timing.ts'
import type { Timer } from '../ports/environment.ts'
import type { PasswordHasher } from '../ports/password-hasher.ts'
import type { Store } from '../ports/store.ts'

/**
 * Delays the answer of a failed password check until the slowest record in use would also have failed, counted from the start of
 * the hash. Records with different costs would otherwise show by their time whether an account exists. It waits without hashing.
 *
 * @param check receives the `onStart` of its hash
 */
export type EvenTiming = <E, A>(attempt: {
  check: (onStart: () => void) => TaskEither<E, A>
  hasFailed: (outcome: A) => boolean
}) => TaskEither<E, A>

type Dependencies = Readonly<{
  store: Pick<Store, 'listPasswordSchemes'>
  hasher: Pick<PasswordHasher, 'verifyMs'>
  timer: Timer
}>

export const evenTiming =
  (dependencies: Dependencies): EvenTiming =>
  ({ check, hasFailed }) =>
  async () => {
    const { timer } = dependencies
    let startedAt = timer.now()
    const onStart = (): void => {
      startedAt = timer.now()
    }
    const outcome = await check(onStart)()
    if (isLeft(outcome) || !hasFailed(outcome.right)) return outcome
    await timer.until(startedAt + (await minimumAnswerMs(dependencies)))()
    return outcome
  }

const minimumAnswerMs = async ({ store, hasher }: Dependencies): Promise<number> => {
  const schemes = await store.listPasswordSchemes()()
  if (isLeft(schemes)) return 0 // an unavailable store is so for every scheme, and shows nothing
  // `none` stands for an unknown e-mail, which costs what a new record costs.
  return answerAfterMs(compact([none, ...schemes.right.map(some)].map(hasher.verifyMs)))
}
