import { pipe } from 'fp-ts/lib/function.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Factor, isDue, recoveryCodesId, recoveryCodesSubject } from '../../domain/factor.ts'
import { normalized, RECOVERY_CODES_BYTES, recoveryCodes } from '../../domain/recovery-codes.ts'
import type { Digests, Random } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { NewFactor } from '../recording/facts.ts'

type Dependencies = Readonly<{ store: Pick<Store, 'findFactor'>; random: Random; digests: Digests }>

/** New recovery codes of a user. `texts` are shown once. The record, which replaces the one of former codes, has only digests. */
export type NewRecoveryCodes = Readonly<{ texts: ReadonlyArray<string>; record: NewFactor }>

/** Returns the recovery codes that come with the first factor of a user, and none for another one. */
export const codesOfFirstFactor = (
  dependencies: Dependencies,
  { userId, factors }: Readonly<{ userId: string; factors: ReadonlyArray<Factor> }>,
): TE.TaskEither<StoreUnavailable, NewRecoveryCodes | undefined> =>
  isDue(factors) ? TE.right(undefined) : newRecoveryCodes(dependencies, userId)

export const newRecoveryCodes = (
  { store, random, digests }: Dependencies,
  userId: string,
): TE.TaskEither<StoreUnavailable, NewRecoveryCodes> => {
  const id = recoveryCodesId(digests.sha256(recoveryCodesSubject(userId)))
  const texts = recoveryCodes(random.bytes(RECOVERY_CODES_BYTES))
  return pipe(
    store.findFactor(id),
    TE.map((found) => ({
      texts,
      record: {
        id,
        userId,
        kind: 'recovery_codes',
        name: '',
        material: texts.map((text) => digests.sha256(normalized(text))).join(' '),
        mark: 0,
        answered: '',
        counter: texts.length,
        flags: '',
        version: isSome(found) ? found.value.factor.version : 0,
      },
    })),
  )
}
