/** Koa, the routes and the server. */
export { apiRoutes } from '../driving/http/api/routes.ts'
export { docsRoutes } from '../driving/http/docs/route.ts'
export { metricsRoute } from '../driving/http/metrics/route.ts'
export { oauthRoutes } from '../driving/http/oauth/routes.ts'
export { withOpenApi } from '../driving/http/openapi/route.ts'
export { pagesRoutes } from '../driving/http/pages/routes.ts'
export { httpService, withMetricsOn } from '../driving/http/service.ts'
