import { everyMs, noteServer } from '../cli/noted-server.ts'
import { isCheaperThanRecommended, prefixOf } from '../config/settings.ts'
import { VERSION } from '../config/version.ts'
import type { Routes } from '../http/operation/route.ts'
import type { HttpService } from '../http/service.ts'
import { flushed } from '../observing/pino/log.ts'
import { Dependency } from './dependencies.ts'
import { type Module, provide } from './provide.ts'
import { policyWith } from './security.ts'

/** Loads Koa and the routes when a service is composed: commands and `memoryStore` do without them. */
const loadHttp = () => import('./http-modules.ts')

/** The routes, the server and the whole service. */
export const http: ReadonlyArray<Module> = [
  provide(
    Dependency.openApi,
    {
      api: Dependency.apiUseCases,
      oauth: Dependency.oauthUseCases,
      store: Dependency.store,
      meters: Dependency.meters,
      rules: Dependency.passwordRules,
      settings: Dependency.settings,
    },
    async ({ api, oauth, store, meters, rules, settings }) => {
      const { apiRoutes, docsRoutes, metricsRoute, oauthRoutes, withOpenApi } = await loadHttp()
      return (isDraining) => {
        const prefix = prefixOf(settings)
        const policy = policyWith(settings, rules)
        const { publicUrl, metricsPort, eventLogKeys } = settings
        const hasLogKey = eventLogKeys.length > 0
        const routes = [
          ...apiRoutes({ useCases: api, store, publicUrl, prefix, hasLogKey, policy })(isDraining),
          ...oauthRoutes(oauth, publicUrl, prefix),
          ...(metricsPort === undefined ? [metricsRoute(meters.exposition)] : []),
        ]
        return withOpenApi(routes, { prefix, version: VERSION }, (document) =>
          docsRoutes(document, publicUrl, prefix),
        )
      }
    },
  ),
  provide(
    Dependency.httpService,
    {
      openApi: Dependency.openApi,
      pages: Dependency.pagesUseCases,
      log: Dependency.log,
      random: Dependency.random,
      meters: Dependency.meters,
      rules: Dependency.passwordRules,
      tracing: Dependency.tracing,
      settings: Dependency.settings,
    },
    async ({ openApi, pages, log, random, meters, rules, tracing, settings }) => {
      const { httpService, metricsRoute, pagesRoutes, withMetricsOn } = await loadHttp()
      const { metricsPort, trustedProxies } = settings
      const ofPages =
        settings.pages === undefined
          ? []
          : pagesRoutes({
              useCases: pages,
              name: settings.pages.name,
              prefix: prefixOf(settings),
              policy: policyWith(settings, rules),
            })
      const serving = (routes: Routes): HttpService =>
        httpService({
          routes,
          log,
          makeId: () => random.uuid(),
          trustedProxies,
          observer: {
            ...meters.requests,
            within: tracing.within,
          },
        })
      const main = serving((isDraining) => [...openApi(isDraining).routes, ...ofPages])
      if (metricsPort === undefined) return main
      return withMetricsOn(
        metricsPort,
        serving(() => [metricsRoute(meters.exposition)]),
        main,
      )
    },
  ),
  provide(
    Dependency.service,
    {
      operations: Dependency.operations,
      api: Dependency.apiUseCases,
      oauth: Dependency.oauthUseCases,
      pages: Dependency.pagesUseCases,
      openApi: Dependency.openApi,
      http: Dependency.httpService,
      background: Dependency.background,
      log: Dependency.log,
      clock: Dependency.clock,
      random: Dependency.random,
      announcements: Dependency.announcements,
      housekeeping: Dependency.housekeeping,
      logIntegration: Dependency.logIntegration,
      logWaiters: Dependency.logWaiters,
    },
    ({ operations, api, oauth, pages, openApi, http, background, log, ...needs }) => {
      const { clock, random, announcements, housekeeping, logIntegration, logWaiters } = needs
      if (isCheaperThanRecommended(operations.settings.scrypt))
        log.warn('password hashes cost less than OWASP recommends: raise SCRYPT_LOG_N, SCRYPT_R or SCRYPT_P')
      let removeNote = async (): Promise<void> => {}
      return {
        ...operations,
        ...api,
        ...oauth,
        ...pages,
        ...http,
        listen: async (host, port) => {
          const bound = await http.listen(host, port)
          housekeeping.start()
          logIntegration.start()
          return bound
        },
        noteServer: async ({ name, settings }) => {
          const { serverNotes } = operations
          if (serverNotes === undefined) return
          const onFailure = (cause: string) =>
            log.warn(
              { cause },
              'the settings of this server are not noted in the store: doctor cannot compare them',
            )
          const process = { now: clock, every: everyMs, onFailure }
          removeNote = await noteServer(serverNotes, { id: random.uuid(), name, settings }, process)
        },
        openApi: () => openApi(() => false).document(),
        stop: async () => {
          logWaiters.stop() // so that waiting requests do not delay the stop
          await removeNote()
          await http.stop()
          await announcements.close()
          await background.close()
          await operations.close()
          await flushed(log)
        },
      }
    },
  ),
]
