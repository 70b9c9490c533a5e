import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { User } from './user.ts'

/**
 * What a user can prove besides the password. Recovery codes replace a lost factor, and an identity at another provider replaces the
 * password. Neither is ever due.
 */
export const FACTOR_KINDS = ['totp', 'passkey', 'recovery_codes', 'identity'] as const
export type FactorKind = (typeof FACTOR_KINDS)[number]

/** What people call it. */
export const FACTORS: Readonly<Record<FactorKind, string>> = {
  totp: 'authenticator app',
  passkey: 'passkey',
  recovery_codes: 'recovery codes',
  identity: 'identity',
}

/** The record of a second factor, of all recovery codes of a user, or of an identity at another provider. */
export type Factor = Readonly<{
  /**
   * A UUID of version 7; `passkeyId` for a passkey, `identityId` for an identity, `recoveryCodesId` for recovery codes. Events name it
   * `factor_id`.
   */
  id: string
  userId: string
  kind: FactorKind
  /** What the user calls it; at first the provider of an identity. '' for recovery codes, and once it is removed. */
  name: string
  /**
   * The encrypted secret, the public credential of a passkey, the issuer and subject of an identity, or the digests of the unused codes,
   * separated by spaces. '' once it is removed.
   */
  material: string
  /**
   * A proof that is not newer than the mark is refused. For a TOTP it is the last accepted step, for a passkey a time in milliseconds: the
   * issue time of the newest challenge that is no longer in `answered`. For others it is 0.
   */
  mark: number
  /** The newest challenges that a passkey has answered, separated by spaces; '' for others. */
  answered: string
  /** The number of unused codes, or the signature counter of a passkey; 0 for others. */
  counter: number
  /** What a passkey tells of itself; '' for others, and once it is removed. */
  flags: string
  createdAtSeconds: number
  /** None before the first use. */
  usedAtSeconds: Option<number>
  /** A removed factor stays, because the log refers to it. */
  removed: boolean
  /** Counts the writes of this record, from 1. */
  version: number
}>

/** A factor after its use, and what the log says of the use. */
export type FactorUse = Readonly<{
  factor: Factor
  /** A copy of a synced passkey answered. */
  counterWentBack?: true
  /** Whether the passkey may now be synced, if that has changed. */
  backupEligible?: boolean
}>

/** A factor and its user, as of one moment. */
export type FactorFacts = Readonly<{ factor: Factor; user: User }>

/** The most factors of a user, without recovery codes and identities. */
export const MAX_FACTORS = 20

/** The most identities of a user. */
export const MAX_IDENTITIES = 10

/** The method of each kind that has one, in the order in which they are offered. */
export const FACTOR_METHODS = [
  ['totp', 'totp'],
  ['passkey', 'passkey'],
  ['recovery_codes', 'recovery_code'],
] as const satisfies ReadonlyArray<readonly [FactorKind, string]>

/** What replaces a password in the second step. The application shows what to ask for. */
export type FactorMethod = (typeof FACTOR_METHODS)[number][1]

/** Whether a sign-in needs a second factor. Recovery codes and identities are never due. */
export const isDue = (factors: ReadonlyArray<Pick<Factor, 'kind' | 'removed'>>): boolean =>
  factors.some(isDueAlone)

/**
 * Returns the methods of the second step that a user with these factors has. There are none if nothing is due.
 *
 * @param takesPasskeys whether the application can complete them: without origins, no page of it can use them
 */
export const methodsFor = (
  factors: ReadonlyArray<Factor>,
  takesPasskeys: boolean,
): ReadonlyArray<FactorMethod> => {
  const has = (kind: FactorKind) => factors.some((factor) => factor.kind === kind && isUsable(factor))
  return isDue(factors)
    ? FACTOR_METHODS.filter(([kind]) => has(kind) && (kind !== 'passkey' || takesPasskeys)).map(
        ([, method]) => method,
      )
    : []
}

/** Returns the factors with this one, ascending by id. It replaces one with the same id. */
export const withFactor = (
  factors: ReadonlyArray<Factor>,
  factor: Factor,
): Either<'TooManyFactors', ReadonlyArray<Factor>> => {
  const all = [...factors.filter(({ id }) => id !== factor.id), factor].sort(byId)
  return hasTooMany(all) ? left('TooManyFactors') : right(all)
}

const hasTooMany = (factors: ReadonlyArray<Factor>): boolean =>
  factors.filter(isDueAlone).length > MAX_FACTORS || factors.filter(isIdentity).length > MAX_IDENTITIES

/**
 * Returns the factors without the one with this id. The last one that is due takes the recovery codes along: otherwise they would
 * stay usable with the next factor. Identities stay.
 */
export const withoutFactor = (factors: ReadonlyArray<Factor>, id: string): ReadonlyArray<Factor> => {
  const rest = factors.filter((factor) => factor.id !== id)
  return isDue(rest) ? rest : rest.filter(isIdentity)
}

/** Whether it is an identity at another provider, which signs in like a password. A reset of factors leaves it. */
export const isIdentity = ({ kind }: Pick<Factor, 'kind'>): boolean => kind === 'identity'

/** Returns the second factors among these, without recovery codes and identities. */
export const secondFactors = <F extends Pick<Factor, 'kind'>>(factors: ReadonlyArray<F>): ReadonlyArray<F> =>
  factors.filter(({ kind }) => isSecondFactor(kind))

const isSecondFactor = (kind: FactorKind): boolean => kind !== 'recovery_codes' && kind !== 'identity'

/** Returns what remains of a removed factor. It holds neither a secret nor a name. */
export const removedFactor = (factor: Factor): Factor => ({
  ...factor,
  name: '',
  material: '',
  flags: '',
  removed: true,
})

/** Returns the text of which `recoveryCodesId` takes the digest. */
export const recoveryCodesSubject = (userId: string): string => `recovery_codes ${userId}`

/**
 * Returns the id of the recovery codes of a user: a UUID of version 8 (RFC 9562 §5.8). The user has one record of them, so of two new
 * sets one wins.
 *
 * @param sha256 of `recoveryCodesSubject`, in hexadecimal
 */
export const recoveryCodesId = (sha256: string): string => uuidV8(sha256)

/** Returns the first bytes of a digest as a UUID of version 8 (RFC 9562 §5.8). */
export const uuidV8 = (hexadecimal: string): string => {
  const variant = ((Number.parseInt(hexadecimal.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return [
    hexadecimal.slice(0, 8),
    hexadecimal.slice(8, 12),
    `8${hexadecimal.slice(13, 16)}`,
    `${variant}${hexadecimal.slice(17, 20)}`,
    hexadecimal.slice(20, 32),
  ].join('-')
}

const isDueAlone = ({ kind, removed }: Pick<Factor, 'kind' | 'removed'>): boolean =>
  isSecondFactor(kind) && !removed

const isUsable = ({ kind, counter, removed }: Factor): boolean =>
  !removed && (kind !== 'recovery_codes' || counter > 0)

/** Ids are ASCII, so units of UTF-16 sort like code points. */
const byId = (one: Factor, other: Factor): number => (one.id < other.id ? -1 : 1)
