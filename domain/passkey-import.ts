import { chain, type Either, getApplicativeValidation, isLeft, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { getSemigroup, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { traverseWithIndex } from 'fp-ts/lib/ReadonlyArray.js'
import { isBase64url } from './base64url.ts'
import { MAX_FACTORS } from './factor.ts'
import { validateFactorName } from './factor-enrolment.ts'
import { lacksVerifiedEmail } from './factor-import.ts'
import { combineFields, isAbsent } from './field.ts'
import { isCredentialId, type PasskeyCredential, type PasskeyFlags, TRANSPORTS } from './passkey.ts'
import { DEFAULT_PASSKEY_NAME } from './passkey-enrolment.ts'
import { isRpId } from './passkey-origins.ts'

/** A passkey of an imported user. */
export type ImportedPasskey = PasskeyCredential & PasskeyFlags & Readonly<{ counter: number; name: string }>

/** Why the passkeys of a user cannot be imported. `index` is the place of the passkey in the list, from 0. */
export type PasskeyImportProblem =
  | Readonly<{ _tag: 'PasskeysMalformed' | 'PasskeysTooMany' | 'PasskeysUnverified' }>
  | Readonly<{ _tag: PasskeyFieldProblem; index: number }>

export type PasskeyFieldProblem =
  | 'PasskeyEntryMalformed'
  | 'PasskeyIdMalformed'
  | 'PasskeyRepeated'
  | 'PasskeyTaken'
  | 'PasskeyKeyRefused'
  | 'PasskeyRpIdMalformed'
  | 'PasskeyCounterMalformed'
  | 'PasskeyFlagsMalformed'
  | 'PasskeyBackupImpossible'
  | 'PasskeyTransportsUnknown'
  | 'PasskeyNameMalformed'

/** Whether a public key, in canonical base64url, is one that a registration accepts. */
export type IsStrongKey = (publicKey: string) => boolean

type Valid<A> = Either<NonEmptyArray<PasskeyImportProblem>, A>

/** Returns the passkeys of a user to import, or all problems. Whether they are enrolled already is not checked. */
export const validatePasskeyImport = (
  {
    passkeys,
    totp,
    email_verified,
  }: Readonly<{ passkeys?: unknown; totp?: unknown; email_verified?: unknown }>,
  isStrongKey: IsStrongKey,
): Valid<ReadonlyArray<ImportedPasskey>> => {
  if (isAbsent(passkeys)) return right([])
  if (!Array.isArray(passkeys)) return left([{ _tag: 'PasskeysMalformed' }])
  const factors = passkeys.length + (Array.isArray(totp) ? totp.length : 0)
  if (passkeys.length > 0 && factors > MAX_FACTORS) return left([{ _tag: 'PasskeysTooMany' }])
  const valid = pipe(
    passkeys,
    traverseWithIndex(VALIDATION)((index, passkey) => validatePasskey(index, passkey, isStrongKey)),
    chain(withoutRepetition),
  )
  const isUnverified = passkeys.length > 0 && lacksVerifiedEmail(email_verified)
  const unverified: Valid<null> = isUnverified ? left([{ _tag: 'PasskeysUnverified' }]) : right(null)
  return pipe(
    combine({ valid, unverified }),
    map((all) => all.valid),
  )
}

const VALIDATION = getApplicativeValidation(getSemigroup<PasskeyImportProblem>())
const combine = combineFields<PasskeyImportProblem>()

type Fields = Readonly<Record<string, unknown>>

const validatePasskey = (
  index: number,
  passkey: unknown,
  isStrongKey: IsStrongKey,
): Valid<ImportedPasskey> => {
  const problem = (_tag: PasskeyFieldProblem) => left<NonEmptyArray<PasskeyImportProblem>>([{ _tag, index }])
  if (typeof passkey !== 'object' || passkey === null || Array.isArray(passkey))
    return problem('PasskeyEntryMalformed')
  const { credential_id, public_key, rp_id, counter, transports, name, ...flags }: Fields = { ...passkey }

  const text = (field: unknown, isValid: (text: string) => boolean, tag: PasskeyFieldProblem) =>
    typeof field === 'string' && isValid(field) ? right(field) : problem(tag)
  const validateCounter = (field: unknown): Valid<number> =>
    typeof field === 'number' && Number.isInteger(field) && field >= 0 && field <= MAX_COUNTER
      ? right(field === 0 ? 0 : field) // never -0
      : problem('PasskeyCounterMalformed')
  const validateFlags = (): Valid<Omit<PasskeyFlags, 'transports'>> => {
    const { verifies_user: verifiesUser, backup_eligible: backupEligible, backed_up: backedUp } = flags
    if (!isBoolean(verifiesUser) || !isBoolean(backupEligible) || !isBoolean(backedUp))
      return problem('PasskeyFlagsMalformed')
    return backedUp && !backupEligible
      ? problem('PasskeyBackupImpossible')
      : right({ verifiesUser, backupEligible, backedUp })
  }
  const validateTransports = (field: unknown): Valid<ReadonlyArray<string>> => {
    if (isAbsent(field)) return right([])
    return Array.isArray(field) && field.every((name) => TRANSPORTS.includes(name))
      ? right(TRANSPORTS.filter((name) => field.includes(name)))
      : problem('PasskeyTransportsUnknown')
  }
  const validateName = (field: unknown): Valid<string> => {
    if (isAbsent(field) || field === '') return right(DEFAULT_PASSKEY_NAME)
    const valid = typeof field === 'string' ? validateFactorName(field) : left(undefined)
    return isLeft(valid) ? problem('PasskeyNameMalformed') : valid
  }

  return pipe(
    combine({
      credentialId: text(credential_id, isCredentialId, 'PasskeyIdMalformed'),
      publicKey: text(public_key, (key) => isBase64url(key) && isStrongKey(key), 'PasskeyKeyRefused'),
      rpId: text(rp_id, isRpId, 'PasskeyRpIdMalformed'),
      counter: validateCounter(counter),
      state: validateFlags(),
      transports: validateTransports(transports),
      name: validateName(name),
    }),
    map(({ state, ...rest }) => ({ ...rest, ...state })),
  )
}

/** WebAuthn Level 3 §6.1: 32 bits. */
const MAX_COUNTER = 0xffff_ffff

const withoutRepetition = (
  passkeys: ReadonlyArray<ImportedPasskey>,
): Valid<ReadonlyArray<ImportedPasskey>> => {
  const ids = passkeys.map(({ credentialId }) => credentialId)
  const index = ids.findIndex((id, place) => ids.indexOf(id) < place)
  return index < 0 ? right(passkeys) : left([{ _tag: 'PasskeyRepeated', index }])
}

const isBoolean = (field: unknown): field is boolean => typeof field === 'boolean'
