import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import type { Logger } from 'pino'
import type { Route } from './operation/route.ts'
import { koaApp } from './server/app.ts'
import type { Observer } from './server/observer.ts'
import { drain, httpServer, type Patience } from './server/server.ts'

/** The service as HTTP clients see it. */
export type HttpService = Readonly<{
  /**
   * Resolves with the port once connections are taken; rejects when the address is not to be had.
   *
   * @param port 0 takes any that is free
   */
  listen(host: string, port: number): Promise<number>
  /** A connection to the service without a socket: what is written there is read by it as HTTP/1.1. */
  connect(): Duplex
  /** Answers what is in flight, then lets go of every connection. */
  stop(): Promise<void>
}>

/**
 * @param routes is told how to find out whether the service is about to stop
 * @param trustedProxies how many proxies stand in front
 * @param patience for tests, which cannot wait as long as the service does
 */
export const httpService = ({
  routes,
  log,
  makeId,
  trustedProxies,
  patience,
  observer,
}: Readonly<{
  routes: (isDraining: () => boolean) => ReadonlyArray<Route>
  log: Logger
  makeId: () => string
  trustedProxies: number
  patience?: Patience
  observer?: Observer
}>): HttpService => {
  let draining = false
  const isDraining = () => draining
  const isLast = (request: IncomingMessage) => draining && connections.isNewest(request)
  const app = koaApp({ routes: routes(isDraining), log, makeId, trustedProxies, isLast, observer })
  const { server, connections } = httpServer({ answer: app.callback(), log, makeId, patience, observer })

  return {
    listen: async (host, port) => {
      server.listen(port, host)
      await once(server, 'listening') // rejects on 'error'
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : port
    },
    connect: () => {
      const [client, service] = duplexPair()
      // The two ends of a pair do not end each other by themselves.
      client.once('close', () => service.destroy())
      service.once('close', () => client.destroy())
      server.emit('connection', service)
      return client
    },
    stop: async () => {
      draining = true
      await drain(server, connections)
    },
  }
}
