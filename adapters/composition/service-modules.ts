// What only a service and the console load, late: Koa, the routes, the server, metrics and traces. It is one module, because each `import()` splits
// the bundle into more files. Without `Dependency`: tsx would load its identifiers a second time.
export { apiRoutes } from '../http/api/routes.ts'
export { newConsole } from '../http/console/console.ts'
export { docsRoutes, rootRoutes } from '../http/docs/route.ts'
export { metricsRoute } from '../http/metrics/route.ts'
export { oauthRoutes } from '../http/oauth/routes.ts'
export { withOpenApi } from '../http/openapi/route.ts'
export { openIdProvider } from '../http/openid/routes.ts'
export { once } from '../http/pages/once.ts'
export { pagesRoutes } from '../http/pages/routes.ts'
export { httpService, withMetricsOn } from '../http/service.ts'
export { openTelemetry } from '../observing/opentelemetry/opentelemetry.ts'
export { prometheusMeters } from '../observing/prometheus/prometheus.ts'
