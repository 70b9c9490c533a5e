import type { Readable } from 'node:stream'
import type { Environment } from '../../config/settings.ts'
import type { Composition } from './composition.ts'

/** What a command has to do with the world outside of the service. */
export type Terminal = Readonly<{
  /** Puts the service together. */
  composition: Composition
  environment: Environment
  /** For a `.env` file. */
  folder: string
  input: Readable
  /** What a command prints: one line. */
  print: (line: string) => void
  /** Resolves when all that was printed could be written. Otherwise the process ends before that. */
  printed: () => Promise<void>
  /** What it says beside that: one line. */
  say: (line: string) => void
  /** Resolves when the server is asked to stop. Called before a server starts, so that no request to stop is missed. */
  untilStopped: () => Promise<void>
}>
