import { Gauge, type Registry } from 'prom-client'
import type { RequestMeters } from './meters.ts'
import { counter, histogram } from './series.ts'

/**
 * Counts requests by method, route and status, and times them by method and route. Durations have no status: clients can provoke
 * every status, and each would add a line per bucket.
 */
export const requestMeters = (registry: Registry): RequestMeters => {
  const requests = counter(registry, {
    name: 'portcullis_http_requests_total',
    help: 'Answered requests. If the client disconnected first, the status is abandoned.',
    labelNames: ['method', 'route', 'status'],
  })
  const durations = histogram(
    registry,
    {
      name: 'portcullis_http_request_duration_seconds',
      help: 'Time from the headers of a request to its response, before sending.',
      labelNames: ['method', 'route'],
    },
    SECONDS,
  )
  let open = 0
  const connections: Gauge = new Gauge({
    name: 'portcullis_http_connections',
    help: 'Open connections.',
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

/** The label of a path without a route, and of the method and route of invalid HTTP. */
const UNKNOWN = 'unknown'

/** The label of a method that no route or not this route takes. */
const OTHER = 'other'

/** The methods that some route takes. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])

/** From half a millisecond (a token that was already verified) to the longest time that clients wait. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
