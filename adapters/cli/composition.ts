import type { Either } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { ClosedState } from '../../application/copying/watch-copy-state.ts'
import type { Formats } from '../../application/keys/keyring.ts'
import type { ModelledLog } from '../../application/log/catch-up.ts'
import type { VerifyExport } from '../../application/log/verify-export.ts'
import type { MailDesk } from '../../application/mail/mail-parts.ts'
import type { Clock, Digests } from '../../application/ports/environment.ts'
import type { IdentityProvider } from '../../application/ports/identity-provider.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { ReadModel } from '../../application/ports/read-model.ts'
import type { ServerNote, ServerNotes } from '../../application/ports/server-notes.ts'
import type { StoreOpening } from '../../application/ports/storage.ts'
import type { Store } from '../../application/ports/store.ts'
import type { StoreCopy } from '../../application/ports/store-copy.ts'
import type { RequestContext } from '../../application/recording/recorder.ts'
import type { OperatorUseCases } from '../../application/use-cases/operators.ts'
import type { Environment, Settings } from '../config/settings.ts'
import type { FileChecks } from '../config/wrong-files.ts'

/** The service without HTTP. */
export type Operations = Readonly<{
  settings: Settings
  store: Store
  /** Undefined if the storage keeps no notes of servers. */
  serverNotes: ServerNotes | undefined
  /** Undefined if the storage cannot be copied. */
  storeCopy: StoreCopy | undefined
  passwordHasher: PasswordHasher
  formats: Formats
  keyWrapping: KeyWrapping
  digests: Digests
  /** Closes the store and all that was opened with it. */
  close: Task<void>
}> &
  OperatorUseCases

/** The service with HTTP, which `serve` starts and stops. */
export type Servable = Omit<Operations, 'registerUser'> &
  Readonly<{
    listen(host: string, port: number): Promise<number>
    /** Notes this server in its store until it stops, so that `doctor` can compare settings. A failure is logged once. */
    noteServer(note: Pick<ServerNote, 'name' | 'settings'>): Promise<void>
    /** Resolves with the copy state when a copy has closed the store of the listening service, and else never. The service then must stop. */
    storeClosed: Promise<ClosedState>
    stop(): Promise<void>
  }>

/** What a command gives the console of operators. */
export type ConsoleOptions = Readonly<{
  operations: Operations
  /** Whose read model is at its end. */
  log: ModelledLog
  isWritable: boolean
  /** The store, as messages show it. */
  storeText: string
  check: (onProgress: (progress: Progress) => void) => Promise<ReadonlyArray<Finding>>
  asOperator: RequestContext
  /** Says why the store takes no change; undefined if it takes one. */
  closedBecause: () => Promise<string | undefined>
  /** The URL was opened, or opened again by another browser. */
  onOpening: (kind: 'opened' | 'used') => void
  /** It was idle for 30 minutes. */
  onIdle: () => void
}>

/** How far a long check is: `done` of about `total` items, or of an unknown number. */
export type Progress = Readonly<{ check: string; done: number; total: number | undefined }>

export type RunningConsole = Readonly<{
  listen(host: string, port: number): Promise<number>
  /** The path and the query of the URL with the one-time secret. */
  openingTarget: string
  stop(): Promise<void>
}>

/** The relay, and what a letter of a command needs. */
export type OpenedMail = MailDesk & Readonly<{ now: Clock; newId: () => string }>

/** What commands need. `adapters/composition` provides it. */
export type Composition = FileChecks &
  Readonly<{
    /** @param print writes mails whose relay is the terminal, and resolves with the reason if they are lost */
    compose(
      settings: Settings,
      print: (lines: ReadonlyArray<string>) => Promise<string | undefined>,
    ): Promise<Servable>
    composeOperations(settings: Settings, opening: StoreOpening): Promise<Operations>
    /** One sentence for each pair of colors of the pages that `style.css` of the settings makes hard to tell apart. */
    contrastProblems(settings: Settings): ReadonlyArray<string>
    /**
     * Whether there is a store, which is migrated if an older version wrote it. A storage of modules counts as one.
     *
     * @throws Error with one sentence for operators if that cannot be told
     */
    hasStore(settings: Settings): Promise<boolean>
    /** Checks the file or server of the store without opening the store. */
    inspectStore(settings: Settings): Promise<ReadonlyArray<Finding>>
    /** @throws Error with one sentence for operators */
    backUpStore(settings: Settings, file: string): Promise<void>
    /**
     * Opens the read model of the event log.
     *
     * @param onRebuild receives the path if the file was damaged or has another schema, and has to be built again
     * @throws Error with one sentence for operators
     */
    openReadModel(
      settings: Settings,
      environment: Environment,
      onRebuild: (path: string) => void,
    ): Promise<ReadModel>
    /** Makes the console of operators, which does not listen yet. */
    openConsole(options: ConsoleOptions): Promise<RunningConsole>
    /** Verifies a published log in a folder or at a URL, without a store. A server may ask for a bearer token. */
    verifyExport(
      log: Readonly<{ folder: string } | { url: string; token?: string | undefined }>,
      given: Parameters<VerifyExport>[1],
    ): ReturnType<VerifyExport>
    /** Opens the relay of the settings, without a store. None without `MAIL_URL`. */
    openMail(settings: Settings): Promise<Option<OpenedMail>>
    /** The identity providers of the settings, without a store. */
    openIdentityProviders(settings: Settings): Promise<ReadonlyArray<IdentityProvider>>
    /**
     * The file of `--with`, and what its modules replace. With a storage, DATABASE_URL names no store. With a password hasher,
     * SCRYPT_*, HASHING_* and PASSWORD_PEPPER say nothing about the hashes.
     */
    parts: Readonly<{ file: string; haveStorage: boolean; havePasswordHasher: boolean }> | undefined
    /** The composition without the modules of `--with`. */
    standard: Composition
    /**
     * The composition in which modules replace dependencies.
     *
     * @param exported by the file: one module, or an array
     * @returns or the end of a sentence that says what is wrong with the modules
     */
    withParts(file: string, exported: unknown): Either<string, Composition>
  }>
