import { pipe } from 'fp-ts/lib/function.js'
import { none } from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as RNEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import type { Timer } from '../../application/ports/environment.ts'
import { FORMER_KEY_SECONDS, type SealedFor, type Sealing } from '../../application/ports/sealing.ts'
import { decrypted, derivedKey, encrypted } from './aes-gcm.ts'

/**
 * Sealing with AES-256-GCM under keys of its own, which HKDF derives from the key-encryption keys.
 *
 * @param secrets the first seals. The others are former ones, and open for a while
 * @param timer monotonic. A clock could be set back
 */
export const aesSealing = (
  secrets: RNEA.ReadonlyNonEmptyArray<Readonly<{ secret: string }>>,
  timer: Pick<Timer, 'now'>,
): Sealing => {
  const startedMs = timer.now()
  const keys = pipe(
    secrets,
    RNEA.map(({ secret }) => derivedKey(secret, 'portcullis sealing v1')),
  )
  return {
    seal: (text, ...kind) => encrypted(RNEA.head(keys), text, authenticated(...kind)).toString('base64url'),

    open: (sealed, about, lifetimeSeconds) => {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.toString('base64url') !== sealed) return none // one sealed text has one form
      const mayBeFormer =
        lifetimeSeconds <= FORMER_KEY_SECONDS && timer.now() - startedMs <= FORMER_KEY_SECONDS * 1000
      return pipe(
        mayBeFormer ? keys : [RNEA.head(keys)],
        RA.findFirstMap((key) => decrypted(key, bytes, authenticated(about, lifetimeSeconds))),
      )
    },
  }
}

/** JSON keeps the parts apart. */
const authenticated = (about: SealedFor, lifetimeSeconds: number): Buffer =>
  Buffer.from(JSON.stringify([lifetimeSeconds, ...about]))
