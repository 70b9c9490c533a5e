import { startForTests as startJoined } from './joined-testing.ts'
import type { TestOptions, TestService } from './separate-testing.ts'

export type { Environment, Module, TestOptions, TestService } from './separate-testing.ts'

/**
 * Starts a service in memory for tests (docs/testing.md). Each call makes another service, which shares nothing.
 *
 * @throws Error that names each wrong setting, or the option that is refused
 */
// The joined modules take half as long to load. Modules of the caller replace those of the package, which are separate.
export const startForTests = async (options: TestOptions = {}): Promise<TestService> => {
  if (!options.modules?.length) return startJoined(options)
  const { startForTests: startSeparate } = await import('./separate-testing.ts')
  return startSeparate(options)
}
