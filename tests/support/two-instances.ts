import type { Environment } from '../../adapters/config/settings.ts'
import { compose, type Module } from '../../adapters/index.ts'
import { httpClient, type TestRequest } from './http-client.ts'
import { type RunningService, startService } from './running-service.ts'
import { settings } from './settings.ts'

/** Two services on one database, each with its own socket and memory. */
export type TwoInstances = Readonly<{
  /** The instance that made the application and the user. Its `keys`, `user` and tokens are valid on both. */
  one: RunningService
  other: Pick<RunningService, 'service' | 'port' | 'send'>
  environment: Environment
  stop: () => Promise<void>
}>

/**
 * @param database is dropped with them, if possible
 * @param modules of both of them
 */
export const startTwoInstances = async (
  { url, drop }: Readonly<{ url: string; drop?: () => Promise<void> }>,
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<TwoInstances> => {
  const both = { DATABASE_URL: url, ...environment }
  const one = await startService(both, ...modules)
  const service = await compose(settings(both), ...modules)
  const port = await service.listen('127.0.0.1', 0)
  const { send, close } = httpClient(`http://127.0.0.1:${port}`)
  return {
    one,
    other: { service, port, send: (request: TestRequest) => send(request) },
    environment: both,
    stop: async () => {
      await close()
      await service.stop()
      await one.stop()
      await drop?.()
    },
  }
}
