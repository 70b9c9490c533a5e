import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { Factor } from '../../domain/factor.ts'
import type { Background } from '../ports/background.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { Store } from '../ports/store.ts'
import { NO_REQUEST, type Recorder } from '../recording/recorder.ts'
import { withCurrentWrapping } from './wrapped-secret.ts'

/** Encrypts outdated secrets of authenticator apps again, in the background. */
export type FactorReencryption = Readonly<{
  /** A second call does nothing. */
  start(): void
}>

/**
 * Encrypts the secrets of authenticator apps under the current key-encryption key (docs/keys-and-passwords.md), so that the former one is
 * not needed until each user has signed in.
 *
 * It walks through the factors once after the start, a page at a time, with a pause after each page. During a change of the key-encryption
 * key, processes disagree about which one is current, and would otherwise encrypt the secrets again and again. Only if a page could not be
 * read, or a secret not be written, another walk follows. A `Conflict` is such a failure: another process or the user was faster.
 */
export const reencryptFactors = ({
  store,
  wrapping,
  record,
  background,
}: Readonly<{
  store: Pick<Store, 'listRows'>
  wrapping: KeyWrapping
  record: Recorder
  background: Background
}>): FactorReencryption => {
  const { keyEncryptionKeyId } = wrapping
  let started = false
  let isComplete = true

  const reencrypt = async (factor: Factor, keyId: string): Promise<void> => {
    const wrapped = withCurrentWrapping(wrapping, factor)
    if (wrapped === factor) return
    const fact = {
      _tag: 'FactorReencrypted',
      factor: wrapped,
      keyEncryptionKeyId: keyId,
    } as const
    const written = await record([fact], { kind: 'nobody' }, NO_REQUEST)()
    isComplete &&= isRight(written)
  }

  const walk =
    (after: string, keyId: string): Task<void> =>
    async () => {
      const page = await store.listRows({ table: 'factors', after, limit: PAGE })()
      if (isLeft(page)) return later(RETRY_MS, BEGIN, keyId)
      const apps = page.right.filter(({ kind, removed }) => kind === 'totp' && !removed)
      await Promise.all(apps.map((factor) => reencrypt(factor, keyId)))
      const last = page.right.at(-1)
      if (last !== undefined && page.right.length === PAGE) return later(PAUSE_MS, last.id, keyId)
      if (!isComplete) later(RETRY_MS, BEGIN, keyId)
    }

  /** When the service stops, `after` runs what was delayed, but `run` refuses it. So nothing delays the stop. */
  const later = (milliseconds: number, after: string, keyId: string): void =>
    background.after(milliseconds, async () => {
      if (after === BEGIN) isComplete = true
      if (!background.run(walk(after, keyId))) later(RETRY_MS, BEGIN, keyId)
    })

  return {
    start: () => {
      if (started || isNone(keyEncryptionKeyId)) return
      started = true
      later(FIRST_AFTER_MS, BEGIN, keyEncryptionKeyId.value)
    },
  }
}

const BEGIN = ''

/** The writes of a page share a transaction. */
const PAGE = 100

const PAUSE_MS = 100

const RETRY_MS = 60_000

/** Lets a server that has just started answer its first requests. */
const FIRST_AFTER_MS = 1_000
