import { isNonEmpty } from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { zip } from 'fp-ts/lib/ReadonlyArray.js'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { Background } from '../ports/background.ts'
import type { CannotUnwrap, KeyWrapping } from '../ports/key-wrapping.ts'
import type { Fact } from '../recording/facts.ts'
import { NO_REQUEST, type Recorder } from '../recording/recorder.ts'

/** A stored key with its material unwrapped: it signs and verifies, and is never written back. */
export const usableKey =
  (wrapping: KeyWrapping) =>
  (stored: SigningKey): E.Either<CannotUnwrap, SigningKey> =>
    pipe(
      wrapping.unwrap(stored.material, stored),
      E.map((material) => ({ ...stored, material })),
    )

/**
 * Keys as they are in the store, made usable. One that is known in this very version is the same object again.
 *
 * @param known what this made of them the last time
 */
export type UsableKeys = (
  stored: ReadonlyArray<SigningKey>,
  known: ReadonlyArray<SigningKey>,
) => E.Either<CannotUnwrap, ReadonlyArray<SigningKey>>

/**
 * Unwraps each key when it is first met, and no more: a key id stands for one key pair for ever, so that a process can go on
 * while another one encrypts the keys under a key-encryption key that this one is not given before its next start.
 *
 * A key that is first met in a form that is outdated is written again in the background. Only then: processes that disagree
 * on which key-encryption key comes first, as they do while it is being changed, would otherwise write for ever.
 */
export const usableKeys = ({
  wrapping,
  record,
  background,
}: Readonly<{ wrapping: KeyWrapping; record: Recorder; background: Background }>): UsableKeys => {
  let outdated: ReadonlySet<string> = new Set() // key ids

  const reencrypt = (found: ReadonlyArray<Pair>) => async (): Promise<void> => {
    const { keyEncryptionKeyId } = wrapping
    if (isNone(keyEncryptionKeyId)) return
    const facts = found.map(
      ([key, { material }]): Fact => ({
        _tag: 'SigningKeyReencrypted',
        key,
        material: wrapping.wrap(material, key),
        keyEncryptionKeyId: keyEncryptionKeyId.value,
      }),
    )
    if (!isNonEmpty(facts)) return
    // In one change, so that no page of any file is written with one of them encrypted and another one plain.
    const written = await record(facts, { kind: 'nobody' }, NO_REQUEST)()
    // Somebody who was faster, or a store that is away, leaves it to the next look.
    if (E.isLeft(written)) return
    outdated = new Set([...outdated].filter((kid) => !found.some(([key]) => key.kid === kid)))
  }

  return (stored, known) => {
    const knownAs = (key: SigningKey) =>
      known.find(({ id, kid, purpose }) => id === key.id && kid === key.kid && purpose === key.purpose)

    const isOutdated = (key: SigningKey): boolean =>
      (outdated.has(key.kid) || knownAs(key) === undefined) &&
      wrapping.assess(key.material, key) === 'outdated'

    return pipe(
      stored,
      E.traverseArray((key) => {
        const before = knownAs(key)
        if (before === undefined) return usableKey(wrapping)(key)
        return E.right(before.version === key.version ? before : { ...key, material: before.material })
      }),
      E.map((usable) => {
        const found = zip(stored, usable).filter(([key]) => isOutdated(key))
        outdated = new Set(found.map(([{ kid }]) => kid))
        if (found.length > 0) background.run(reencrypt(found))
        return usable
      }),
    )
  }
}

/** A key as it is stored, and as it is used. */
type Pair = readonly [stored: SigningKey, usable: SigningKey]
