import type { Readable } from 'node:stream'
import type { Environment } from '../config.ts'

/** What a command has to do with the world outside of the service. */
export type Terminal = Readonly<{
  environment: Environment
  /** For a `.env` file. */
  folder: string
  input: Readable
  /** What a command prints: one line. */
  print: (line: string) => void
  /** What it says beside that: one line. */
  say: (line: string) => void
}>
