import { chain, type Either, getApplicativeValidation, isLeft, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { getSemigroup, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { traverseWithIndex } from 'fp-ts/lib/ReadonlyArray.js'
import { base32, bytesOfAnyBase32 } from './base32.ts'
import { MAX_FACTORS } from './factor.ts'
import { validateFactorName } from './factor-enrolment.ts'
import { lacksVerifiedEmail } from './factor-import.ts'
import { combineFields, isAbsent } from './field.ts'
import { DEFAULT_NAME } from './totp-enrolment.ts'

/** An authenticator app of an imported user. */
export type ImportedTotp = Readonly<{ secret: Uint8Array; name: string }>

/** Why the apps of a user cannot be imported. `index` is the place of the app in the list, from 0. */
export type TotpImportProblem =
  | Readonly<{ _tag: 'TotpMalformed' | 'TotpTooMany' | 'TotpUnverified' }>
  | Readonly<{ _tag: TotpFieldProblem; index: number }>

export type TotpFieldProblem =
  | 'TotpEntryMalformed'
  | 'TotpSecretMalformed'
  | 'TotpSecretLength'
  | 'TotpSecretRepeated'
  | 'TotpNameMalformed'
  | 'TotpAlgorithmUnsupported'
  | 'TotpDigitsUnsupported'
  | 'TotpPeriodUnsupported'

type Valid<A> = Either<NonEmptyArray<TotpImportProblem>, A>

/** Returns the apps of a user to import, or all problems. Without the field there are none. */
export const validateTotpImport = ({
  totp,
  email_verified,
}: Readonly<{ totp?: unknown; email_verified?: unknown }>): Valid<ReadonlyArray<ImportedTotp>> => {
  if (isAbsent(totp)) return right([])
  if (!Array.isArray(totp)) return left([{ _tag: 'TotpMalformed' }])
  if (totp.length > MAX_FACTORS) return left([{ _tag: 'TotpTooMany' }])
  const apps = pipe(totp, traverseWithIndex(VALIDATION)(validateApp), chain(withoutRepetition))
  const isUnverified = totp.length > 0 && lacksVerifiedEmail(email_verified)
  const unverified: Valid<null> = isUnverified ? left([{ _tag: 'TotpUnverified' }]) : right(null)
  return pipe(
    combine({ apps, unverified }),
    map((valid) => valid.apps),
  )
}

const VALIDATION = getApplicativeValidation(getSemigroup<TotpImportProblem>())
const combine = combineFields<TotpImportProblem>()

const validateApp = (index: number, app: unknown): Valid<ImportedTotp> => {
  const problem = (_tag: TotpFieldProblem) => left<NonEmptyArray<TotpImportProblem>>([{ _tag, index }])
  if (typeof app !== 'object' || app === null || Array.isArray(app)) return problem('TotpEntryMalformed')
  const { secret, name, algorithm, digits, period }: Readonly<Record<string, unknown>> = { ...app }

  const validateSecret = (): Valid<Uint8Array> => {
    const bytes = typeof secret === 'string' ? bytesOfAnyBase32(secret) : undefined
    if (bytes === undefined || isNone(bytes)) return problem('TotpSecretMalformed')
    const { length } = bytes.value
    return length >= MIN_SECRET_BYTES && length <= MAX_SECRET_BYTES
      ? right(bytes.value)
      : problem('TotpSecretLength')
  }
  const validateName = (): Valid<string> => {
    if (isAbsent(name) || name === '') return right(DEFAULT_NAME)
    const valid = typeof name === 'string' ? validateFactorName(name) : left(undefined)
    return isLeft(valid) ? problem('TotpNameMalformed') : valid
  }
  const only = (isSupported: boolean, tag: TotpFieldProblem): Valid<null> =>
    isSupported ? right(null) : problem(tag)

  return pipe(
    combine({
      secret: validateSecret(),
      name: validateName(),
      algorithm: only(isAbsent(algorithm) || isSha1(algorithm), 'TotpAlgorithmUnsupported'),
      digits: only(isAbsent(digits) || digits === 6, 'TotpDigitsUnsupported'),
      period: only(isAbsent(period) || period === 30, 'TotpPeriodUnsupported'),
    }),
    map((valid) => ({ secret: valid.secret, name: valid.name })),
  )
}

/** One code would be accepted for each app with its secret, but a code is accepted once. */
const withoutRepetition = (apps: ReadonlyArray<ImportedTotp>): Valid<ReadonlyArray<ImportedTotp>> => {
  const secrets = apps.map(({ secret }) => base32(secret))
  const index = secrets.findIndex((secret, place) => secrets.indexOf(secret) < place)
  return index < 0 ? right(apps) : left([{ _tag: 'TotpSecretRepeated', index }])
}

/** Other systems use secrets of these lengths. Apps accept them. */
export const MIN_SECRET_BYTES = 10
export const MAX_SECRET_BYTES = 64

/** Whether a secret has fewer than the 112 bits that SP 800-63B-4 requires. */
export const isShortSecret = (secret: Uint8Array): boolean => secret.length < 14

/** `SHA1` in an otpauth URI, `HmacSHA1` in Keycloak. */
const isSha1 = (algorithm: unknown): boolean =>
  typeof algorithm === 'string' && /^(hmac-?)?sha-?1$/i.test(algorithm)
