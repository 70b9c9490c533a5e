import { once } from '../../adapters/http/pages/once.ts'
import { pagesRoutes } from '../../adapters/http/pages/routes.ts'
import type { StartTimer } from '../../adapters/http/request/deadline.ts'
import { httpService } from '../../adapters/http/service.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'

/** The routes and pages of a service, with another timer of deadlines. */
export const withDeadlines = (startTimer: StartTimer): Module =>
  provide(
    Dependency.httpService,
    {
      openApi: Dependency.openApi,
      useCases: Dependency.useCases,
      log: Dependency.log,
      random: Dependency.random,
      settings: Dependency.settings,
      languages: Dependency.languages,
    },
    ({ openApi, useCases, log, random, languages, settings: { passwordPolicy: policy } }) =>
      httpService({
        routes: (isDraining) => [
          ...openApi(isDraining).routes,
          ...pagesRoutes({
            useCases,
            name: 'Example',
            prefix: '',
            origin: 'https://service.test',
            policy,
            languages,
            openIdProvider: undefined,
            once: once({ now: () => 0, digest: (text) => text }),
          }),
        ],
        log,
        makeId: () => random.uuid(),
        trustedProxies: 0,
        startTimer,
      }),
  )
