import { isNonEmpty } from 'fp-ts/lib/Array.js'
import { chain, type Either, left, mapLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { map, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import {
  type AttributeProblem,
  type Attributes,
  type AttributesPatch,
  mergeAttributes,
} from './attributes.ts'
import { combineFields, isAbsent, isPresent } from './field.ts'
import { identityMaterial } from './identity.ts'
import {
  type IdentityImportProblem,
  type ImportedIdentity,
  validateIdentityImport,
} from './identity-import.ts'
import {
  type ImportedPasskey,
  type IsStrongKey,
  type PasskeyImportProblem,
  validatePasskeyImport,
} from './passkey-import.ts'
import { parseRfc3339 } from './rfc3339.ts'
import { importedRoles, type Roles } from './roles.ts'
import { type ImportedTotp, type TotpImportProblem, validateTotpImport } from './totp-import.ts'
import { emailKey, type HashedPassword, isEmail, NO_PASSWORD } from './user.ts'
import { isListed, type ListedStatus } from './user-search.ts'

/**
 * A user as an export of another system, or of this one, describes it. An optional field that is null counts as absent. `password_hash` is not
 * optional: null says that the user has no password.
 */
export type ImportRequest = AttributesPatch &
  Readonly<{
    email?: unknown
    password_hash?: unknown
    id?: unknown
    email_verified?: unknown
    created_at?: unknown
    status?: unknown
    roles?: unknown
    totp?: unknown
    passkeys?: unknown
    identities?: unknown
  }>

/** A valid user to import. Without an id, the import chooses one. */
export type ImportedUser = Readonly<{
  id: Option<string>
  email: string
  emailVerified: boolean
  createdAtSeconds: number
  status: ListedStatus
  roles: Roles
  password: HashedPassword
  attributes: Attributes
  totp: ReadonlyArray<ImportedTotp>
  passkeys: ReadonlyArray<ImportedPasskey>
  identities: ReadonlyArray<ImportedIdentity>
}>

/** Why a user is not imported (docs/import.md, "Bad lines"). */
export type ImportProblem =
  | Readonly<{
      _tag:
        | 'EmailMissing'
        | 'EmailMalformed'
        | 'RecordMissing'
        | 'IdMalformed'
        | 'IdTaken'
        | 'IdOfRemovedUser'
        | 'EmailVerifiedMalformed'
        | 'CreatedAtMalformed'
        | 'CreatedAtOutOfRange'
        | 'StatusUnknown'
        | AttributeProblem
        | 'RolesMalformed'
        | 'TooManyRoles'
    }>
  /** `reason` is a sentence without any part of the record. */
  | Readonly<{ _tag: 'RecordRefused'; reason: string }>
  | TotpImportProblem
  | PasskeyImportProblem
  | IdentityImportProblem

/** What a validation needs besides the fields. `record` is read only if `password_hash` is a text. */
export type ImportFacts = Readonly<{
  readRecord: (record: string) => Either<string, HashedPassword>
  isStrongKey: IsStrongKey
  nowSeconds: number
}>

type Valid<A> = Either<NonEmptyArray<ImportProblem>, A>

/** Returns the user, or the problems of all fields. Whether its id, e-mail, passkeys and identities are free is not checked. */
export const validateImport = (request: ImportRequest, facts: ImportFacts): Valid<ImportedUser> =>
  combine({
    email: email(request.email),
    password: password(request.password_hash, facts),
    id: id(request.id),
    emailVerified: emailVerified(request.email_verified),
    createdAtSeconds: createdAt(request.created_at, facts),
    status: status(request.status),
    attributes: attributes(request),
    roles: roles(request.roles),
    totp: validateTotpImport(request),
    passkeys: validatePasskeyImport(request, facts.isStrongKey),
    identities: validateIdentityImport(request),
  })

const combine = combineFields<ImportProblem>()

const email = (field: unknown): Valid<string> => {
  if (!isText(field)) return problem('EmailMissing')
  return isEmail(field) ? right(field) : problem('EmailMalformed')
}

const password = (field: unknown, { readRecord }: ImportFacts): Valid<HashedPassword> => {
  if (field === null) return right(NO_PASSWORD)
  return isText(field)
    ? pipe(
        readRecord(field),
        mapLeft((reason) => [{ _tag: 'RecordRefused', reason }]),
      )
    : problem('RecordMissing')
}

const id = (field: unknown): Valid<Option<string>> => {
  if (isAbsent(field)) return right(none)
  return isText(field) && UUID.test(field) ? right(some(field.toLowerCase())) : problem('IdMalformed')
}

/** RFC 9562 §4, of any version. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const emailVerified = (field: unknown): Valid<boolean> => {
  if (isAbsent(field)) return right(false)
  return typeof field === 'boolean' ? right(field) : problem('EmailVerifiedMalformed')
}

const createdAt = (field: unknown, { nowSeconds }: ImportFacts): Valid<number> => {
  if (isAbsent(field)) return right(nowSeconds)
  const seconds = isText(field) ? parseRfc3339(field) : none
  if (isNone(seconds)) return problem('CreatedAtMalformed')
  const isInRange = seconds.value >= 0 && seconds.value <= nowSeconds
  return isInRange ? right(seconds.value) : problem('CreatedAtOutOfRange')
}

const status = (field: unknown): Valid<ListedStatus> => {
  if (isAbsent(field)) return right('enabled')
  return isText(field) && isListed(field) ? right(field) : problem('StatusUnknown')
}

const attributes = (request: AttributesPatch): Valid<Attributes> =>
  pipe(mergeAttributes({}, request), mapLeft(map((_tag): ImportProblem => ({ _tag }))))

const roles = (field: unknown): Valid<Roles> =>
  pipe(
    importedRoles(field),
    mapLeft(([_tag]) => [{ _tag }]),
  )

const isText = (field: unknown): field is string => typeof field === 'string' && isPresent(field)

const problem = (
  tag: Exclude<
    ImportProblem,
    TotpImportProblem | PasskeyImportProblem | IdentityImportProblem | { reason: string }
  >['_tag'],
) => left<NonEmptyArray<ImportProblem>>([{ _tag: tag }])

/** The users that exist: the `emailKey` of their e-mails, their ids, and what names their factors. Removed ones keep their ids. */
export type KnownUsers = Readonly<{
  emailKeys: ReadonlySet<string>
  ids: ReadonlySet<string>
  /** Those of `ids` whose users are removed. */
  removedIds: ReadonlySet<string>
  /** The credential ids of their passkeys, and the `identityMaterial` of their identities: one user can have each. */
  factorKeys: ReadonlySet<string>
}>

/** Returns what `KnownUsers` knows the factors of a user by. */
export const factorKeysOf = ({
  passkeys,
  identities,
}: Pick<ImportedUser, 'passkeys' | 'identities'>): ReadonlyArray<string> => [
  ...passkeys.map(({ credentialId }) => credentialId),
  ...identities.map(identityMaterial),
]

/** A user to import, or one that is known by its e-mail and skipped. */
export type ImportDecision = Valid<Readonly<{ user: ImportedUser; isKnown: boolean }>>

/** Decides about each user in turn, as if the users before it were already imported. */
export const decideImports = (
  users: ReadonlyArray<Valid<ImportedUser>>,
  known: KnownUsers,
): ReadonlyArray<ImportDecision> => {
  const emailKeys = new Set(known.emailKeys)
  const ids = new Set(known.ids)
  const factorKeys = new Set(known.factorKeys)
  return users.map(
    chain((user): ImportDecision => {
      const key = emailKey(user.email)
      if (emailKeys.has(key)) return right({ user, isKnown: true })
      const taken = [
        ...(isSome(user.id) && ids.has(user.id.value)
          ? [known.removedIds.has(user.id.value) ? ID_OF_REMOVED_USER : ID_TAKEN]
          : []),
        ...user.passkeys.flatMap(
          ({ credentialId }, index): Array<ImportProblem> =>
            factorKeys.has(credentialId) ? [{ _tag: 'PasskeyTaken', index }] : [],
        ),
        ...user.identities.flatMap(
          (identity, index): Array<ImportProblem> =>
            factorKeys.has(identityMaterial(identity)) ? [{ _tag: 'IdentityTaken', index }] : [],
        ),
      ]
      if (isNonEmpty(taken)) return left(taken)
      emailKeys.add(key)
      if (isSome(user.id)) ids.add(user.id.value)
      for (const factorKey of factorKeysOf(user)) factorKeys.add(factorKey)
      return right({ user, isKnown: false })
    }),
  )
}

const ID_TAKEN: ImportProblem = { _tag: 'IdTaken' }
const ID_OF_REMOVED_USER: ImportProblem = { _tag: 'IdOfRemovedUser' }
