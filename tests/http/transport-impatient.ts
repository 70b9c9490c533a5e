import { apiRoutes } from '../../adapters/driving/http/api/routes.ts'
import type { Timeouts } from '../../adapters/driving/http/server/server.ts'
import { httpService } from '../../adapters/driving/http/service.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import { connected } from './transport-talk.ts'

/** The same server, but that it waits for so long only. */
export const impatient = (timeouts: Timeouts): Module =>
  provide(
    Dependency.httpService,
    {
      useCases: Dependency.apiUseCases,
      store: Dependency.store,
      log: Dependency.log,
      random: Dependency.random,
      settings: Dependency.settings,
    },
    ({ useCases, store, log, random, settings: { passwordPolicy } }) => {
      const routes = apiRoutes({ useCases, store, prefix: '', policy: passwordPolicy })
      return httpService({ routes, log, makeId: () => random.uuid(), trustedProxies: 0, timeouts })
    },
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
