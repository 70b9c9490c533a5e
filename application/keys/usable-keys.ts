import { isNonEmpty } from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { lefts, zip } from 'fp-ts/lib/ReadonlyArray.js'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { Background } from '../ports/background.ts'
import type { CannotUnwrap, KeyWrapping } from '../ports/key-wrapping.ts'
import type { Store } from '../ports/store.ts'
import type { Fact } from '../recording/facts.ts'
import { NO_REQUEST, type Recorder } from '../recording/recorder.ts'

/**
 * Returns stored keys with their material unwrapped. A key that is known in this version is the same object again.
 *
 * @param known what the last call returned
 */
export type UsableKeys = (
  stored: ReadonlyArray<SigningKey>,
  known: ReadonlyArray<SigningKey>,
) => E.Either<CannotUnwrap, ReadonlyArray<SigningKey>>

type Dependencies = Readonly<{ wrapping: KeyWrapping; record: Recorder; background: Background }>

/**
 * Unwraps each key once. A key id always names the same key pair. So a process continues to work while another one re-encrypts the
 * keys, even if it gets the new key-encryption key only at its next start.
 *
 * A key that is outdated when first read is re-encrypted in the background, and only then. During a change of the key-encryption
 * key, processes disagree about which one is current, and would otherwise re-encrypt the keys again and again.
 */
export const usableKeys = (dependencies: Dependencies): UsableKeys => {
  const { wrapping, background } = dependencies
  const outdated: Outdated = { kids: new Set() }
  return (stored, known) =>
    pipe(
      stored,
      E.traverseArray((key) => reuseOrUnwrap(wrapping, key, findSame(known, key))),
      E.map((usable) => {
        const found = zip(stored, usable).filter(
          ([key]) =>
            (outdated.kids.has(key.kid) || findSame(known, key) === undefined) &&
            wrapping.assess(key.material, key) === 'outdated',
        )
        outdated.kids = new Set(found.map(([{ kid }]) => kid))
        if (found.length > 0) background.run(() => reencrypt(dependencies, found, outdated))
        return usable
      }),
    )
}

/** The ids of keys that wait for re-encryption. */
type Outdated = { kids: ReadonlySet<string> }

const findSame = (keys: ReadonlyArray<SigningKey>, key: SigningKey): SigningKey | undefined =>
  keys.find(({ id, kid, purpose }) => id === key.id && kid === key.kid && purpose === key.purpose)

const reuseOrUnwrap = (
  wrapping: KeyWrapping,
  stored: SigningKey,
  known: SigningKey | undefined,
): E.Either<CannotUnwrap, SigningKey> => {
  if (known === undefined) return usableKey(wrapping)(stored)
  return E.right(known.version === stored.version ? known : { ...stored, material: known.material })
}

/** Unwraps the material of a stored key. The result signs and verifies, and must never be stored. */
export const usableKey =
  (wrapping: KeyWrapping) =>
  (stored: SigningKey): E.Either<CannotUnwrap, SigningKey> =>
    pipe(
      wrapping.unwrap(stored.material, stored),
      E.map((material) => ({ ...stored, material })),
    )

/** Whether a stored key cannot be unwrapped for this reason. Otherwise the store was unavailable. */
export const isUndecryptable = async (
  { store, wrapping }: Readonly<{ store: Pick<Store, 'listSigningKeys'>; wrapping: KeyWrapping }>,
  reason: string,
): Promise<boolean> => {
  const stored = await store.listSigningKeys()()
  return (
    E.isRight(stored) && lefts(stored.right.map(usableKey(wrapping))).some((one) => one.reason === reason)
  )
}

/** Re-encrypts the keys in one change, so that no page of a database file has some of them encrypted and others plain. */
const reencrypt = async (
  { wrapping, record }: Dependencies,
  keys: ReadonlyArray<readonly [stored: SigningKey, usable: SigningKey]>,
  outdated: Outdated,
): Promise<void> => {
  const { keyEncryptionKeyId } = wrapping
  if (isNone(keyEncryptionKeyId)) return
  const facts = keys.map(
    ([key, { material }]): Fact => ({
      _tag: 'SigningKeyReencrypted',
      key,
      material: wrapping.wrap(material, key),
      keyEncryptionKeyId: keyEncryptionKeyId.value,
    }),
  )
  if (!isNonEmpty(facts)) return
  const written = await record(facts, { kind: 'nobody' }, NO_REQUEST)()
  if (E.isLeft(written)) return // after a conflict or with an unavailable store, the next read tries again
  outdated.kids = new Set([...outdated.kids].filter((kid) => !keys.some(([key]) => key.kid === kid)))
}
