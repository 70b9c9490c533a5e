import { isNonEmpty } from 'fp-ts/lib/Array.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { KEY_PURPOSES, type KeyPurpose, type SigningKey } from '../domain/signing-key.ts'
import type { Fact } from './facts.ts'
import type { Clock } from './ports/environment.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { ApplicationTokens, UserTokens } from './ports/token-format.ts'
import type { Recorder } from './recorder.ts'

/** The keys that sign and verify tokens. */
export type Keyring = Readonly<
  Record<KeyPurpose, Readonly<{ signing: SigningKey; verifying: NonEmptyArray<SigningKey> }>>
>

/**
 * Reads the keyring from the store and makes what is missing on a first start. Several processes may do so at
 * once: a purpose's first key has a fixed id, so that one of them wins and the others use the winner's.
 */
export const openKeyring = (
  store: Pick<Store, 'listSigningKeys'>,
  formats: Readonly<{ application: ApplicationTokens; user: UserTokens }>,
  clock: Clock,
  record: Recorder,
): TE.TaskEither<StoreUnavailable, Keyring> => {
  const open = (attemptsLeft: number): TE.TaskEither<StoreUnavailable, Keyring> =>
    pipe(
      store.listSigningKeys(),
      TE.chain((keys) => {
        const keyring = keyringOf(keys)
        if (keyring !== undefined) return TE.right(keyring)
        if (attemptsLeft === 0)
          return TE.left({ _tag: 'StoreUnavailable', reason: 'its signing keys cannot be read back' })
        const missing = KEY_PURPOSES.filter((purpose) => !keys.some((key) => key.purpose === purpose))
        return pipe(
          T.sequenceArray(missing.map((purpose) => firstKey(purpose))),
          TE.fromTask,
          TE.chain((facts) => {
            const made = [...facts]
            return isNonEmpty(made) ? record(made, { kind: 'nobody' }, START) : TE.right(undefined)
          }),
          TE.orElseW((failure) =>
            failure._tag === 'StoreUnavailable' ? TE.left(failure) : TE.right(undefined),
          ),
          TE.chain(() => open(attemptsLeft - 1)),
        )
      }),
    )

  const firstKey =
    (purpose: KeyPurpose): T.Task<Fact> =>
    async () => ({
      _tag: 'SigningKeyCreated',
      key: {
        id: `${purpose}-1`,
        purpose,
        createdAtSeconds: Math.floor(clock() / 1000),
        ...(await formats[purpose].createKey()),
      },
    })

  return open(ATTEMPTS)
}

const START = { wanted: () => true } as const

/** Once to make the keys, once more for a process that lost the race. */
const ATTEMPTS = 2

const keyringOf = (keys: ReadonlyArray<SigningKey>): Keyring | undefined => {
  const application = ring(keys, 'application')
  const user = ring(keys, 'user')
  return application && user && { application, user }
}

const ring = (keys: ReadonlyArray<SigningKey>, purpose: KeyPurpose): Keyring[KeyPurpose] | undefined => {
  const verifying = keys.filter((key) => key.purpose === purpose)
  const signing = verifying.at(-1)
  return signing && isNonEmpty(verifying) ? { signing, verifying } : undefined
}
