import { chain, type Either, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { type Factor, isDue } from './factor.ts'
import { type FactorNameProblem, validateFactorName } from './factor-enrolment.ts'
import { combineFields, type Field, required } from './field.ts'

/** The problems with the id of a factor. */
export type FactorIdProblem = 'FactorIdMissing' | 'FactorNotYours'

/** The problems behind the codes of a new name. */
export type FactorRenamingProblem = FactorIdProblem | 'NameMissing' | FactorNameProblem

export type FactorRenamingRequest = Readonly<{ factorId: Field; name: Field }>

const combine = combineFields<FactorRenamingProblem>()

/**
 * Returns the factor with its new name, or all problems of the request.
 *
 * @param factors of the user
 */
export const validateFactorRenaming = (
  { factorId, name }: FactorRenamingRequest,
  factors: ReadonlyArray<Factor>,
): Either<NonEmptyArray<FactorRenamingProblem>, Factor> =>
  pipe(
    combine({
      factor: validateFactorId<FactorRenamingProblem>(factorId, factors),
      name: pipe(
        required<FactorRenamingProblem>('NameMissing')(name),
        chain((text): Either<NonEmptyArray<FactorRenamingProblem>, string> => validateFactorName(text)),
      ),
    }),
    map(({ factor, name }) => ({ ...factor, name })),
  )

export type FactorRemovalRequest = Readonly<{ factorId: Field }>

/** Returns the factor to remove, or the problem with its id. */
export const validateFactorRemoval = (
  { factorId }: FactorRemovalRequest,
  factors: ReadonlyArray<Factor>,
): Either<NonEmptyArray<FactorIdProblem>, Factor> => validateFactorId<FactorIdProblem>(factorId, factors)

/** Recovery codes have no name, and go with the last factor. */
const validateFactorId = <P>(
  factorId: Field,
  factors: ReadonlyArray<Factor>,
): Either<NonEmptyArray<P | FactorIdProblem>, Factor> =>
  pipe(
    required<P | FactorIdProblem>('FactorIdMissing')(factorId),
    chain((id) => {
      const factor = factors.find((one) => one.id === id && one.kind !== 'recovery_codes')
      return factor === undefined ? left(['FactorNotYours']) : right(factor)
    }),
  )

/** The problem behind the code of new recovery codes. */
export type RecoveryCodesProblem = 'NoFactor'

/** Recovery codes replace a factor, so a user without one has none. */
export const validateRecoveryCodes = (
  factors: ReadonlyArray<Factor>,
): Either<NonEmptyArray<RecoveryCodesProblem>, ReadonlyArray<Factor>> =>
  isDue(factors) ? right(factors) : left(['NoFactor'])
