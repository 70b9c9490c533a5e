import { chain, type Either, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { type Factor, isDue, isIdentity, withoutFactor } from './factor.ts'
import { type FactorNameProblem, validateFactorName } from './factor-enrolment.ts'
import { combineFields, type Field, required } from './field.ts'
import { readPasskeyFlags } from './passkey.ts'
import { hasPassword, type User } from './user.ts'

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

/** The problems behind the codes of a removal. */
export type FactorRemovalProblem = FactorIdProblem | 'LastWayIn'

/**
 * Returns the factor to remove, or the problem with it. Without a password, the last passkey or identity that signs its user in stays:
 * otherwise the user would need a recovery to come back.
 */
export const validateFactorRemoval = (
  { factorId }: FactorRemovalRequest,
  factors: ReadonlyArray<Factor>,
  user: Pick<User, 'passwordRecord'>,
): Either<NonEmptyArray<FactorRemovalProblem>, Factor> =>
  pipe(
    validateFactorId<FactorRemovalProblem>(factorId, factors),
    chain((factor): Either<NonEmptyArray<FactorRemovalProblem>, Factor> => {
      const isLast = isWayIn(factor) && !hasPassword(user) && !withoutFactor(factors, factor.id).some(isWayIn)
      return isLast ? left(['LastWayIn']) : right(factor)
    }),
  )

/** Whether it signs its user in by itself. */
const isWayIn = (factor: Factor): boolean =>
  isIdentity(factor) || (factor.kind === 'passkey' && readPasskeyFlags(factor.flags).verifiesUser)

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
