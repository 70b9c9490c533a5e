import type { Time } from './time.ts'

/** Public keys of Ed25519 by their key id. */
export type PublicKeys = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

/** A `CryptoKey`. The types of Node 20 have no global of this name. */
type VerificationKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** The published keys of one format. */
export type KeySet = Readonly<{
  /** Undefined if there is no such key. Rejects if the keys cannot be fetched. */
  find(kid: string): Promise<VerificationKey | undefined>
}>

/** Verifiers may keep keys so long (docs/verify-user-tokens.md). */
const KEPT_MS = 480_000

/** Older keys are fetched again in the background. */
const REFRESHED_MS = 300_000

/** Unknown key ids and refreshes that fail fetch the keys at most so often: tokens with invented ids cost no request each. */
export const BETWEEN_FETCHES_MS = 30_000

/** Caches the keys. Concurrent calls share one fetch. */
export const keySet = (load: () => Promise<PublicKeys>, { now }: Time): KeySet => {
  let keys: ReadonlyMap<string, VerificationKey> = new Map()
  let loadedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let pending: Promise<void> | undefined
  let failed: Readonly<{ error: unknown }> | undefined

  const fetched = async (): Promise<void> => {
    triedAt = now()
    try {
      const all = [...(await load())].map(async ([kid, bytes]) => [kid, await imported(bytes)] as const)
      keys = new Map(await Promise.all(all))
      loadedAt = now()
      failed = undefined
    } catch (error) {
      failed = { error }
      throw error
    } finally {
      pending = undefined
    }
  }
  const refresh = (): Promise<void> => {
    pending ??= fetched()
    pending.catch(() => {}) // maybe no call waits for it
    return pending
  }

  const mayTry = (): boolean => now() - triedAt >= BETWEEN_FETCHES_MS

  return {
    find: async (kid) => {
      const age = now() - loadedAt
      if (age >= KEPT_MS) await refresh()
      else if (age >= REFRESHED_MS && mayTry()) void refresh()
      if (!keys.has(kid)) {
        if (pending !== undefined || mayTry()) await refresh()
        else if (failed !== undefined) throw failed.error
      }
      return keys.get(kid)
    },
  }
}

const imported = (bytes: Uint8Array<ArrayBuffer>): Promise<VerificationKey> =>
  crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify'])
