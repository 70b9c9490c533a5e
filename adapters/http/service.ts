import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Server } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import type { Logger } from 'pino'
import type { Routes } from './operation/route.ts'
import type { StartTimer } from './request/deadline.ts'
import { koaApp } from './server/app.ts'
import { answerWebRequest, injectable } from './server/fetch.ts'
import { type InjectedRequest, type InjectedResponse, inject } from './server/inject.ts'
import type { Observer } from './server/observer.ts'
import { drain, httpServer, type Timeouts } from './server/server.ts'

/** The HTTP side of the service. */
export type HttpService = Readonly<{
  /**
   * Resolves with the port when the server accepts connections. Rejects if the address is not available.
   *
   * @param port 0 takes any free port. A server that listens on `host` gives its port to this one.
   */
  listen(host: string, port: number | Server): Promise<number>
  /** Returns a connection without a socket. It carries HTTP/1.1. */
  connect(): Duplex
  /**
   * Answers a request without a socket, and without a connection.
   *
   * @throws Error after `stop`
   */
  inject(request: InjectedRequest): Promise<InjectedResponse>
  /**
   * Answers a request of the web standard without a socket, with its path and query at any origin. It takes what the global `fetch`
   * takes, and follows no redirect.
   *
   * @throws the reason of the request's signal when that is aborted
   * @throws Error after `stop`
   */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>
  /** Answers pending requests, then closes every connection. */
  stop(): Promise<void>
}>

/**
 * @param trustedProxies how many proxies are in front of the server
 * @param timeouts other ones than the defaults
 * @param startTimer another timer of deadlines for tests
 * @param settingsFor returns which settings a path without a route needs
 */
export const httpService = ({
  routes,
  log,
  makeId,
  trustedProxies,
  timeouts,
  startTimer,
  observer,
  settingsFor,
}: Readonly<{
  routes: Routes
  log: Logger
  makeId: () => string
  trustedProxies: number
  timeouts?: Partial<Timeouts>
  startTimer?: StartTimer
  observer?: Observer
  settingsFor?: (path: string) => string | undefined
}>): HttpService => {
  let draining = false
  const isDraining = () => draining
  const isLast = (request: IncomingMessage) => draining && connections.isNewest(request)
  const app = koaApp({
    routes: routes(isDraining),
    log,
    makeId,
    trustedProxies,
    isLast,
    startTimer,
    observer,
    settingsFor,
  })
  const answer = app.callback()
  const { server, connections } = httpServer({ answer, log, makeId, timeouts, observer })
  const injected = new Set<Promise<unknown>>()
  const refuseAfterStop = (): void => {
    if (draining) throw new Error('The service has stopped, so it answers no request.')
  }
  /** Answers before the service stops. */
  const answered = async <T>(exchange: () => Promise<T>): Promise<T> => {
    refuseAfterStop()
    const response = exchange()
    injected.add(response)
    try {
      return await response
    } finally {
      injected.delete(response)
    }
  }

  return {
    listen: async (host, port) => {
      if (typeof port === 'number') server.listen(port, host)
      else server.listen(port) // Node takes its open handle, so the port is never free in between
      await once(server, 'listening') // rejects on 'error'
      const address = server.address()
      if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
      return address.port
    },
    connect: () => {
      const [client, service] = duplexPair()
      // Destroying one end of a pair does not destroy the other.
      client.once('close', () => service.destroy())
      service.once('close', () => client.destroy())
      server.emit('connection', service)
      return client
    },
    inject: (request) => answered(() => inject(answer, request)),
    fetch: async (input, init) => {
      refuseAfterStop()
      const isRequest = typeof input === 'object' && !(input instanceof URL)
      // A request as it is may also be of the package undici, whose class the global one does not know.
      const request = isRequest && init === undefined ? input : new Request(input, init)
      const sent = await injectable(request) // a body without an end must not delay a stop
      return answered(() => answerWebRequest(answer, sent, request))
    },
    stop: async () => {
      draining = true
      await Promise.all([drain(server, connections), Promise.allSettled(injected)])
    },
  }
}

/** The main service and its metrics on another port of the same host. Both stop together. */
export const withMetricsOn = (metricsPort: number, metrics: HttpService, main: HttpService): HttpService => {
  let isListening = false
  return {
    ...main,
    listen: async (host, port) => {
      if (!isListening) await metrics.listen(host, metricsPort)
      isListening = true
      return main.listen(host, port)
    },
    stop: async () => {
      await Promise.all([main.stop(), metrics.stop()])
    },
  }
}
