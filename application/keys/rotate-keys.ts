import { isNonEmpty } from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  type LifetimeSettings,
  longestIdleSeconds,
  longestSessionSeconds,
  NO_OWN_LIFETIMES,
} from '../../domain/lifetimes.ts'
import {
  gentleRotation,
  isVerifying,
  type KeyPurpose,
  retiringAt,
  type SigningKey,
} from '../../domain/signing-key.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { CannotUnwrap, KeyWrapping } from '../ports/key-wrapping.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { Fact } from '../recording/facts.ts'
import { pages } from '../recording/pages.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'
import { type Formats, newKey } from './keyring.ts'
import { usableKey } from './usable-keys.ts'

/**
 * Replaces signing keys for an operator, without interrupting clients. The new key is published before it signs. The old keys verify
 * as long as their tokens can be valid, or renew a session.
 *
 * @param atOnce for a key that leaked: the new key signs now, and all tokens of the old keys stop working now
 * @returns the keys of these purposes that are in use from now on, oldest first
 */
export type RotateKeys = (
  context: RequestContext,
  request: Request,
) => TE.TaskEither<CannotUnwrap | Overloaded | StoreUnavailable, ReadonlyArray<SigningKey>>

type Request = Readonly<{ purposes: ReadonlyArray<KeyPurpose>; atOnce: boolean }>

type Dependencies = Readonly<{
  store: Pick<Store, 'listRows' | 'listSigningKeys'>
  formats: Formats
  wrapping: KeyWrapping
  clock: Clock
  record: Recorder
  settings: LifetimeSettings & Readonly<{ applicationTokenTtlSeconds: number }>
}>

export const rotateKeys =
  (dependencies: Dependencies): RotateKeys =>
  (context, request) => {
    const { store } = dependencies
    const rotate = (keys: ReadonlyArray<SigningKey>) => rotateOnce(dependencies, { context, request, keys })
    return pipe(
      store.listSigningKeys(),
      TE.chainW(retryOnConflict(() => store.listSigningKeys(), rotate)),
      TE.chainW(() => store.listSigningKeys()),
      TE.map((keys) => keys.filter(({ purpose, retired }) => request.purposes.includes(purpose) && !retired)),
    )
  }

const rotateOnce =
  (
    dependencies: Dependencies,
    {
      context,
      request,
      keys,
    }: Readonly<{ context: RequestContext; request: Request; keys: ReadonlyArray<SigningKey> }>,
  ): TE.TaskEither<CannotUnwrap | Conflict | StoreUnavailable, void> =>
  async () => {
    const { purposes, atOnce } = request
    if (!atOnce) {
      const usable = unwrapVerifying(dependencies, keys)
      if (E.isLeft(usable)) return usable
    }
    const ttl = await longestVerified(dependencies)
    if (E.isLeft(ttl)) return ttl
    const facts = await Promise.all(
      purposes.map((purpose) =>
        replaceKeys(dependencies, keys, { purpose, atOnce, verifiedSeconds: ttl.right[purpose] }),
      ),
    )
    const all = facts.flat()
    return isNonEmpty(all)
      ? pipe(dependencies.record(all, operatorOf(context), context), neverFailsWith('EmailTaken'))()
      : E.right(undefined)
  }

/**
 * Unwraps the keys that stay in use, as a test of this process's settings. Without the service's key-encryption key it would
 * write a new key that the service cannot unwrap, or a plain one.
 *
 * A rotation at once skips the test: it is the recovery after the key-encryption key is lost.
 */
const unwrapVerifying = ({ wrapping, clock }: Dependencies, keys: ReadonlyArray<SigningKey>) =>
  pipe(
    keys.filter((key) => isVerifying(key, clock() / 1000)),
    E.traverseArray(usableKey(wrapping)),
  )

/**
 * Returns how long a new token of each purpose must verify: an application may have lifetimes of its own. A user token renews its session
 * also after its own expiry, so the longest idle time of a session counts. An application may show an expired ID token to end its session
 * (OpenID Connect RP-Initiated Logout §2), so the longest session counts.
 */
const longestVerified = async ({
  store,
  settings,
}: Dependencies): Promise<E.Either<StoreUnavailable, Readonly<Record<KeyPurpose, number>>>> => {
  let user = longestIdleSeconds({ lifetimes: NO_OWN_LIFETIMES }, settings)
  let id_token = longestSessionSeconds({ lifetimes: NO_OWN_LIFETIMES }, settings)
  const read = (after: string, limit: number) => store.listRows({ table: 'applications', after, limit })
  for await (const page of pages(read, '', ({ id }) => id)) {
    if (E.isLeft(page)) return page
    for (const application of page.right) {
      if (application.revoked) continue
      user = Math.max(user, longestIdleSeconds(application, settings))
      id_token = Math.max(id_token, longestSessionSeconds(application, settings))
    }
  }
  return E.right({ application: settings.applicationTokenTtlSeconds, user, user_jwt: user, id_token })
}

/** Makes one purpose's new key, and retires the keys in use: now, or after their last token can renew no session. */
const replaceKeys = async (
  { formats, wrapping, clock }: Dependencies,
  keys: ReadonlyArray<SigningKey>,
  {
    purpose,
    atOnce,
    verifiedSeconds,
  }: Readonly<{ purpose: KeyPurpose; atOnce: boolean; verifiedSeconds: number }>,
): Promise<ReadonlyArray<Fact>> => {
  const now = Math.floor(clock() / 1000)
  const older = keys.filter((key) => key.purpose === purpose)
  const inUse = older.filter(({ retired }) => !retired)
  const rotation = gentleRotation(now, verifiedSeconds)
  const key = await newKey({
    formats,
    wrapping,
    purpose,
    number: older.length + 1,
    createdAtSeconds: now,
    signsFromSeconds: atOnce ? now : rotation.signsFromSeconds,
  })
  if (atOnce) {
    const retired = inUse.map((old): Fact => ({ _tag: 'SigningKeyRetired', key: old }))
    return [{ _tag: 'SigningKeyCreated', key, superseded: [] }, ...retired]
  }
  const superseded = inUse
    .map((old) => retiringAt(old, rotation.othersRetireAtSeconds))
    .filter((old) => !inUse.includes(old)) // unchanged ones retire earlier anyway
  return [{ _tag: 'SigningKeyCreated', key, superseded }]
}
