import { isNonEmpty } from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  inactiveKeyIds,
  isDue,
  isVerifying,
  KEY_PURPOSES,
  type KeyPurpose,
  type SigningKey,
  selectSigningKey,
} from '../../domain/signing-key.ts'
import type { Announcements } from '../ports/announcements.ts'
import type { Background } from '../ports/background.ts'
import type { Clock } from '../ports/environment.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { ApplicationTokens, UserTokens } from '../ports/token-format.ts'
import type { Unwritten } from '../recording/facts.ts'
import { cannotMeet, NO_REQUEST, type Recorder } from '../recording/recorder.ts'
import { usableKeys } from './usable-keys.ts'

/** The keys that sign and verify tokens now, ready for use. The object is the same for as long as they are. */
export type Keyring = Readonly<Record<KeyPurpose, Ring>>

/** `ended` are the ids of keys whose tokens were good once (domain/signing-key.ts). */
type Ring = Readonly<{
  signing: SigningKey
  verifying: NonEmptyArray<SigningKey>
  ended: ReadonlySet<string>
}>

/** The keyring as it is in the store, no more than a second ago: what one process rotates, all honour at once. */
export type CurrentKeyring = TE.TaskEither<StoreUnavailable, Keyring>

export type Formats = Readonly<{ application: ApplicationTokens; user: UserTokens }>

/**
 * Reads the keyring, and makes what is missing on a first start. Several processes may do so at once: a purpose's first
 * key has a fixed id, so that one of them wins and the others use the winner's.
 *
 * A key that has come to its end is retired in the background when it is seen. One that cannot be unwrapped counts as a
 * store that is not available: without it, tokens of other processes would be taken for forged.
 */
export const currentKeyring = ({
  store,
  formats,
  wrapping,
  clock,
  record,
  background,
  announcements = POLL_ONLY,
}: Readonly<{
  store: Pick<Store, 'listSigningKeys'>
  formats: Formats
  wrapping: KeyWrapping
  clock: Clock
  record: Recorder
  background: Background
  announcements?: Announcements
}>): CurrentKeyring => {
  const usable = usableKeys({ wrapping, record, background })
  let known: Keyring | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let announced = 0

  /** The keyring of these keys, as they were when they were asked for, unless a purpose has none. */
  const keep = (
    stored: ReadonlyArray<SigningKey>,
    now: number,
    asked: Asked,
  ): E.Either<StoreUnavailable, Keyring | undefined> => {
    for (const key of stored) if (isDue(key, now / 1000)) background.run(retire(key, record))
    const verifying = stored.filter((key) => isVerifying(key, now / 1000))
    return pipe(
      usable(verifying, known === undefined ? [] : [...known.application.verifying, ...known.user.verifying]),
      E.mapLeft(({ reason }): StoreUnavailable => ({ _tag: 'StoreUnavailable', reason })),
      E.map((keys) => {
        const read = keyringOf({ stored, usable: keys }, now / 1000, known)
        if (read === undefined) return undefined
        known = read
        readAt = asked.announced === announced ? asked.at : Number.NEGATIVE_INFINITY // what was announced meanwhile may not be in it
        return read
      }),
    )
  }

  const readAll = (attemptsLeft: number): CurrentKeyring =>
    pipe(
      TE.fromIO((): Asked => ({ at: clock(), announced })),
      TE.bindTo('asked'),
      TE.bind('keys', () => store.listSigningKeys()),
      TE.chain(({ asked, keys }) =>
        pipe(
          TE.fromEither(keep(keys, clock(), asked)),
          TE.chain((keyring) => {
            if (keyring !== undefined) return TE.right(keyring)
            return attemptsLeft === 0
              ? TE.left({ _tag: 'StoreUnavailable', reason: 'its signing keys cannot be read back' })
              : pipe(
                  makeMissing(keys),
                  TE.chain(() => readAll(attemptsLeft - 1)),
                )
          }),
        ),
      ),
    )

  const makeMissing = (keys: ReadonlyArray<SigningKey>): TE.TaskEither<StoreUnavailable, void> => {
    const missing = KEY_PURPOSES.filter((purpose) => !keys.some((key) => key.purpose === purpose))
    return async () => {
      const now = Math.floor(clock() / 1000)
      const made = await Promise.all(
        missing.map((purpose) =>
          newKey({ formats, wrapping, purpose, number: 1, createdAtSeconds: now, signsFromSeconds: now }),
        ),
      )
      const facts = made.map((key) => ({ _tag: 'SigningKeyCreated', key, superseded: [] }) as const)
      if (!isNonEmpty(facts)) return E.right(undefined)
      const written = await record(facts, { kind: 'nobody' }, NO_REQUEST)()
      // A conflict: somebody else was faster, and has made them.
      return E.isLeft(written) && written.left._tag === 'StoreUnavailable'
        ? E.left(written.left)
        : E.right(undefined)
    }
  }

  let reading: Promise<E.Either<StoreUnavailable, Keyring>> | undefined

  announcements.onKeysChanged(() => {
    announced += 1
    readAt = Number.NEGATIVE_INFINITY
  })

  return async () => {
    const now = clock()
    const isFresh = now >= readAt && now < readAt + FRESH_MS // a clock that was set back makes nothing fresh
    if (known !== undefined && isFresh) return E.right(known)
    reading ??= readAll(ATTEMPTS)().finally(() => {
      reading = undefined
    })
    return reading
  }
}

/** A key that is not written yet, as it is to be stored. */
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

/** Somebody else may have retired it meanwhile, and a store that is away has another chance at the next look. */
const retire = (key: SigningKey, record: Recorder) => async (): Promise<void> => {
  await pipe(
    record([{ _tag: 'SigningKeyRetired', key }], { kind: 'nobody' }, NO_REQUEST),
    cannotMeet('EmailTaken'),
  )()
}

/** When the keys were asked for, and how much had been announced by then. */
type Asked = Readonly<{ at: number; announced: number }>

/** Where nobody tells, a look is soon enough. */
export const POLL_ONLY: Announcements = { onKeysChanged: () => {}, close: async () => undefined }

/** Reading the keys costs microseconds, but every request would pay them. */
const FRESH_MS = 1_000

/** What was made, by us or by a process that was faster, is there at the next look. */
const ATTEMPTS = 1

/** All keys as they are stored, and those of them that verify, ready for use. */
type Keys = Readonly<{ stored: ReadonlyArray<SigningKey>; usable: ReadonlyArray<SigningKey> }>

const keyringOf = (keys: Keys, nowSeconds: number, before: Keyring | undefined): Keyring | undefined => {
  const ringOf = (purpose: KeyPurpose): Ring | undefined => {
    const verifying = keys.usable.filter((key) => key.purpose === purpose)
    const signing = selectSigningKey(verifying, nowSeconds)
    const ended = inactiveKeyIds(keys.stored, purpose, nowSeconds)
    if (signing === undefined || !isNonEmpty(verifying)) return undefined
    return unchanged({ signing, verifying, ended }, before?.[purpose])
  }
  const application = ringOf('application')
  const user = ringOf('user')
  if (application === undefined || user === undefined) return undefined
  return application === before?.application && user === before.user ? before : { application, user }
}

/** What is known of the keys of before (a verified token, a key that was read) stays good while they are the same. */
const unchanged = (ring: Ring, before: Ring | undefined): Ring => {
  if (before === undefined || !isSameList(ring.verifying, before.verifying)) return ring
  return ring.signing === before.signing && isSameList([...ring.ended], [...before.ended])
    ? before
    : { ...ring, verifying: before.verifying }
}

const isSameList = <A>(some: ReadonlyArray<A>, others: ReadonlyArray<A>): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index])
