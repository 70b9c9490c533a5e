import { isNonEmpty } from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  gentleRotation,
  isVerifying,
  type KeyPurpose,
  retiringAt,
  type SigningKey,
} from '../domain/signing-key.ts'
import { type Formats, newKey } from './keys/keyring.ts'
import { usableKey } from './keys/usable-keys.ts'
import type { Clock } from './ports/environment.ts'
import type { Overloaded } from './ports/failures.ts'
import type { CannotUnwrap, KeyWrapping } from './ports/key-wrapping.ts'
import type { Conflict, Store, StoreUnavailable } from './ports/store.ts'
import type { Fact } from './recording/facts.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recording/recorder.ts'
import { retryOnConflict } from './recording/retry-on-conflict.ts'

/**
 * An operator replaces signing keys. Nobody notices: the new key is published before it signs, and the old ones verify
 * for as long as a token of theirs may live.
 *
 * @param atOnce for a key that leaked: the new one signs now, and all that older ones signed is good no more
 * @returns the keys of these purposes that are in use from now on, oldest first
 */
export type RotateKeys = (
  call: RequestContext,
  request: Readonly<{ purposes: ReadonlyArray<KeyPurpose>; atOnce: boolean }>,
) => TE.TaskEither<CannotUnwrap | Overloaded | StoreUnavailable, ReadonlyArray<SigningKey>>

export const rotateKeys =
  ({
    store,
    formats,
    wrapping,
    clock,
    record,
    tokenTtlSeconds,
  }: Readonly<{
    store: Pick<Store, 'listSigningKeys'>
    formats: Formats
    wrapping: KeyWrapping
    clock: Clock
    record: Recorder
    tokenTtlSeconds: Readonly<Record<KeyPurpose, number>>
  }>): RotateKeys =>
  (call, { purposes, atOnce }) => {
    const factsFor = async (keys: ReadonlyArray<SigningKey>, purpose: KeyPurpose): Promise<Array<Fact>> => {
      const now = Math.floor(clock() / 1000)
      const older = keys.filter((key) => key.purpose === purpose)
      const inUse = older.filter(({ retired }) => !retired)
      const rotation = gentleRotation(now, tokenTtlSeconds[purpose])
      const signsFrom = atOnce ? now : rotation.signsFromSeconds
      const key = await newKey({
        formats,
        wrapping,
        purpose,
        number: older.length + 1,
        createdAtSeconds: now,
        signsFromSeconds: signsFrom,
      })
      return atOnce
        ? [
            { _tag: 'SigningKeyCreated', key, superseded: [] },
            ...inUse.map((old): Fact => ({ _tag: 'SigningKeyRetired', key: old })),
          ]
        : [
            {
              _tag: 'SigningKeyCreated',
              key,
              superseded: inUse
                .map((old) => retiringAt(old, rotation.othersRetireAtSeconds))
                .filter((old) => !inUse.includes(old)),
            },
          ]
    }

    /**
     * Whoever cannot unwrap the keys that go on was not given what the service has, and would write a key that the service
     * cannot unwrap, or one in plain form. A rotation at once needs none of them: it is the way on when all that is lost.
     */
    const readable = (keys: ReadonlyArray<SigningKey>) =>
      pipe(
        keys.filter((key) => isVerifying(key, clock() / 1000)),
        E.traverseArray(usableKey(wrapping)),
      )

    const rotate = (
      keys: ReadonlyArray<SigningKey>,
    ): TE.TaskEither<CannotUnwrap | Conflict | StoreUnavailable, void> =>
      pipe(
        TE.fromEither(atOnce ? E.right(keys) : readable(keys)),
        TE.chainTaskK(
          () => async () => (await Promise.all(purposes.map((one) => factsFor(keys, one)))).flat(),
        ),
        TE.chainW((facts) =>
          isNonEmpty(facts)
            ? pipe(record(facts, { kind: 'operator' }, call), cannotMeet('EmailTaken'))
            : TE.right(undefined),
        ),
      )

    return pipe(
      store.listSigningKeys(),
      TE.chainW(retryOnConflict(() => store.listSigningKeys(), rotate)),
      TE.chainW(() => store.listSigningKeys()),
      TE.map((keys) => keys.filter(({ purpose, retired }) => purposes.includes(purpose) && !retired)),
    )
  }
