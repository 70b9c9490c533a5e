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
  const answers = new Map<string, (seconds: number) => void>()
  const counterOf = (method: string, route: string, status: number | 'abandoned'): (() => void) =>
    getOrMake(counts, `${status} ${method} ${route}`, () =>
      requests({ method, route, status: String(status) }),
    )
  const answerOf = ({ method, route = UNKNOWN, status }: Answer): ((seconds: number) => void) => {
    const known = METHODS.has(method) && status !== 405 ? method : OTHER
    const count = counterOf(known, route, status)
    const observe = getOrMake(observations, `${known} ${route}`, () => durations({ method: known, route }))
    return (seconds) => {
      count()
      observe(seconds)
    }
  }

  return {
    answered: (answer, seconds) => {
      const { method, route, status } = answer
      getOrMake(answers, `${status} ${method} ${route}`, () => answerOf(answer))(seconds)
    },
    refused: (status) => counterOf(UNKNOWN, UNKNOWN, status)(),
    connected: () => {
      open += 1
    },
    disconnected: () => {
      open -= 1
    },
  }
}

type Answer = Parameters<RequestMeters['answered']>[0]

const getOrMake = <Made>(made: Map<string, Made>, name: string, make: () => Made): Made => {
  const known = made.get(name)
  if (known !== undefined) return known
  const fresh = make()
  made.set(name, fresh) // bounded: Node's parser knows few methods
  return fresh
}

/** The label of a path without a route, and of the method and route of invalid HTTP. */
const UNKNOWN = 'unknown'

/** The label of a method that no route or not this route takes. */
const OTHER = 'other'

/** The methods that some route takes. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])

/** From half a millisecond (a token that was already verified) to the longest time that clients wait. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
