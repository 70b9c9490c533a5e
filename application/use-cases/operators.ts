import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { PasskeySettings } from '../../domain/passkey-origins.ts'
import type { PasswordPolicy } from '../../domain/password-policy.ts'
import { changeNamedRoles } from '../accounts/change-roles.ts'
import { exportUsers } from '../accounts/export-users.ts'
import { firstRun } from '../accounts/first-run.ts'
import {
  importUsers,
  type LoadKeyCheck,
  type ReadPasswordRecord,
  rehearseImport,
} from '../accounts/import-users.ts'
import { disableUser, enableUser, endUserSessions, removeUser } from '../accounts/manage-users.ts'
import { registerUser } from '../accounts/register-user.ts'
import { resetNamedFactors } from '../accounts/reset-factors.ts'
import { setPassword } from '../accounts/set-password.ts'
import { registerApplication } from '../applications/register-application.ts'
import { revokeApplication } from '../applications/revoke-application.ts'
import { rotateApplicationKey } from '../applications/rotate-application-key.ts'
import { setApplication } from '../applications/set-application.ts'
import { setPasskeyOrigins } from '../applications/set-passkey-origins.ts'
import { copyStore } from '../copying/copy-store.ts'
import type { Formats } from '../keys/keyring.ts'
import { rotateKeys } from '../keys/rotate-keys.ts'
import { checkLog } from '../log/check-log.ts'
import { checkStore } from '../log/check-store.ts'
import { historyOf } from '../log/history.ts'
import { renewLog } from '../log/renew-log.ts'
import { operateMails } from '../mail/operate-mails.ts'
import { createAccountPages } from '../pages/account-pages.ts'
import type { FindWeakness } from '../passwords/find-weakness.ts'
import type { Clock, Digests, Random, Timer } from '../ports/environment.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { WritableLogFiles } from '../ports/log-files.ts'
import type { Notes } from '../ports/notes.ts'
import type { Outbox } from '../ports/outbox.ts'
import type { PasswordHasher } from '../ports/password-hasher.ts'
import type { Store } from '../ports/store.ts'
import type { TreeDigests } from '../ports/tree-digests.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { Throttle } from '../throttling/throttle.ts'

/** What the use cases of operators need, each by one name. No keyring: only a service may make signing keys. */
export type NeededByOperators = Readonly<{
  clock: Clock
  digests: Digests
  filesIn: (folder: string) => WritableLogFiles
  findWeakness: FindWeakness
  formats: Formats
  hasher: PasswordHasher
  notes: Notes
  outbox: Outbox | undefined
  policy: PasswordPolicy
  publicUrl: string
  random: Random
  readPasswordRecord: ReadPasswordRecord
  loadKeyCheck: LoadKeyCheck
  record: Recorder
  settings: LifetimeSettings &
    PasskeySettings &
    Readonly<{ applicationTokenTtlSeconds: number; pagesOrigin: string }>
  store: Store
  throttle: Throttle
  timer: Timer
  treeDigests: TreeDigests
  wrapping: KeyWrapping
}>

/** Every use case of an operator, by its name for the commands and the console. */
export type OperatorUseCases = ReturnType<typeof operatorUseCases>

export const operatorUseCases = (needed: NeededByOperators) => ({
  registerApplication: registerApplication(needed),
  setApplication: setApplication(needed),
  setPasskeyOrigins: setPasskeyOrigins(needed),
  rotateApplicationKey: rotateApplicationKey(needed),
  revokeApplication: revokeApplication(needed),
  createAccountPages: createAccountPages(needed),
  registerUser: registerUser(needed),
  importUsers: importUsers(needed),
  /** Starts an import that writes nothing. */
  rehearseImport: () => rehearseImport(needed),
  exportUsers: exportUsers(needed),
  setPassword: setPassword(needed),
  disableUser: disableUser(needed),
  enableUser: enableUser(needed),
  removeUser: removeUser(needed),
  changeUserRoles: changeNamedRoles(needed),
  endUserSessions: endUserSessions(needed),
  resetUserFactors: resetNamedFactors(needed),
  rotateKeys: rotateKeys(needed),
  checkLog: checkLog(needed),
  checkStore: checkStore(needed),
  renewLog: renewLog(needed),
  /** Undefined if the store does not implement `LogTree`: then its history is not verifiable. */
  history: historyOf(needed),
  firstRun: firstRun(needed),
  /** Undefined if the storage keeps no mails. */
  mails: needed.outbox && operateMails({ ...needed, outbox: needed.outbox }),
  copyStore: copyStore({ treeDigests: needed.treeDigests, newId: () => needed.random.uuid() }),
})
