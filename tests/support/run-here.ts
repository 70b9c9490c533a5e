import { Readable } from 'node:stream'
import { composition } from '../../adapters/composition/compose.ts'
import type { Environment } from '../../adapters/config/settings.ts'
import { run } from '../../adapters/driving/cli/program.ts'
import type { Ended } from './command.ts'
import { CHEAP } from './settings.ts'

/**
 * A command line without a process of its own, which costs a hundred times more: for tables of what goes wrong. That a
 * process ends with the status that `run` returns is shown once for each status.
 */
export const runHere = async (
  words: string,
  environment: Environment = {},
  input: string | Uint8Array = '',
): Promise<Ended> => {
  const printed = { out: '', err: '' }
  const status = await run(words.split(' '), {
    composition,
    environment: { ...CHEAP, ...environment },
    folder: '/nowhere',
    input: Readable.from([Buffer.from(input)]),
    print: (line) => {
      printed.out += `${line}\n`
    },
    printed: async () => {},
    say: (line) => {
      printed.err += `${line}\n`
    },
  })
  return { status, ...printed }
}
