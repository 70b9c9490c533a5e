import * as E from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { IdTokenKey, IdTokenKeys } from '../ports/id-token-keys.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { CurrentKeyring, Ring } from './keyring.ts'

/**
 * The keys that verify ID tokens, the one that signs first. They include a key that does not sign yet. While they do not change, the
 * array is the same, so a caller can keep what it has made of them.
 */
export type CurrentIdTokenKeys = TaskEither<
  KeyUnusable | StoreUnavailable,
  Readonly<NonEmptyArray<IdTokenKey>>
>

type Dependencies = Readonly<{ tokens: Pick<IdTokenKeys, 'load'>; keyring: CurrentKeyring }>

export const currentIdTokenKeys = ({ tokens, keyring }: Dependencies): CurrentIdTokenKeys => {
  let loaded: Readonly<{ ring: Ring; keys: Readonly<NonEmptyArray<IdTokenKey>> }> | undefined
  return async () => {
    const keyringNow = await keyring()
    if (E.isLeft(keyringNow)) return keyringNow
    const { id_token: ring } = keyringNow.right
    if (ring === undefined)
      return E.left<StoreUnavailable>({ _tag: 'StoreUnavailable', reason: 'it has no key for ID tokens' })
    if (loaded?.ring === ring) return E.right(loaded.keys)
    const first = tokens.load(ring.signing)
    if (E.isLeft(first)) return first
    const others = E.traverseArray(tokens.load)(ring.verifying.filter((key) => key !== ring.signing))
    if (E.isLeft(others)) return others
    loaded = { ring, keys: [first.right, ...others.right] }
    return E.right(loaded.keys)
  }
}
