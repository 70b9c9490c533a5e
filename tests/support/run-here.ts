import { EventEmitter, once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { ExitStatus } from '../../adapters/cli/exit.ts'
import { run } from '../../adapters/cli/program.ts'
import { composition } from '../../adapters/composition/compose.ts'
import type { Environment } from '../../adapters/config/settings.ts'
import type { Ended } from './command.ts'
import { CHEAP } from './settings.ts'
import { withoutStoreLine } from './store-line.ts'

/** The inputs of a command line. */
export type Given = Readonly<{
  environment?: Environment
  input?: string | Uint8Array
  /** The working directory, which may contain `.env`. */
  folder?: string
  /** Standard error as a terminal. */
  terminal?: Writable
  /** Whether standard output is a terminal. */
  isOutTerminal?: boolean
  /** Answers questions. Without it, there is no terminal to ask on. */
  ask?: (question: string) => Promise<string>
  /** Resolves when a pause of the command is over. */
  pause?: (milliseconds: number) => Promise<void>
}>

/** A command line that runs in this process. */
export type CommandHere = Readonly<{
  /** Everything printed so far. */
  printed: () => string
  /** Resolves when a printed line contains the text. */
  prints: (text: string) => Promise<void>
  /** Standard error so far, with the line that names the store. */
  said: () => string
  /** Stops it, as a signal stops a process. */
  stop: () => void
  ended: Promise<Readonly<{ status: ExitStatus; out: string; err: string }>>
}>

/** Starts a command line in this process. Other tests check once per status that a process exits with the status of `run`. */
export const startHere = (
  words: string | ReadonlyArray<string>,
  {
    environment = {},
    input = '',
    folder = '/nowhere',
    terminal,
    isOutTerminal = false,
    ask,
    pause = setTimeout,
  }: Given,
): CommandHere => {
  const shown = { out: '', err: '' }
  const lines = new EventEmitter().setMaxListeners(0)
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const writeOut = (line: string) => {
    shown.out += `${line}\n`
    lines.emit('line')
  }
  const ended = run(typeof words === 'string' ? words.split(' ') : words, {
    loadComposition: async () => composition,
    script: '/opt/portcullis/dist/adapters/main.js',
    environment: { ...CHEAP, ...environment },
    folder,
    systemUser: () => undefined,
    input: Readable.from([Buffer.from(input)]),
    writeOut,
    flushOut: async () => undefined,
    writeErr: (line) => {
      shown.err += `${line}\n`
    },
    terminal,
    isOutTerminal,
    ask,
    pause: async (milliseconds) => {
      await pause(milliseconds)
    },
    untilStopped: () => stopped,
  }).then((status) => ({ status, out: shown.out, err: withoutStoreLine(shown.err) }))

  return {
    printed: () => shown.out,
    said: () => shown.err,
    prints: async (text) => {
      const end = ended.then(() => 'ended')
      while (!shown.out.includes(text)) {
        const next = await Promise.race([once(lines, 'line'), end])
        if (next === 'ended' && !shown.out.includes(text))
          throw new Error(`it ended without printing ${text}: ${shown.err}`)
      }
    },
    stop,
    ended,
  }
}

/** Runs a command line to its end in this process, at a hundredth of the cost of a process. */
export const runHere = (
  words: string,
  environment: Environment = {},
  input: string | Uint8Array = '',
): Promise<Ended> => startHere(words, { environment, input }).ended
