import type { ConsoleOptions, RunningConsole } from '../cli/composition.ts'
import { nodeDigests, systemClock, systemRandom } from '../node/environment.ts'
import { jsonLog } from '../observing/pino/log.ts'

/** Makes the console of operators. Koa and the pages load here. */
export const openConsole = async ({
  operations,
  isWritable,
  ...options
}: ConsoleOptions): Promise<RunningConsole> => {
  const { newConsole } = await import('./service-modules.ts')
  return newConsole({
    ...options,
    store: operations.store,
    passwordHasher: operations.passwordHasher,
    changes: isWritable ? operations : undefined,
    clock: systemClock,
    random: systemRandom,
    digests: nodeDigests,
    logger: jsonLog('warn'), // only failures: the terminal is that of the operator
  })
}
