import { apiRoutes } from '../../adapters/http/api/routes.ts'
import type { Timeouts } from '../../adapters/http/server/server.ts'
import { httpService } from '../../adapters/http/service.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import { connected } from './transport-talk.ts'

/** The same server with these timeouts. */
export const withTimeouts = (timeouts: Timeouts): Module =>
  provide(
    Dependency.httpService,
    {
      useCases: Dependency.useCases,
      store: Dependency.store,
      log: Dependency.log,
      random: Dependency.random,
      settings: Dependency.settings,
    },
    ({ useCases, store, log, random, settings: { publicUrl, passwordPolicy } }) => {
      const routes = apiRoutes({
        useCases,
        store,
        publicUrl,
        prefix: '',
        hasLogKey: false,
        policy: passwordPolicy,
      })
      return httpService({ routes, log, makeId: () => random.uuid(), trustedProxies: 0, timeouts })
    },
  )

const DRIP_MS = 10

/**
 * Sends `first`, then `more` repeatedly until the server ends the connection. Never ends if the server takes `more`
 * as a reason to wait.
 *
 * @returns after `first` is sent, with a promise of everything received
 */
export const sendSlowly = async (
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
