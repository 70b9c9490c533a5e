import { isNonEmpty } from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none } from 'fp-ts/lib/Option.js'
import {
  inactiveKeyIds,
  isDue,
  isVerifying,
  KEY_PURPOSES,
  type KeyPurpose,
  REQUIRED_PURPOSES,
  type RequiredPurpose,
  type SigningKey,
  selectSigningKey,
} from '../../domain/signing-key.ts'
import type { UserTokenFormat } from '../../domain/token.ts'
import type { Announcements } from '../ports/announcements.ts'
import type { Background } from '../ports/background.ts'
import type { Clock } from '../ports/environment.ts'
import type { IdTokenKeys } from '../ports/id-token-keys.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { ApplicationTokens, UserJwts, UserTokens } from '../ports/token-format.ts'
import type { Unwritten } from '../recording/facts.ts'
import { NO_REQUEST, type Recorder } from '../recording/recorder.ts'
import type { SteadyClock } from '../recording/steady-clock.ts'
import { type UsableKeys, usableKey, usableKeys } from './usable-keys.ts'

/**
 * Returns the keyring, read from the store at most a second ago. So all processes soon honor a rotation by one of them.
 * `atMostMs` asks for a younger one.
 *
 * On a first start it makes the missing keys. Several processes may do so at once: a purpose's first key has a fixed id, so one
 * process writes it and the others read it.
 *
 * It retires due keys in the background. A key that it cannot unwrap is a `StoreUnavailable`: without that key, valid tokens of
 * other processes would look forged.
 */
export type CurrentKeyring = (
  age?: Readonly<{ atMostMs: number }>,
) => Promise<E.Either<StoreUnavailable, Keyring>>

/**
 * The unwrapped keys that sign and verify tokens now. While they do not change, the object is the same.
 *
 * The purposes that not every service needs are undefined until one has needed them, or an operator has made the key.
 */
export type Keyring = Readonly<
  Record<RequiredPurpose, Ring> & Record<Exclude<KeyPurpose, RequiredPurpose>, Ring | undefined>
>

/** `inactiveKeyIds` name keys whose tokens are no longer valid (domain/signing-key.ts). */
export type Ring = Readonly<{
  signing: SigningKey
  verifying: NonEmptyArray<SigningKey>
  inactiveKeyIds: ReadonlySet<string>
}>

export type Formats = Readonly<{
  application: ApplicationTokens
  user: UserTokens
  user_jwt: UserJwts
  id_token: IdTokenKeys
}>

type Dependencies = Readonly<{
  store: Pick<Store, 'listSigningKeys'>
  formats: Formats
  wrapping: KeyWrapping
  clock: Clock
  /** Says when a key is due. Its retirement erases the secret. */
  steadyClock: SteadyClock
  record: Recorder
  background: Background
  announcements?: Announcements
  /** A purpose needs a key if the service signs with it. An OpenID provider signs ID tokens, and user tokens as JWT. */
  settings: Readonly<{ userTokenFormat: UserTokenFormat; openid: boolean }>
}>

export const currentKeyring = (dependencies: Dependencies): CurrentKeyring => {
  const { clock, announcements = POLL_ONLY } = dependencies
  const cache: Cache = { keyring: undefined, readAt: NEVER, announcements: 0 }
  const reader: Reader = { ...dependencies, cache, usableKeys: usableKeys(dependencies) }
  let reading: Promise<E.Either<StoreUnavailable, Keyring>> | undefined

  announcements.onKeysChanged(() => {
    cache.announcements += 1
    cache.readAt = NEVER
  })

  return async ({ atMostMs } = FRESH) => {
    if (cache.keyring !== undefined && isFresh(cache, clock(), atMostMs)) return E.right(cache.keyring)
    reading ??= readKeyring(reader, ATTEMPTS).finally(() => {
      reading = undefined
    })
    return reading
  }
}

/** The keyring as last read, when, and how many announcements of changed keys have arrived. */
type Cache = { keyring: Keyring | undefined; readAt: number; announcements: number }

type Reader = Dependencies & Readonly<{ cache: Cache; usableKeys: UsableKeys }>

/** Polls the store once a second, without announcements. */
export const POLL_ONLY: Announcements = { onKeysChanged: () => {}, close: async () => undefined }

const NEVER = Number.NEGATIVE_INFINITY

/** A read costs microseconds, but without the cache every request would pay them. */
const FRESH = { atMostMs: 1_000 }

/** A time of reading in the future means that the clock went back. */
const isFresh = ({ readAt }: Cache, now: number, atMostMs: number): boolean =>
  now >= readAt && now < readAt + atMostMs

/**
 * The read after missing keys were made finds them, from this process or a faster one. A faster process with other settings may have
 * made only some of them.
 */
const ATTEMPTS = 2

const readKeyring = async (
  reader: Reader,
  attemptsLeft: number,
): Promise<E.Either<StoreUnavailable, Keyring>> => {
  const asked = { at: reader.clock(), announcements: reader.cache.announcements }
  const stored = await reader.store.listSigningKeys()()
  if (E.isLeft(stored)) return stored
  const keyring = updateCache(reader, stored.right, asked)
  if (E.isLeft(keyring)) return keyring
  if (keyring.right !== undefined) return E.right(keyring.right)
  if (attemptsLeft === 0)
    return E.left({ _tag: 'StoreUnavailable', reason: 'its signing keys cannot be read back' })
  const made = await makeMissing(reader, stored.right)
  return E.isLeft(made) ? made : readKeyring(reader, attemptsLeft - 1)
}

/** Builds and caches the keyring, and starts the retirement of due keys. It is undefined if a purpose has no key. */
const updateCache = (
  { clock, steadyClock, record, background, cache, usableKeys, wrapping, settings }: Reader,
  stored: ReadonlyArray<SigningKey>,
  asked: Readonly<{ at: number; announcements: number }>,
): E.Either<StoreUnavailable, Keyring | undefined> => {
  const now = clock() / 1000
  for (const key of stored) if (isDue(key, now)) background.run(() => retire(key, { steadyClock, record }))
  const known = cache.keyring
  return pipe(
    usableKeys(
      stored.filter((key) => isVerifying(key, now) && mustRead(key, { settings, wrapping })),
      KEY_PURPOSES.flatMap((purpose) => known?.[purpose]?.verifying ?? []),
    ),
    E.mapLeft(({ reason }): StoreUnavailable => ({ _tag: 'StoreUnavailable', reason })),
    E.map((usable) => {
      const keyring = keyringOf({ stored, usable }, now, known)
      if (keyring === undefined || needed(settings).some((purpose) => keyring[purpose] === undefined))
        return undefined
      cache.keyring = keyring
      // An announcement during the read may be about a later change.
      cache.readAt = asked.announcements === cache.announcements ? asked.at : NEVER
      return keyring
    }),
  )
}

/** After a conflict another process has retired the key. With an unavailable store the next read tries again. */
const retire = async (
  key: SigningKey,
  { steadyClock, record }: Pick<Dependencies, 'steadyClock' | 'record'>,
): Promise<void> => {
  const now = await steadyClock()
  if (E.isLeft(now) || !isDue(key, now.right / 1000)) return
  await record([{ _tag: 'SigningKeyRetired', key }], { kind: 'nobody' }, NO_REQUEST)()
}

const needed = ({ userTokenFormat, openid }: Dependencies['settings']): ReadonlyArray<KeyPurpose> => [
  ...REQUIRED_PURPOSES,
  ...(openid || userTokenFormat === 'jwt' ? (['user_jwt'] as const) : []),
  ...(openid ? (['id_token'] as const) : []),
]

/** No service verifies ID tokens, so one that signs none works without their keys. It reads them where it can, to re-encrypt them. */
const mustRead = (
  key: SigningKey,
  { settings, wrapping }: Pick<Dependencies, 'settings' | 'wrapping'>,
): boolean => key.purpose !== 'id_token' || settings.openid || E.isRight(usableKey(wrapping)(key))

const makeMissing = async (
  { formats, wrapping, clock, record, settings }: Reader,
  keys: ReadonlyArray<SigningKey>,
): Promise<E.Either<StoreUnavailable, void>> => {
  const missing = needed(settings).filter((purpose) => !keys.some((key) => key.purpose === purpose))
  const now = Math.floor(clock() / 1000)
  const made = await Promise.all(
    missing.map((purpose) =>
      newKey({ formats, wrapping, purpose, number: 1, createdAtSeconds: now, signsFromSeconds: now }),
    ),
  )
  const facts = made.map((key) => ({ _tag: 'SigningKeyCreated', key, superseded: [] }) as const)
  if (!isNonEmpty(facts)) return E.right(undefined)
  const written = await record(facts, { kind: 'nobody' }, NO_REQUEST)()
  // After a conflict another process has made them.
  return E.isLeft(written) && written.left._tag === 'StoreUnavailable'
    ? E.left(written.left)
    : E.right(undefined)
}

/** Makes a key in the form to store. The caller writes it. */
export const newKey = async ({
  formats,
  wrapping,
  purpose,
  number,
  createdAtSeconds,
  signsFromSeconds,
}: Readonly<{
  formats: Formats
  wrapping: KeyWrapping
  purpose: KeyPurpose
  number: number
  createdAtSeconds: number
  signsFromSeconds: number
}>): Promise<Unwritten<SigningKey>> => {
  const { kid, material } = await formats[purpose].createKey()
  return {
    id: `${purpose}-${number}`,
    kid,
    purpose,
    material: wrapping.wrap(material, { kid, purpose }),
    createdAtSeconds,
    signsFromSeconds,
    retiresAtSeconds: none,
    retired: false,
  }
}

/** All keys as stored, and the ones that verify, unwrapped. */
type Keys = Readonly<{ stored: ReadonlyArray<SigningKey>; usable: ReadonlyArray<SigningKey> }>

const keyringOf = (keys: Keys, nowSeconds: number, before: Keyring | undefined): Keyring | undefined => {
  const ringOf = (purpose: KeyPurpose): Ring | undefined => {
    const verifying = keys.usable.filter((key) => key.purpose === purpose)
    const signing = selectSigningKey(verifying, nowSeconds)
    if (signing === undefined || !isNonEmpty(verifying)) return undefined
    const ring = { signing, verifying, inactiveKeyIds: inactiveKeyIds(keys.stored, purpose, nowSeconds) }
    return reuseUnchanged(ring, before?.[purpose])
  }
  const application = ringOf('application')
  const user = ringOf('user')
  if (application === undefined || user === undefined) return undefined
  const keyring = { application, user, user_jwt: ringOf('user_jwt'), id_token: ringOf('id_token') }
  return before !== undefined && KEY_PURPOSES.every((purpose) => keyring[purpose] === before[purpose])
    ? before
    : keyring
}

/** Reuses unchanged objects: the caches of verified tokens and imported keys depend on their identity. */
const reuseUnchanged = (ring: Ring, before: Ring | undefined): Ring => {
  if (before === undefined || !isSameList(ring.verifying, before.verifying)) return ring
  const isUnchanged =
    ring.signing === before.signing && isSameList([...ring.inactiveKeyIds], [...before.inactiveKeyIds])
  return isUnchanged ? before : { ...ring, verifying: before.verifying }
}

const isSameList = <A>(some: ReadonlyArray<A>, others: ReadonlyArray<A>): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index])
