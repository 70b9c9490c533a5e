import type { Readable, Writable } from 'node:stream'
import type { EnvFile } from '../config/environment.ts'
import type { Environment } from '../config/settings.ts'
import type { Composition } from './composition.ts'

/** What a command receives from its process. */
export type CommandContext = Readonly<{
  composition: Composition
  /** The absolute path of the program, or of a link to it, that was started. */
  script: string
  environment: Environment
  /** Reads the file that adds to the environment. A second call returns the same values, because the file may be a pipe. */
  envFile: () => EnvFile
  /** The working directory. It may contain a `.env` file. */
  folder: string
  /** Returns the name of the system's user; undefined if the user has none. */
  systemUser: () => string | undefined
  input: Readable
  /** Called when a command starts, and not for `--help`, `--version` or wrong usage. */
  onCommand?: () => void
  /** Writes one line to standard output. */
  writeOut: (line: string) => void
  /** Resolves when all output was written. If it cannot be written, the process ends instead, but `serve` gets the reason. */
  flushOut: () => Promise<string | undefined>
  /** Whether standard output is a terminal. */
  isOutTerminal?: boolean
  /** Writes one line to standard error. */
  writeErr: (line: string) => void
  /** Standard error, if it is a terminal. */
  terminal?: Writable | undefined
  /** Shows a question, and resolves with the line that a person types. Undefined without a terminal to ask on. */
  ask?: ((question: string) => Promise<string>) | undefined
  /** Resolves after this time. */
  pause: (milliseconds: number) => Promise<void>
  /** Resolves when the server must stop. Call it before the server starts, so that no signal is missed. */
  untilStopped: () => Promise<void>
}>

/** What the program receives from its process. */
export type ProgramContext = Omit<CommandContext, 'composition' | 'envFile'> &
  Readonly<{
    /** Called when a command starts, after `onCommand`. */
    loadComposition: () => Promise<Composition>
  }>
