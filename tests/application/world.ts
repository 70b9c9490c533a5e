import { isRight, left, right } from 'fp-ts/lib/Either.js'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, Dependency, type Module, provide, type Service } from '../../adapters/index.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { memoryProtocolState } from '../../adapters/stores/memory/protocol-state.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import type { NewApplication } from '../../application/applications/register-application.ts'
import type { Keyring } from '../../application/keys/keyring.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { LogEntry, Store, StoreUnavailable } from '../../application/ports/store.ts'
import type { ApplicationCaller, UserCaller } from '../../domain/access.ts'
import type { KeyPurpose, SigningKey } from '../../domain/signing-key.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { pooledRsaKeys } from '../support/rsa-keys.ts'
import { settings } from '../support/settings.ts'
import { type DrivenBackground, drivenBackground } from './background.ts'
import { countingRandom, type SettableClock, settableClock } from './fakes.ts'

/** The use cases on memory storage, with an application and the user Ada, who has not signed in yet. */
export type World = Readonly<{
  service: Service
  store: StoreWithSwitch
  outbox: Outbox
  clock: SettableClock
  background: DrivenBackground
  shop: NewApplication
  caller: ApplicationCaller
  ada: Readonly<{ id: string; email: string; password: string }>
  keyring: () => Promise<Keyring>
  /** Signs Ada in, and returns her token and the caller that it belongs to. */
  signIn: (password?: string) => Promise<{ token: string; caller: UserCaller }>
  /** Returns the events since the world was made, without waiting for background work. */
  events: () => Promise<ReadonlyArray<LogEntry>>
  /** Returns the same events after all background work. */
  settledEvents: () => Promise<ReadonlyArray<LoggedEvent>>
}>

export type LoggedEvent = Pick<LogEntry, 'type' | 'subject' | 'actor' | 'data'>

export const CONTEXT = { requestId: 'request-1' }

/** The start time of each world. */
export const NOW = '2026-03-01T12:00:00.000Z'

export const newWorld = async (
  given: { environment?: Environment; hasher?: PasswordHasher; modules?: ReadonlyArray<Module> } = {},
): Promise<World> => {
  const clock = settableClock(NOW)
  const { store: inner, outbox } = memoryStorage(clock.read)
  const store = withSwitch(inner)
  const background = drivenBackground(clock)
  const set = settings(given.environment)
  const wrapping = aesKeyWrapping(set.keyEncryptionKeys)
  const service = await compose(
    set,
    provide(Dependency.storage, () => ({ store, outbox, protocolState: memoryProtocolState() })),
    provide(Dependency.clock, () => clock.read),
    provide(Dependency.steadyClock, () => async () => right(clock.read())),
    provide(Dependency.random, countingRandom),
    pooledRsaKeys(),
    provide(Dependency.background, () => background),
    provide(Dependency.passwordHasher, () => given.hasher ?? plainHasher()),
    ...(given.modules ?? []),
  )
  const readable = (key: SigningKey): SigningKey => {
    const material = wrapping.unwrap(key.material, key)
    return isRight(material) ? { ...key, material: material.right } : key
  }
  const credentials = { email: 'Ada@Example.com', password: 'old' }
  const shop = await succeed(
    service.registerApplication(CONTEXT, { name: 'shop', scope: 'users:sign_in users:register' }),
  )
  const { id } = await succeed(service.registerUser(CONTEXT, credentials, OPERATOR))
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, shop))
  const caller = await succeed(service.authenticate(CONTEXT, 'signIn', token))
  const begun = (await allEvents(store)).length

  return {
    service,
    store,
    outbox,
    clock,
    background,
    shop,
    caller,
    ada: { id, ...credentials },
    keyring: async () => {
      const keys = (await succeed(store.listSigningKeys())).map(readable)
      const ringOf = (purpose: KeyPurpose): Keyring[KeyPurpose] => {
        const signing = keys.find((key) => key.purpose === purpose)
        return signing && { signing, verifying: [signing], inactiveKeyIds: new Set() }
      }
      const [application, user] = [ringOf('application'), ringOf('user')]
      if (application === undefined || user === undefined) throw new Error('no keys')
      return { application, user, user_jwt: ringOf('user_jwt'), id_token: ringOf('id_token') }
    },
    signIn: async (password = credentials.password) => {
      const signedIn = await succeed(service.signIn(CONTEXT, caller, { email: credentials.email, password }))
      return {
        token: signedIn.token,
        caller: await succeed(service.authenticate(CONTEXT, 'changePassword', signedIn.token)),
      }
    },
    events: async () => (await allEvents(store)).slice(begun),
    settledEvents: async () => {
      await background.settle()
      return (await allEvents(store))
        .slice(begun)
        .map(({ type, subject, actor, data }) => ({ type, subject, actor, data }))
    },
  }
}

/** Returns the whole log of a store. */
export const allEvents = (store: Store): Promise<ReadonlyArray<LogEntry>> =>
  succeed(store.readEvents({ after: 0, limit: 10_000 }))

/** A store with a switch that makes it refuse changes, like a full disk. */
export type StoreWithSwitch = Store & { readOnly: boolean }

export const FULL: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'the disk is full' }

export const withSwitch = (inner: Store): StoreWithSwitch => {
  const store: StoreWithSwitch = {
    ...inner,
    readOnly: false,
    commit: (change) => async () => (store.readOnly ? left(FULL) : inner.commit(change)()),
  }
  return store
}
