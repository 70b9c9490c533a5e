/**
 * Contract suites: one for each port below. A suite takes the functions of a test runner, and a function that opens an adapter.
 *
 *     import { storeContract } from 'portcullis/testkit'
 *     import { describe, it } from 'node:test'
 *
 *     const open = async () => {
 *       const database = await freshDatabase()
 *       return {
 *         store: ourStore(database.url),
 *         reopen: async () => ourStore(database.url),
 *         another: async () => ourStore(database.url),
 *         close: () => database.drop(),
 *       }
 *     }
 *
 *     describe('our store', () => storeContract({ describe, it }, open, { lasting: open, shared: open }))
 *
 * The types of the ports say what adapters promise. The package exports them: `Store`, `StoreCopy`, `Outbox`, `LogLines`, `LogTree`, `FailureCounts`, `ProtocolState`, `PasswordHasher`,
 * `ApplicationTokens`, `UserTokens`, `UserJwts`, `IdTokenKeys`, `LeakedPasswords`, `PasswordEstimator`, `KeyWrapping`, `Sealing`, `Mailer`, `PasskeyVerifier`, `IdentityProvider`, `Background`, `Announcements`, `Clock`, `Timer`,
 * `Random`, `Digests`.
 *
 * - A suite uses `node:assert`, and `describe` and `it` of the runner.
 * - Each case opens an adapter, and closes it at the end, also after a failure.
 * - No case has a time limit, except ten seconds for announcements and timers. The longest cases make some thousand calls. Raise the
 *   timeout of your runner for slow adapters.
 * - The names of the cases stay the same from version to version.
 * - A suite runs no case for a capability that you do not declare. If `it` has `skip`, one skipped case says so.
 */

export { announcementsContract, type OpenAnnouncements, type OpenedAnnouncements } from './announcements.ts'
export { applicationTokensContract, type OpenApplicationTokens } from './application-tokens.ts'
export { backgroundContract, type OpenBackground, type OpenedBackground } from './background.ts'
export { someChange } from './builders.ts'
export { clockContract, digestsContract, randomContract, timerContract } from './environment.ts'
export {
  type FailureCountsCapabilities,
  failureCountsContract,
  type KeptAtMost,
  type OpenedFailureCounts,
  type OpenFailureCounts,
  type OpenLastingFailureCounts,
  type OpenSharedFailureCounts,
} from './failure-counts.ts'
export {
  idTokenKeysContract,
  type OpenedIdTokenKeys,
  type OpenIdTokenKeys,
} from './id-token-keys.ts'
export {
  type MemoryIdentityProvider,
  memoryIdentityProvider,
  type Person,
} from './identity-provider/memory-identity-provider.ts'
export {
  identityProviderContract,
  type OpenedIdentityProvider,
  type OpenIdentityProvider,
} from './identity-provider.ts'
export {
  type KeyEncryptionKeyName,
  keyWrappingContract,
  type OpenedKeyWrapping,
  type OpenKeyWrapping,
} from './key-wrapping.ts'
export { logLinesContract, type OpenLogLines } from './log-lines.ts'
export {
  type LogTreeCapabilities,
  logTreeContract,
  type OpenedLogTree,
  type OpenLastingLogTree,
  type OpenLogTree,
  type OpenSharedLogTree,
} from './log-tree.ts'
export {
  mailerContract,
  type OpenedMailer,
  type OpenMailer,
  type ReceivedLetter,
  type RelayAnswer,
} from './mailer.ts'
export {
  type Mailing,
  type OpenedOutbox,
  type OpenLastingOutbox,
  type OpenOutbox,
  type OpenSharedOutbox,
  type OutboxCapabilities,
  outboxContract,
} from './outbox.ts'
export type { PasskeyAlgorithm } from './passkey-verifier/passkey-keys.ts'
export {
  type Asserting,
  type AuthenticatorFlag,
  type Ceremony,
  type Registering,
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from './passkey-verifier/software-authenticator.ts'
export {
  type OpenedPasskeyVerifier,
  type OpenPasskeyVerifier,
  passkeyVerifierContract,
} from './passkey-verifier.ts'
export {
  type KnownRecord,
  type OpenedPasswordHasher,
  type OpenPasswordHasher,
  type PasswordHasherCapabilities,
  passwordHasherContract,
} from './password-hasher.ts'
export {
  leakedPasswordsContract,
  type OpenedLeakedPasswords,
  type OpenedPasswordEstimator,
  type OpenLeakedPasswords,
  type OpenPasswordEstimator,
  passwordEstimatorContract,
} from './password-strength.ts'
export {
  type EntriesKeptAtMost,
  type OpenedProtocolState,
  type OpenLastingProtocolState,
  type OpenProtocolState,
  type OpenSharedProtocolState,
  type ProtocolStateCapabilities,
  protocolStateContract,
} from './protocol-state.ts'
export type { Runner } from './runner.ts'
export { type OpenedSealing, type OpenSealing, sealingContract } from './sealing.ts'
export {
  type OpenedStore,
  type OpenFailingStore,
  type OpenLastingStore,
  type OpenLosingStore,
  type OpenSharedStore,
  type OpenStore,
  type StoreCapabilities,
  storeContract,
} from './store.ts'
export {
  type OpenedStoreCopy,
  type OpenLastingStoreCopy,
  type OpenStoreCopy,
  type StoreCopyCapabilities,
  storeCopyContract,
} from './store-copy.ts'
export type { OpenedTokens, OpenTokens } from './token-format.ts'
export { type OpenUserJwts, userJwtsContract } from './user-jwts.ts'
export { type OpenUserTokens, userTokensContract } from './user-tokens.ts'
