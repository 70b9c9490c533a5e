import type { Environment } from '../../adapters/config/settings.ts'
import type { Module } from '../../adapters/index.ts'
import { type RunningService, startService } from './running-service.ts'

/** A separate service for one test, always stopped afterwards. */
export const withService = async (
  environment: Environment,
  use: (running: RunningService) => Promise<void>,
  ...modules: ReadonlyArray<Module>
): Promise<void> => {
  const running = await startService(environment, ...modules)
  try {
    await use(running)
  } finally {
    await running.stop()
  }
}
