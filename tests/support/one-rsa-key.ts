import { rsaIdTokenKeys } from '../../adapters/credentials/jwt/id-token-keys.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'

let made: ReturnType<ReturnType<typeof rsaIdTokenKeys>['createKey']> | undefined

/** Gives each of many services the same key of ID tokens: making one takes a tenth of a second. */
export const oneRsaKey: Module = provide(Dependency.idTokenKeys, () => {
  const keys = rsaIdTokenKeys()
  return {
    ...keys,
    createKey: () => {
      made ??= keys.createKey()
      return made
    },
  }
})
