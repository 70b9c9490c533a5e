import { isSome } from 'fp-ts/lib/Option.js'
import { type CopyStateWatch, watchCopyState } from '../../application/copying/watch-copy-state.ts'
import { reencryptFactors } from '../../application/factors/reencrypt-factors.ts'
import { serverNoting } from '../../application/log/note-server.ts'
import { isCheaperThanRecommended, pagesOriginOf, prefixOf } from '../config/settings.ts'
import { VERSION } from '../config/version.ts'
import { everyMs } from '../node/environment.ts'
import { observedHasher } from '../observing/instrumentation/password-hasher.ts'
import { observedStore } from '../observing/instrumentation/store.ts'
import { flushed } from '../observing/pino/log.ts'
import { type Dependencies, Dependency, needs } from './dependencies.ts'
import { mailSending } from './mail.ts'
import { type Module, provide, wrap } from './provide.ts'

/** Loads Koa, the routes, metrics and traces when a service is composed: commands and `memoryStore` do without them. */
const loadModules = () => import('./service-modules.ts')

/** What a service has besides the use cases: metrics, traces, routes, the server, and what sends mails. */
export const service: ReadonlyArray<Module> = [
  mailSending,
  provide(Dependency.meters, async () => (await loadModules()).prometheusMeters(VERSION)),
  provide(Dependency.tracing, needs('settings'), async ({ settings: { publicUrl } }) =>
    (await loadModules()).openTelemetry(VERSION, publicUrl),
  ),
  provide(Dependency.copyStateWatch, needs('storage'), ({ storage: { storeCopy } }) =>
    storeCopy === undefined ? NOT_WATCHED : watchCopyState(storeCopy, everyMs),
  ),
  provide(
    Dependency.openIdProvider,
    needs('settings', 'useCases', 'meters'),
    async ({ settings, useCases, meters }) => {
      const { openIdProvider: provider, browsers, mailLinks, registration } = useCases
      if (provider === undefined || browsers === undefined) return undefined
      return (await loadModules()).openIdProvider({
        ...useCases,
        useCases: provider,
        endBrowser: browsers.end,
        issuer: settings.publicUrl,
        prefix: prefixOf(settings),
        has: { registration: registration !== undefined, changeEmail: mailLinks !== undefined },
        meter: meters.openId(),
      })
    },
  ),
  provide(
    Dependency.openApi,
    needs('useCases', 'openIdProvider', 'passwordPolicy', 'meters', 'settings', 'store'),
    async ({ useCases, openIdProvider, passwordPolicy: policy, meters, settings, store }) => {
      const { apiRoutes, docsRoutes, metricsRoute, oauthRoutes, withOpenApi } = await loadModules()
      const { publicUrl, metricsPort, eventLogKeys } = settings
      const prefix = prefixOf(settings)
      const hasLogKey = eventLogKeys.length > 0
      return (isDraining) => {
        const routes = [
          ...apiRoutes({ useCases, store, publicUrl, prefix, hasLogKey, policy })(isDraining),
          ...oauthRoutes(useCases, publicUrl, prefix, openIdProvider),
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
      ...needs('openApi', 'useCases', 'passwordPolicy', 'log', 'random', 'meters', 'tracing', 'settings'),
      ...needs('languages', 'openIdProvider', 'pagesFolder', 'timer', 'digests'),
    },
    async ({
      openApi,
      useCases,
      passwordPolicy: policy,
      log,
      random,
      meters,
      tracing,
      settings,
      ...needed
    }) => {
      const { httpService, metricsRoute, neededSettings, once, pagesRoutes, rootRoutes, withMetricsOn } =
        await loadModules()
      const { metricsPort, trustedProxies, pages } = settings
      const timeouts = { keepAliveTimeout: settings.httpIdleTimeoutMs }
      const prefix = prefixOf(settings)
      const ofPages =
        pages &&
        pagesRoutes({
          useCases,
          name: pages.name,
          branding: needed.pagesFolder.branding,
          prefix,
          origin: pagesOriginOf(settings),
          policy,
          languages: needed.languages,
          openIdProvider: needed.openIdProvider,
          once: once({ now: () => needed.timer.now(), digest: (text) => needed.digests.sha256(text) }),
        })
      const observer = { ...meters.requests, within: tracing.within }
      const common = { log, makeId: () => random.uuid(), trustedProxies, timeouts, observer }
      const forBrowsers = [...rootRoutes(prefix), ...(ofPages ?? [])]
      const main = httpService({
        ...common,
        routes: (isDraining) => [...openApi(isDraining).routes, ...forBrowsers],
        settingsFor: neededSettings(prefix),
      })
      if (metricsPort === undefined) return main
      const ofMetrics = httpService({ ...common, routes: () => [metricsRoute(meters.exposition)] })
      return withMetricsOn(metricsPort, ofMetrics, main)
    },
  ),
  provide(
    Dependency.service,
    {
      ...needs('operations', 'useCases', 'openApi', 'httpService'),
      ...needs('announcements', 'background', 'clock', 'housekeeping', 'log', 'logIntegration'),
      ...needs('logWaiters', 'copyStateWatch', 'random', 'store', 'mail', 'mailSender'),
      record: Dependency.recorder,
      wrapping: Dependency.keyWrapping,
    },
    ({ operations, useCases, openApi, httpService, log, copyStateWatch, ...needed }) => {
      if (isCheaperThanRecommended(operations.settings.scrypt))
        log.warn('password hashes cost less than OWASP recommends: raise SCRYPT_LOG_N, SCRYPT_R or SCRYPT_P')
      const noting = serverNoting(operations.serverNotes, {
        now: needed.clock,
        every: everyMs,
        newId: () => needed.random.uuid(),
        onFailure: (cause) => log.warn({ cause }, NOT_NOTED),
      })
      copyStateWatch.start()
      void copyStateWatch.closed.then(({ state, place }) => log.error({ place }, CLOSED[state]))
      return {
        ...operations,
        ...useCases,
        ...httpService,
        listen: async (host, port) => {
          const bound = await httpService.listen(host, port)
          needed.housekeeping.start()
          reencryptFactors(needed).start()
          needed.logIntegration.start()
          if (isSome(needed.mailSender)) needed.mailSender.value.start()
          return bound
        },
        noteServer: noting.note,
        storeClosed: copyStateWatch.closed,
        openApi: () => openApi(() => false).document(),
        stop: async () => {
          needed.logWaiters.stop() // so that waiting requests do not delay the stop
          await noting.remove()
          await copyStateWatch.stop()
          await Promise.all([httpService.stop(), stopMails(needed)])
          await needed.announcements.close()
          await needed.background.close()
          await operations.close()
          await flushed(log)
        },
      }
    },
  ),
]

/** Both wait ten seconds at most for mails in flight, together. */
const stopMails = async ({ mailSender, mail }: Pick<Dependencies, 'mailSender' | 'mail'>): Promise<void> => {
  await Promise.all([
    isSome(mailSender) ? mailSender.value.stop() : undefined,
    isSome(mail) ? mail.value.mailer.close() : undefined,
  ])
}

/** A storage without `StoreCopy` is never closed by a copy. */
const NOT_WATCHED: CopyStateWatch = { closed: new Promise(() => {}), start: () => {}, stop: async () => {} }

const CLOSED = {
  moved: 'the store has moved, so this service answers 503: set DATABASE_URL to the other one and restart',
  incomplete: 'the store is an incomplete copy, so this service answers 503: repeat store copy',
}

const NOT_NOTED = 'the settings of this server are not noted in the store: doctor cannot compare them'

/** What a service measures and traces. */
export const observed = [
  wrap(Dependency.store, needs('meters', 'tracing'), (store, { meters, tracing }) =>
    observedStore(store, [...meters.store(store), ...tracing.store]),
  ),
  wrap(Dependency.passwordHasher, needs('meters', 'tracing'), (hasher, { meters, tracing }) =>
    observedHasher(hasher, [...meters.passwordHasher, ...tracing.passwordHasher]),
  ),
  wrap(Dependency.refusals, needs('meters'), (refusals, { meters }) => meters.refusals(refusals)),
  wrap(Dependency.throttle, needs('meters'), (throttle, { meters }) => meters.throttle(throttle)),
]
