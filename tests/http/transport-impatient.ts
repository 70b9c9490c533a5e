import { Dependency, type Module, provide } from '../../adapters/composition/composition.ts'
import { apiRoutes } from '../../adapters/driving/http/api/routes.ts'
import type { Patience } from '../../adapters/driving/http/server/server.ts'
import { httpService } from '../../adapters/driving/http/service.ts'
import { connected } from './transport-talk.ts'

/** The same server, but that it waits for so long only. */
export const impatient = (patience: Patience): Module =>
  provide(
    Dependency.httpService,
    (useCases, store, log, random, { passwordPolicy }) => {
      const routes = apiRoutes(useCases, store, '', passwordPolicy)
      return httpService(routes, log, () => random.uuid(), 0, patience)
    },
    Dependency.apiUseCases,
    Dependency.store,
    Dependency.log,
    Dependency.random,
    Dependency.settings,
  )

const DRIP_MS = 10

/**
 * Sends something, and then something else again and again until the server ends the connection. That never ends where
 * the server takes it for a reason to wait.
 *
 * @returns when the first is on its way, with all that comes by the end
 */
export const drip = async (
  port: number,
  first: string,
  more: string,
): Promise<Readonly<{ ended: Promise<string> }>> => {
  const { socket, received, closed } = await connected(port)
  socket.write(Buffer.from(first, 'latin1'))
  const dripping = setInterval(() => {
    if (more !== '' && socket.writable) socket.write(more)
  }, DRIP_MS)
  const ended = closed.then(() => {
    clearInterval(dripping)
    return received()
  })
  return { ended }
}
