import { chain, type Either, getApplicativeValidation, isLeft, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { getSemigroup, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { traverseWithIndex } from 'fp-ts/lib/ReadonlyArray.js'
import { MAX_IDENTITIES } from './factor.ts'
import { validateFactorName } from './factor-enrolment.ts'
import { lacksVerifiedEmail } from './factor-import.ts'
import { combineFields, isAbsent } from './field.ts'
import { type IdentityName, identityMaterial } from './identity.ts'
import { isPrintable } from './name.ts'

/** An identity of an imported user at another provider. */
export type ImportedIdentity = IdentityName & Readonly<{ name: string }>

/** Why the identities of a user cannot be imported. `index` is the place of the identity in the list, from 0. */
export type IdentityImportProblem =
  | Readonly<{ _tag: 'IdentitiesMalformed' | 'IdentitiesTooMany' | 'IdentitiesUnverified' }>
  | Readonly<{ _tag: IdentityFieldProblem; index: number }>

export type IdentityFieldProblem =
  | 'IdentityEntryMalformed'
  | 'IdentityIssuerMalformed'
  | 'IdentitySubjectMalformed'
  | 'IdentityNameMalformed'
  | 'IdentityRepeated'
  | 'IdentityTaken'

type Valid<A> = Either<NonEmptyArray<IdentityImportProblem>, A>

/** Returns the identities of a user to import, or all problems. Whether another user has one of them is not checked. */
export const validateIdentityImport = ({
  identities,
  email_verified,
}: Readonly<{ identities?: unknown; email_verified?: unknown }>): Valid<ReadonlyArray<ImportedIdentity>> => {
  if (isAbsent(identities)) return right([])
  if (!Array.isArray(identities)) return left([{ _tag: 'IdentitiesMalformed' }])
  if (identities.length > MAX_IDENTITIES) return left([{ _tag: 'IdentitiesTooMany' }])
  const valid = pipe(identities, traverseWithIndex(VALIDATION)(validateIdentity), chain(withoutRepetition))
  const isUnverified = identities.length > 0 && lacksVerifiedEmail(email_verified)
  const unverified: Valid<null> = isUnverified ? left([{ _tag: 'IdentitiesUnverified' }]) : right(null)
  return pipe(
    combine({ valid, unverified }),
    map((all) => all.valid),
  )
}

const VALIDATION = getApplicativeValidation(getSemigroup<IdentityImportProblem>())
const combine = combineFields<IdentityImportProblem>()

const validateIdentity = (index: number, identity: unknown): Valid<ImportedIdentity> => {
  const problem = (_tag: IdentityFieldProblem) =>
    left<NonEmptyArray<IdentityImportProblem>>([{ _tag, index }])
  if (typeof identity !== 'object' || identity === null || Array.isArray(identity))
    return problem('IdentityEntryMalformed')
  const { issuer, subject, name }: Readonly<Record<string, unknown>> = { ...identity }

  const validateName = (): Valid<string> => {
    if (isAbsent(name) || name === '') return right(DEFAULT_IDENTITY_NAME)
    const valid = typeof name === 'string' ? validateFactorName(name) : left(undefined)
    return isLeft(valid) ? problem('IdentityNameMalformed') : valid
  }

  return combine({
    issuer:
      typeof issuer === 'string' && isIssuer(issuer) ? right(issuer) : problem('IdentityIssuerMalformed'),
    subject:
      typeof subject === 'string' && isPrintable(subject, MAX_SUBJECT_CHARACTERS)
        ? right(subject)
        : problem('IdentitySubjectMalformed'),
    name: validateName(),
  })
}

const DEFAULT_IDENTITY_NAME = 'Identity'

/** OpenID Connect Core §2. */
export const MAX_SUBJECT_CHARACTERS = 255

/** The form that IDENTITY_PROVIDERS_FILE permits. A spelling that no provider has is kept: `doctor` counts it. */
const isIssuer = (text: string): boolean => text.length <= MAX_ISSUER_CHARACTERS && ISSUER.test(text)

/** `http` only at a loopback address, and no user, query and fragment. */
const ISSUER =
  /^(?:https:\/\/[a-z0-9[]|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/]|$))(?:(?![?#@])[!-~])*$/

export const MAX_ISSUER_CHARACTERS = 512

const withoutRepetition = (
  identities: ReadonlyArray<ImportedIdentity>,
): Valid<ReadonlyArray<ImportedIdentity>> => {
  const all = identities.map(identityMaterial)
  const index = all.findIndex((one, place) => all.indexOf(one) < place)
  return index < 0 ? right(identities) : left([{ _tag: 'IdentityRepeated', index }])
}
