import { Container } from 'inversify'
import type { Composition, Operations, Servable } from '../cli/composition.ts'
import type { Settings } from '../config/settings.ts'
import type { ApiUseCases } from '../http/api/routes.ts'
import type { OauthUseCases } from '../http/oauth/routes.ts'
import type { PagesUseCases } from '../http/pages/routes.ts'
import type { HttpService } from '../http/service.ts'
import { refuseCycles } from './cycles.ts'
import { Dependency, type Identifier } from './dependencies.ts'
import { environment } from './environment.ts'
import { verifyExportAt } from './history.ts'
import { http } from './http.ts'
import { instrumented, observing } from './observing.ts'
import { operations } from './operations.ts'
import { partsOf } from './parts.ts'
import { type Module, provide } from './provide.ts'
import { security, wrongFiles } from './security.ts'
import { backUpStore, inspectStore, storage, storageOpened } from './storage.ts'
import { useCases } from './use-cases.ts'

/** The whole service. `stop` answers the open requests and then closes the store. */
export type Service = Operations &
  ApiUseCases &
  OauthUseCases &
  PagesUseCases &
  HttpService &
  Pick<Servable, 'noteServer'> &
  Readonly<{
    /** The OpenAPI document of the service, as JSON. */
    openApi: () => string
  }>

/**
 * Composes the service. It does not listen yet.
 *
 * @param modules replace dependencies, for example `provide(Dependency.storage, () => ({ store: myStore() }))`
 * @throws Error with one sentence for operators if a dependency cannot be made
 */
export const compose = async (settings: Settings, ...modules: ReadonlyArray<Module>): Promise<Service> => {
  const container = containerOf(settings, [...observing, ...http, ...modules])
  return instrumented(container).getAsync(Dependency.service)
}

/** Composes the service for commands: it creates no signing keys and loads no HTTP. */
export const composeOperations = async (
  settings: Settings,
  ...modules: ReadonlyArray<Module>
): Promise<Operations> => {
  const opened = storageOpened({ countsOpen: 'when needed' })
  return containerOf(settings, [opened, ...modules]).getAsync(Dependency.operations)
}

/** The part of the composition that the command line uses. */
export const composition: Composition = compositionWith()

function compositionWith(file?: string, modules: ReadonlyArray<Module> = []): Composition {
  const have = (part: Identifier<unknown>) => modules.some(({ what }) => what === part)
  const haveStorage = have(Dependency.storage)
  const havePasswordHasher = have(Dependency.passwordHasher)
  return {
    compose: (settings) => compose(settings, ...modules),
    composeOperations: (settings, opening) => {
      const opened = storageOpened({ opening, countsOpen: 'when needed' })
      return composeOperations(settings, opened, ...modules)
    },
    inspectStore: async (settings) => (haveStorage ? [] : inspectStore(settings)),
    backUpStore,
    verifyExport: verifyExportAt,
    wrongFiles,
    parts: file === undefined ? undefined : { file, haveStorage, havePasswordHasher },
    withParts: async (path) => compositionWith(path, await partsOf(path)),
  }
}

const containerOf = (settings: Settings, modules: ReadonlyArray<Module>): Container => {
  if (modules.some(({ what }) => what === Dependency.store))
    throw new Error(
      'Provide Dependency.storage instead of Dependency.store: it also names the failure counts.',
    )
  const all = [
    provide(Dependency.settings, () => settings),
    ...environment,
    ...storage,
    ...security,
    ...useCases,
    operations,
    ...modules,
  ]
  refuseCycles(all)
  const container = new Container()
  container.load(...all.map(({ binding }) => binding))
  return container
}
