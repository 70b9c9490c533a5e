import { pipe } from 'fp-ts/lib/function.js'
import { none } from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as RNEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import type { SealedFor, Sealing } from '../../application/ports/sealing.ts'
import { decrypted, derivedKey, encrypted } from './aes-gcm.ts'

/**
 * Sealing with AES-256-GCM under keys of its own, which HKDF derives from the key-encryption keys.
 *
 * @param secrets the first seals, and all of them open
 */
export const aesSealing = (secrets: RNEA.ReadonlyNonEmptyArray<Readonly<{ secret: string }>>): Sealing => {
  const keys = pipe(
    secrets,
    RNEA.map(({ secret }) => derivedKey(secret, 'portcullis sealing v1')),
  )
  return {
    seal: (text, about) => encrypted(RNEA.head(keys), text, authenticated(about)).toString('base64url'),

    open: (sealed, about) => {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.toString('base64url') !== sealed) return none // one sealed text has one form
      return pipe(
        keys,
        RA.findFirstMap((key) => decrypted(key, bytes, authenticated(about))),
      )
    },
  }
}

/** JSON keeps the parts apart. */
const authenticated = (about: SealedFor): Buffer => Buffer.from(JSON.stringify(about))
