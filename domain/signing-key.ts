import { isSome, type Option, some } from 'fp-ts/lib/Option.js'

/** The tokens that the service accepts: of applications, of users (PASETO), of users (JWT). */
export const ACCEPTED_PURPOSES = ['application', 'user', 'user_jwt'] as const
export type AcceptedPurpose = (typeof ACCEPTED_PURPOSES)[number]

/**
 * The tokens that a key signs. No key signs two of them. An ID token tells an application who signed in, and gives no access (OpenID
 * Connect Core §2).
 */
export const KEY_PURPOSES = [...ACCEPTED_PURPOSES, 'id_token'] as const
export type KeyPurpose = (typeof KEY_PURPOSES)[number]

/** Every service has a key for these. The others get one when a setting first needs it. */
export const REQUIRED_PURPOSES = ['application', 'user'] as const
export type RequiredPurpose = (typeof REQUIRED_PURPOSES)[number]

/** A key pair that signs tokens, as the store contains it. */
export type SigningKey = Readonly<{
  /** The purpose and a sequence number. */
  id: string
  /** The key id in tokens. */
  kid: string
  purpose: KeyPurpose
  /**
   * The secret key as its token format encodes it. In the store it may be encrypted; after retirement it is empty.
   * It is never logged.
   */
  material: string
  createdAtSeconds: number
  /** When the key starts to sign. It is published from its creation. */
  signsFromSeconds: number
  /** When its tokens stop being valid; none for the newest key. */
  retiresAtSeconds: Option<number>
  retired: boolean
  /** Counts the writes of this record, from 1. */
  version: number
}>

/** A new key is published this long before it signs. Clients and caches keep the published keys for a shorter time. */
export const KEYS_CACHED_SECONDS = 600

/** Whether tokens of the key can be valid. This includes a key that does not sign yet. */
export const isVerifying = (key: SigningKey, nowSeconds: number): boolean =>
  !key.retired && !isDue(key, nowSeconds)

/** Whether the key must retire now, which erases its secret. */
export const isDue = ({ retired, retiresAtSeconds }: SigningKey, nowSeconds: number): boolean =>
  !retired && isSome(retiresAtSeconds) && nowSeconds >= retiresAtSeconds.value

/**
 * Returns the ids of one purpose's keys that no longer verify. A token that names one of them has expired or was revoked.
 * The store never deletes retired keys, so only the newest `MAX_INACTIVE` count.
 *
 * @param keys oldest first
 */
export const inactiveKeyIds = (
  keys: ReadonlyArray<SigningKey>,
  purpose: KeyPurpose,
  nowSeconds: number,
): ReadonlySet<string> =>
  new Set(
    keys
      .filter((key) => key.purpose === purpose && !isVerifying(key, nowSeconds))
      .slice(-MAX_INACTIVE)
      .map(({ kid }) => kid),
  )

/** Nearly three years of daily rotations. */
const MAX_INACTIVE = 1_000

/**
 * Returns the key that signs now.
 *
 * Of the keys that may sign, it is the one that retires last, because a token is valid only as long as its key. If none may
 * sign yet (the clock went back), it is the one that retires first: clients have had the most time to fetch it.
 * Creation times are not reliable, because the clock may have been wrong then.
 *
 * @param verifying the keys of one purpose that verify, oldest first
 */
export const selectSigningKey = (
  verifying: ReadonlyArray<SigningKey>,
  nowSeconds: number,
): SigningKey | undefined => {
  const [first, ...more] = verifying.filter(({ signsFromSeconds }) => signsFromSeconds <= nowSeconds)
  if (first !== undefined)
    return more.reduce((one, other) => (endOf(other) >= endOf(one) ? other : one), first)
  const [oldest, ...younger] = verifying
  return oldest && younger.reduce((one, other) => (endOf(other) < endOf(one) ? other : one), oldest)
}

const endOf = ({ retiresAtSeconds }: SigningKey): number =>
  isSome(retiresAtSeconds) ? retiresAtSeconds.value : Number.POSITIVE_INFINITY

/** When a new key starts to sign, and when the keys before it retire. */
export type Rotation = Readonly<{ signsFromSeconds: number; othersRetireAtSeconds: number }>

/**
 * Returns a rotation that interrupts no client. Caches expire before the new key signs. The old keys verify until their last
 * token can renew no session, plus the time that caches need.
 */
export const gentleRotation = (nowSeconds: number, verifiedSeconds: number): Rotation => {
  const signsFromSeconds = nowSeconds + KEYS_CACHED_SECONDS
  return { signsFromSeconds, othersRetireAtSeconds: signsFromSeconds + verifiedSeconds + KEYS_CACHED_SECONDS }
}

/** Returns the `exp` of a token that the key signs: no token outlives its key. */
export const tokenEnd = (key: SigningKey, iat: number, tokenTtlSeconds: number): number =>
  Math.min(iat + tokenTtlSeconds, endOf(key))

/** Returns the key with this time of retirement, or the same object if it retires earlier. */
export const retiringAt = (key: SigningKey, seconds: number): SigningKey =>
  endOf(key) <= seconds ? key : { ...key, retiresAtSeconds: some(seconds) }

/** Returns the key without its secret. It neither signs nor verifies again. */
export const retired = (key: SigningKey): SigningKey => ({ ...key, retired: true, material: '' })
