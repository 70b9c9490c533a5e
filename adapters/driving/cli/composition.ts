import type { Task } from 'fp-ts/lib/Task.js'
import type { CheckLog } from '../../../application/check-log.ts'
import type { FirstRun } from '../../../application/first-run.ts'
import type { Formats } from '../../../application/keys/keyring.ts'
import type { Finding } from '../../../application/ports/inspection.ts'
import type { KeyWrapping } from '../../../application/ports/key-wrapping.ts'
import type { PasswordHasher } from '../../../application/ports/password-hasher.ts'
import type { Store } from '../../../application/ports/store.ts'
import type { RegisterApplication } from '../../../application/register-application.ts'
import type { RegisterUser } from '../../../application/register-user.ts'
import type { RenewLog } from '../../../application/renew-log.ts'
import type { RevokeApplication } from '../../../application/revoke-application.ts'
import type { RotateApplicationKey } from '../../../application/rotate-application-key.ts'
import type { RotateKeys } from '../../../application/rotate-keys.ts'
import type { SetPassword } from '../../../application/set-password.ts'
import type { SetUserStatus } from '../../../application/user-status.ts'
import type { Settings } from '../../config/settings.ts'

/** What operators do, without HTTP. */
export type Operations = Readonly<{
  settings: Settings
  store: Store
  passwordHasher: PasswordHasher
  formats: Formats
  keyWrapping: KeyWrapping
  registerApplication: RegisterApplication
  rotateApplicationKey: RotateApplicationKey
  revokeApplication: RevokeApplication
  registerUser: RegisterUser
  setPassword: SetPassword
  disableUser: SetUserStatus
  enableUser: SetUserStatus
  removeUser: SetUserStatus
  rotateKeys: RotateKeys
  checkLog: CheckLog
  renewLog: RenewLog
  firstRun: FirstRun
  /** Closes everything that was opened. */
  close: Task<void>
}>

/** A service that `serve` starts and stops. */
export type Servable = Operations &
  Readonly<{ listen(host: string, port: number): Promise<number>; stop(): Promise<void> }>

/**
 * How a store is opened. `migrate`: it is created or brought to this version's schema. `existing`: the same, unless there is none
 * yet, which is an error. `read-only`: neither schema nor files change.
 */
export type StoreOpening = 'migrate' | 'existing' | 'read-only'

/** What the command line needs to do its work. The composition provides it. */
export type Composition = Readonly<{
  compose(settings: Settings): Promise<Servable>
  composeOperations(settings: Settings, opening: StoreOpening): Promise<Operations>
  /** Describes the place of the store without opening it. */
  inspectStore(settings: Settings): Promise<ReadonlyArray<Finding>>
  /** @throws Error with one sentence for operators */
  backUpStore(settings: Settings, file: string): Promise<void>
  /** One sentence for each file that the settings name and that is not usable. */
  wrongFiles(settings: Settings): ReadonlyArray<string>
}>
