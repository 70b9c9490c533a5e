import { type Module, Part, provide } from '../../adapters/composition.ts'
import { apiRoutes } from '../../adapters/http/api/routes.ts'
import type { Patience } from '../../adapters/http/server.ts'
import { httpService } from '../../adapters/http/service.ts'
import { connected } from './transport-talk.ts'

/** The same server, but that it waits for so long only. */
export const impatient = (patience: Patience): Module =>
  provide(
    Part.httpService,
    (useCases, store, log, random) =>
      httpService(
        apiRoutes(useCases, store, '', { kind: 'contract' }),
        log,
        () => random.uuid(),
        0,
        patience,
      ),
    Part.apiUseCases,
    Part.store,
    Part.log,
    Part.random,
  )

const DRIP_MS = 10

/**
 * Sends something, and then something else again and again until the server ends the connection. That never ends where
 * the server takes it for a reason to wait.
 */
export const drip = async (port: number, first: string, more: string): Promise<string> => {
  const { socket, received, closed } = await connected(port)
  socket.write(Buffer.from(first, 'latin1'))
  const dripping = setInterval(() => {
    if (more !== '' && socket.writable) socket.write(more)
  }, DRIP_MS)
  await closed
  clearInterval(dripping)
  return received()
}
