// Koa, the routes and the server, loaded late. Without `Dependency`: tsx would load its identifiers a second time.
export { apiRoutes } from '../http/api/routes.ts'
export { docsRoutes, rootRoutes } from '../http/docs/route.ts'
export { metricsRoute } from '../http/metrics/route.ts'
export { oauthRoutes } from '../http/oauth/routes.ts'
export { withOpenApi } from '../http/openapi/route.ts'
export { httpService, withMetricsOn } from '../http/service.ts'
