import { startForTests as startBundled } from './bundled-testing.ts'
import type { TestOptions, TestService } from './start-for-tests.ts'

export type {
  Environment,
  Module,
  TestApplication,
  TestApplicationOptions,
  TestOptions,
  TestService,
} from './start-for-tests.ts'

/**
 * Starts a service in memory for tests (docs/testing.md). Each call makes another service, which shares nothing.
 *
 * @throws Error that names each wrong setting, or the option that is refused
 * @throws TypeError that names an application without a name, or an unknown option of one
 */
// The bundle takes half as long to load. Modules of the caller replace those of the package, which the bundle does not share.
export const startForTests = async <Name extends string = never>(
  options: TestOptions<Name> = {},
): Promise<TestService<Name>> => {
  if (!options.modules?.length) return startBundled(options)
  const { startForTests: start } = await import('./start-for-tests.ts')
  return start(options)
}
