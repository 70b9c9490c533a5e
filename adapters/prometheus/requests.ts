import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { RequestMeters } from './meters.ts'

/**
 * Counts requests by method, route and status, and how long they took by method and route: statuses are for clients to choose,
 * and each would cost as many lines as there are buckets.
 */
export const requestMeters = (registry: Registry): RequestMeters => {
  const registers = [registry]
  const requests = new Counter({
    name: 'portcullis_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'portcullis_http_request_duration_seconds',
    help: 'Time from the headers of a request to its answer, before that is sent.',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers,
  })
  const connections = new Gauge({
    name: 'portcullis_http_connections',
    help: 'Connections that are open.',
    registers,
  })

  type Series = Readonly<{ count: () => void; observe: (seconds: number) => void }>
  const known = new Map<string, Series>()
  const seriesOf = (method: string, route: string, status: number): Series => {
    const name = `${method} ${route} ${status}`
    const found = known.get(name)
    if (found !== undefined) return found
    const counter = requests.labels({ method, route, status: String(status) })
    const histogram = durations.labels({ method, route })
    const series = { count: () => counter.inc(), observe: (seconds: number) => histogram.observe(seconds) }
    known.set(name, series)
    return series
  }

  return {
    answered: ({ method, route = UNKNOWN, status }, seconds) => {
      const isTaken = METHODS.has(method) && status !== 405
      const { count, observe } = seriesOf(isTaken ? method : OTHER, route, status)
      count()
      observe(seconds)
    },
    refused: (status) => seriesOf(UNKNOWN, UNKNOWN, status).count(),
    connected: () => connections.inc(),
    disconnected: () => connections.dec(),
  }
}

/** What stands for a path without a route, and for what cannot be known of something that is no request. */
const UNKNOWN = 'unknown'

/** What stands for a method that the route does not take, or no route. */
const OTHER = 'other'

/** What any route takes. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])

/** From half a millisecond, which is what a token seen before costs, to what a client waits at most. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
