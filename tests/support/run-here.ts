import { EventEmitter, once } from 'node:events'
import { Readable } from 'node:stream'
import { composition } from '../../adapters/composition/compose.ts'
import type { Environment } from '../../adapters/config/settings.ts'
import type { ExitStatus } from '../../adapters/driving/cli/exit.ts'
import { run } from '../../adapters/driving/cli/program.ts'
import type { Ended } from './command.ts'
import { CHEAP } from './settings.ts'

/** What a command line is given. */
export type Given = Readonly<{
  environment?: Environment
  input?: string | Uint8Array
  /** Where it looks for `.env`. */
  folder?: string
}>

/** A command line at work in this process. */
export type CommandHere = Readonly<{
  /** Everything printed so far. */
  printed: () => string
  /** Resolves when a printed line contains the text. */
  prints: (text: string) => Promise<void>
  /** Asks it to stop, as a signal asks a process. */
  stop: () => void
  ended: Promise<Readonly<{ status: ExitStatus; out: string; err: string }>>
}>

/** Starts a command line in this process. That a process ends with the status of `run` is tested once for each status. */
export const startHere = (
  words: string,
  { environment = {}, input = '', folder = '/nowhere' }: Given,
): CommandHere => {
  const shown = { out: '', err: '' }
  const lines = new EventEmitter().setMaxListeners(0)
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const print = (line: string) => {
    shown.out += `${line}\n`
    lines.emit('line')
  }
  const ended = run(words.split(' '), {
    composition,
    environment: { ...CHEAP, ...environment },
    folder,
    input: Readable.from([Buffer.from(input)]),
    print,
    printed: async () => {},
    say: (line) => {
      shown.err += `${line}\n`
    },
    untilStopped: () => stopped,
  }).then((status) => ({ status, ...shown }))

  return {
    printed: () => shown.out,
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

/** Runs a command line to its end in this process, which costs a hundredth of a process. */
export const runHere = (
  words: string,
  environment: Environment = {},
  input: string | Uint8Array = '',
): Promise<Ended> => startHere(words, { environment, input }).ended
