import { isLeft } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { compact } from 'fp-ts/lib/ReadonlyArray.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { answerAfterMs } from '../../domain/even-timing.ts'
import type { Timer } from '../ports/environment.ts'
import type { PasswordHasher } from '../ports/password-hasher.ts'
import type { SlowestSchemes } from './slowest-schemes.ts'

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
  schemes: SlowestSchemes
  hasher: Pick<PasswordHasher, 'verifyMs'>
  timer: Timer
}>

export const evenTiming =
  ({ schemes, hasher, timer }: Dependencies): EvenTiming =>
  ({ check, hasFailed }) =>
  async () => {
    let startedAt = timer.now()
    let reading: ReturnType<SlowestSchemes> | undefined
    const onStart = (): void => {
      startedAt = timer.now()
      reading = schemes() // during the hash, so that its time does not show
    }
    const outcome = await check(onStart)()
    if (isLeft(outcome) || !hasFailed(outcome.right)) return outcome
    const found = await (reading ?? schemes())
    if (isLeft(found)) return outcome // an unavailable store is so for every scheme, and shows nothing
    await timer.until(startedAt + failedSignInMs(found.right, hasher))()
    return outcome
  }

/** The shortest time from the start of a hash to the answer of a failed sign-in, while these schemes are in use. */
export const failedSignInMs = (
  schemes: ReadonlyArray<string>,
  { verifyMs }: Pick<PasswordHasher, 'verifyMs'>,
): number => {
  // `none` stands for an unknown e-mail, which costs what a new record costs.
  const costs: ReadonlyArray<Option<string>> = [none, ...schemes.map(some)]
  return answerAfterMs(compact(costs.map((cost) => verifyMs(cost))))
}
