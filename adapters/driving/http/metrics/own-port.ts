import type { HttpService } from '../service.ts'

/**
 * A service with its metrics on a port of their own, which need not be reachable from where its clients are. Both listen on the
 * same host, and stop together.
 */
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
