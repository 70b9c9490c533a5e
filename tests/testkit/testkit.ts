/**
 * What adapters promise, as tests: for each of the ports named below a contract, which takes the functions of a test runner and a function
 * that makes what is to be tested.
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
 * What a port promises stands in its type, which the package itself exports: `Store`, `FailureCounts`, `PasswordHasher`,
 * `ApplicationTokens`, `UserTokens`, `LeakedPasswords`, `PasswordEstimator`, `KeyWrapping`, `Background`, `Announcements`, `Clock`, `Timer`,
 * `Random`, `Digests`. A contract
 *
 * - says what it expects with `node:assert`, and needs nothing else of its runner than `describe` and `it`;
 * - opens, in each case, what it tests anew, and closes it when the case is over, whether or not it went well;
 * - looks at no clock: a slow adapter passes like a quick one, but for ten seconds in which a hint or a timer has to come. The longest cases ask for some thousand things, so that a
 *   runner that is impatient may have to be told to wait for a slow one;
 * - keeps the names of its cases from version to version;
 * - does not mention what is not declared: of a capability that is not given there is no case that might seem to have passed.
 */

export { announcementsContract, type OpenAnnouncements, type OpenedAnnouncements } from './announcements.ts'
export { applicationTokensContract, type OpenApplicationTokens } from './application-tokens.ts'
export { backgroundContract, type OpenBackground, type OpenedBackground } from './background.ts'
export { someChange } from './builders.ts'
export { clockContract, digestsContract, randomContract, timerContract } from './environment.ts'
export {
  type FailureCountsCapabilities,
  failureCountsContract,
  type OpenedFailureCounts,
  type OpenFailureCounts,
  type OpenLastingFailureCounts,
  type OpenSharedFailureCounts,
} from './failure-counts.ts'
export {
  type KeyEncryptionKeyName,
  keyWrappingContract,
  type OpenedKeyWrapping,
  type OpenKeyWrapping,
} from './key-wrapping.ts'
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
export type { Runner } from './runner.ts'
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
export type { OpenedTokens, OpenTokens } from './token-format.ts'
export { type OpenUserTokens, userTokensContract } from './user-tokens.ts'
