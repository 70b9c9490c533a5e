import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { FirstRun } from '../../application/accounts/first-run.ts'
import type { ImportUsers } from '../../application/accounts/import-users.ts'
import type { ManageNamedUser } from '../../application/accounts/manage-users.ts'
import type { RegisterUser } from '../../application/accounts/register-user.ts'
import type { SetPassword } from '../../application/accounts/set-password.ts'
import type { RegisterApplication } from '../../application/applications/register-application.ts'
import type { RevokeApplication } from '../../application/applications/revoke-application.ts'
import type { RotateApplicationKey } from '../../application/applications/rotate-application-key.ts'
import type { Formats } from '../../application/keys/keyring.ts'
import type { RotateKeys } from '../../application/keys/rotate-keys.ts'
import type { CheckLog } from '../../application/log/check-log.ts'
import type { ExportLog } from '../../application/log/export-log.ts'
import type { MakeCheckpoint } from '../../application/log/make-checkpoint.ts'
import type { PruneLog } from '../../application/log/prune-log.ts'
import type { RenewLog } from '../../application/log/renew-log.ts'
import type { VerifyExport } from '../../application/log/verify-export.ts'
import type { VerifyLog } from '../../application/log/verify-log.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { ServerNote, ServerNotes } from '../../application/ports/server-notes.ts'
import type { Store, StoreUnavailable } from '../../application/ports/store.ts'
import type { RequestContext } from '../../application/recording/recorder.ts'
import type { Settings } from '../config/settings.ts'

/** The service without HTTP. */
export type Operations = Readonly<{
  settings: Settings
  store: Store
  /** Undefined if the storage keeps no notes of servers. */
  serverNotes: ServerNotes | undefined
  passwordHasher: PasswordHasher
  formats: Formats
  keyWrapping: KeyWrapping
  registerApplication: RegisterApplication
  rotateApplicationKey: RotateApplicationKey
  revokeApplication: RevokeApplication
  registerUser: RegisterUser
  importUsers: ImportUsers
  /** Starts an import that writes nothing. */
  rehearseImport: () => ImportUsers
  setPassword: SetPassword
  disableUser: ManageNamedUser
  enableUser: ManageNamedUser
  removeUser: ManageNamedUser
  endUserSessions: ManageNamedUser
  rotateKeys: RotateKeys
  checkLog: CheckLog
  renewLog: RenewLog
  /** Undefined if the store does not implement `LogTree`: then its history is not verifiable. */
  history: History | undefined
  firstRun: FirstRun
  /** Closes the store and all that was opened with it. */
  close: Task<void>
}>

/** What proves that the event log was not changed (docs/verify-log.md). */
export type History = Readonly<{
  makeCheckpoint: MakeCheckpoint
  verifyLog: VerifyLog
  exportLog: (folder: string) => ReturnType<ExportLog>
  pruneLog: (
    asked: Readonly<{ folder: string; beforeSeconds: number }>,
    context: RequestContext,
  ) => ReturnType<PruneLog>
  /** The verifier keys of the checkpoints. */
  verifierKeys: TaskEither<StoreUnavailable, ReadonlyArray<string>>
}>

/** The service with HTTP, which `serve` starts and stops. */
export type Servable = Operations &
  Readonly<{
    listen(host: string, port: number): Promise<number>
    /** Notes this server in its store until it stops, so that `doctor` can compare settings. A failure is logged once. */
    noteServer(note: Pick<ServerNote, 'name' | 'settings'>): Promise<void>
    stop(): Promise<void>
  }>

/**
 * How to open a store. `migrate` creates it, or updates it to the schema of this version. `existing` does the same, but fails if
 * there is no store. `read-only` changes neither schema nor files.
 */
export type StoreOpening = 'migrate' | 'existing' | 'read-only'

/** What commands need. `adapters/composition` provides it. */
export type Composition = Readonly<{
  compose(settings: Settings): Promise<Servable>
  composeOperations(settings: Settings, opening: StoreOpening): Promise<Operations>
  /** Checks the file or server of the store without opening the store. */
  inspectStore(settings: Settings): Promise<ReadonlyArray<Finding>>
  /** @throws Error with one sentence for operators */
  backUpStore(settings: Settings, file: string): Promise<void>
  /** Verifies a published log in a folder or at a URL, without a store. A server may ask for a bearer token. */
  verifyExport(
    log: Readonly<{ from: string; token?: string | undefined }>,
    given: Parameters<VerifyExport>[1],
  ): ReturnType<VerifyExport>
  /** One sentence for each unusable file that the settings name. */
  wrongFiles(settings: Settings): ReadonlyArray<string>
  /**
   * The file of `--with`, and what its modules replace. With a storage, DATABASE_URL names no store. With a password hasher,
   * SCRYPT_*, HASHING_* and PASSWORD_PEPPER say nothing about the hashes.
   */
  parts: Readonly<{ file: string; haveStorage: boolean; havePasswordHasher: boolean }> | undefined
  /**
   * The composition in which the modules of a file replace dependencies.
   *
   * @param file an absolute path
   * @throws CommandFailed
   */
  withParts(file: string): Promise<Composition>
}>

/** Whether a published log is at a URL, not in a folder. */
export const isUrl = (from: string): boolean => /^https?:\/\//.test(from)
