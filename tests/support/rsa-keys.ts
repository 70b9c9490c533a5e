import { rsaIdTokenKeys } from '../../adapters/credentials/jwt/id-token-keys.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import type { IdTokenKeys } from '../../application/ports/id-token-keys.ts'

const pool: Array<ReturnType<IdTokenKeys['createKey']>> = []

/** Keys of ID tokens that others had before, in the same order: making one takes a tenth of a second. */
export const pooledKeys = (): IdTokenKeys => {
  const keys = rsaIdTokenKeys()
  let made = 0
  return {
    ...keys,
    createKey: () => {
      const key = pool[made] ?? keys.createKey()
      pool[made] = key
      made += 1
      return key
    },
  }
}

/** Gives a service such keys. */
export const pooledRsaKeys = (): Module => provide(Dependency.idTokenKeys, pooledKeys)
