import { isSome, type Option, some } from 'fp-ts/lib/Option.js'

/** Which kind of token a key signs. Keys are never shared between kinds. */
export const KEY_PURPOSES = ['application', 'user'] as const
export type KeyPurpose = (typeof KEY_PURPOSES)[number]

/** A key pair that signs tokens, as it is kept in the store. */
export type SigningKey = Readonly<{
  /** Names the record: its purpose and a running number. */
  id: string
  /** The key id that tokens carry. */
  kid: string
  purpose: KeyPurpose
  /**
   * The secret key in the words of the token format that made it, in the store perhaps encrypted; empty once the key is
   * retired. Opaque here, and never in a log.
   */
  material: string
  createdAtSeconds: number
  /** It is published from its creation on, and signs from here on. */
  signsFromSeconds: number
  /** Nothing it signed is good from here on; none for the newest key. */
  retiresAtSeconds: Option<number>
  retired: boolean
  /** How often this record was written; 1 is the first time. */
  version: number
}>

/** A new key is published for this long before it signs: longer than anybody keeps our keys, and the caches in between. */
export const KEYS_CACHED_SECONDS = 600

/** Whether what the key signed may be good. A key that does not sign yet is known beforehand. */
export const isVerifying = (key: SigningKey, nowSeconds: number): boolean =>
  !key.retired && !isDue(key, nowSeconds)

/** Whether the key has come to its end, and its secret can be forgotten. */
export const isDue = ({ retired, retiresAtSeconds }: SigningKey, nowSeconds: number): boolean =>
  !retired && isSome(retiresAtSeconds) && nowSeconds >= retiresAtSeconds.value

/**
 * The ids of one purpose's keys that verify no more, of keys oldest first: a token that names one of them has ended. Retired
 * keys are kept for good, so only the newest `MAX_ENDED` count.
 */
export const endedKeyIds = (
  keys: ReadonlyArray<SigningKey>,
  purpose: KeyPurpose,
  nowSeconds: number,
): ReadonlySet<string> =>
  new Set(
    keys
      .filter((key) => key.purpose === purpose && !isVerifying(key, nowSeconds))
      .slice(-MAX_ENDED)
      .map(({ kid }) => kid),
  )

/** Nearly three years of a rotation every day. */
const MAX_ENDED = 1_000

/**
 * The key that signs now, of one purpose's keys that verify, oldest first: of those that have begun the one that ends
 * last, for a token dies with its key. When none has begun (a clock was set back), the one that ends first is the one that
 * others are sure to know. When keys were made says little, for a clock may have been set back then.
 */
export const signingOne = (
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

/** When a new key signs, and when the ones before it are good no more. */
export type Rotation = Readonly<{ signsFromSeconds: number; othersRetireAtSeconds: number }>

/**
 * A rotation that nobody notices: the new key is published for as long as others keep our keys before it signs, and the
 * old ones verify until the last token they may have signed has expired, and that long again.
 */
export const gentleRotation = (nowSeconds: number, tokenTtlSeconds: number): Rotation => {
  const signsFromSeconds = nowSeconds + KEYS_CACHED_SECONDS
  return { signsFromSeconds, othersRetireAtSeconds: signsFromSeconds + tokenTtlSeconds + KEYS_CACHED_SECONDS }
}

/** The key, to be retired then; the very same when it is to be retired earlier anyway. */
export const retiringAt = (key: SigningKey, seconds: number): SigningKey =>
  endOf(key) <= seconds ? key : { ...key, retiresAtSeconds: some(seconds) }

/** The key without its secret: nothing is signed or verified with it again. */
export const retired = (key: SigningKey): SigningKey => ({ ...key, retired: true, material: '' })
