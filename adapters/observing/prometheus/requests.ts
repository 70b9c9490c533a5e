import { Gauge, type Registry } from 'prom-client'
import type { RequestMeters } from './meters.ts'
import { counter, histogram } from './tallies.ts'

/**
 * Counts requests by method, route and status, and how long they took by method and route: statuses are for clients to choose,
 * and each would cost as many lines as there are buckets.
 */
export const requestMeters = (registry: Registry): RequestMeters => {
  const requests = counter(registry, {
    name: 'portcullis_http_requests_total',
    help: 'Requests that were answered, or whose clients had gone: those have the status abandoned.',
    labelNames: ['method', 'route', 'status'],
  })
  const durations = histogram(
    registry,
    {
      name: 'portcullis_http_request_duration_seconds',
      help: 'Time from the headers of a request to its answer, before that is sent.',
      labelNames: ['method', 'route'],
    },
    SECONDS,
  )
  let open = 0
  const connections: Gauge = new Gauge({
    name: 'portcullis_http_connections',
    help: 'Connections that are open.',
    registers: [registry],
    collect: () => {
      connections.set(open)
    },
  })

  const counts = new Map<string, () => void>()
  const observations = new Map<string, (seconds: number) => void>()
  const counted = (method: string, route: string, status: number | 'abandoned'): void => {
    const name = `${status} ${method} ${route}`
    const count = counts.get(name) ?? requests({ method, route, status: String(status) })
    counts.set(name, count)
    count()
  }
  const observed = (method: string, route: string, seconds: number): void => {
    const name = `${method} ${route}`
    const observe = observations.get(name) ?? durations({ method, route })
    observations.set(name, observe)
    observe(seconds)
  }

  return {
    answered: ({ method, route = UNKNOWN, status }, seconds) => {
      const known = METHODS.has(method) && status !== 405 ? method : OTHER
      counted(known, route, status)
      observed(known, route, seconds)
    },
    refused: (status) => counted(UNKNOWN, UNKNOWN, status),
    connected: () => {
      open += 1
    },
    disconnected: () => {
      open -= 1
    },
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
