import { right } from 'fp-ts/lib/Either.js'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { rsaIdTokenKeys } from '../../adapters/credentials/jwt/id-token-keys.ts'
import { jwtUserTokens } from '../../adapters/credentials/jwt/user-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { currentKeyring, type Formats } from '../../application/keys/keyring.ts'
import { rotateKeys } from '../../application/keys/rotate-keys.ts'
import type { Announcements } from '../../application/ports/announcements.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import { recorder } from '../../application/recording/recorder.ts'
import type { SteadyClock } from '../../application/recording/steady-clock.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { UserTokenFormat } from '../../domain/token.ts'
import { succeed } from '../support/outcome.ts'
import { pooledKeys } from '../support/rsa-keys.ts'
import { drivenBackground } from './background.ts'
import { countingRandom, settableClock } from './fakes.ts'
import { NOW, withSwitch } from './world.ts'

export const FORMATS: Formats = {
  application: jwtApplicationTokens(),
  user: pasetoUserTokens(),
  user_jwt: jwtUserTokens(),
  id_token: rsaIdTokenKeys(),
}
export const TTL = { application: 3_600, user: 43_200, user_jwt: 43_200, id_token: 86_400 }
const TTL_SETTINGS = {
  applicationTokenTtlSeconds: TTL.application,
  userTokenTtlSeconds: TTL.user,
  idleTtlSeconds: undefined, // as long as a token
  sessionTtlSeconds: TTL.id_token,
  rememberTtlSeconds: undefined,
}
export const NOW_SECONDS = Date.parse(NOW) / 1000

/** No key-encryption key. */
export const PLAIN: KeyWrapping = aesKeyWrapping([])

/**
 * Processes on one store and one clock, with one keyring each.
 *
 * @param openid whether they sign ID tokens, unless they are started otherwise
 */
export const keyProcesses = (userTokenFormat: UserTokenFormat = 'paseto', openid = false) => {
  const formats = { ...FORMATS, id_token: pooledKeys() }
  const clock = settableClock(NOW)
  const store = withSwitch(memoryStore())
  const random = countingRandom() // ids of different processes differ
  const record = recorder({ store, clock: clock.read, random, digests: nodeDigests })
  const now: SteadyClock = async () => right(clock.read())
  /** `beforeAnswering` runs after the store has read the keys and before it answers. */
  const start = (
    wrapping = PLAIN,
    beforeAnswering = async () => {},
    given: Partial<Readonly<{ steadyClock: SteadyClock; openid: boolean }>> = {},
  ) => {
    const background = drivenBackground(clock)
    const listeners: Array<() => void> = []
    const announcements: Announcements = {
      onKeysChanged: (listener) => void listeners.push(listener),
      close: async () => undefined,
    }
    let lookups = 0
    const listSigningKeys = () => async () => {
      lookups += 1
      const answer = await store.listSigningKeys()()
      await beforeAnswering()
      return answer
    }
    const read = currentKeyring({
      store: { listSigningKeys },
      formats,
      wrapping,
      clock: clock.read,
      steadyClock: given.steadyClock ?? now,
      record,
      background,
      announcements,
      settings: { userTokenFormat, openid: given.openid ?? openid },
    })
    const announce = () => {
      for (const listener of listeners) listener()
    }
    return { read, background, announce, lookups: () => lookups }
  }
  return {
    clock,
    store,
    record,
    rotate: rotateKeys({
      store,
      formats,
      wrapping: PLAIN,
      clock: clock.read,
      record,
      settings: TTL_SETTINGS,
    }),
    rotateWith: (wrapping: KeyWrapping) =>
      rotateKeys({ store, formats, wrapping, clock: clock.read, record, settings: TTL_SETTINGS }),
    keys: (): Promise<ReadonlyArray<SigningKey>> => succeed(store.listSigningKeys()),
    start,
  }
}
