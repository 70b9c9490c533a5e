import { type Either, isLeft, left, map, right } from 'fp-ts/lib/Either.js'
import { map as mapOption } from 'fp-ts/lib/Option.js'
import { verifyExport } from '../../application/log/verify-export.ts'
import type { MailDesk } from '../../application/mail/mail-parts.ts'
import type { StoreOpening } from '../../application/ports/storage.ts'
import { PLACE_OF_WITH } from '../cli/closed-store.ts'
import type { Composition, Operations } from '../cli/composition.ts'
import { readModelPath } from '../config/read-model-path.ts'
import { quoted } from '../config/setting.ts'
import { databaseText, type Settings } from '../config/settings.ts'
import { listProblem } from '../credentials/leaked-list/list.ts'
import { ed25519Notes } from '../credentials/signing/notes.ts'
import { BASE_STYLE } from '../http/operation/base-style.ts'
import { nodeDigests, nodeTreeDigests, systemClock, systemRandom } from '../node/environment.ts'
import { jsonLog } from '../observing/pino/log.ts'
import { logFolder } from '../stores/exported-log/folder.ts'
import { logAtUrl } from '../stores/exported-log/url.ts'
import { backUpStore, hasStore, inspectStore } from '../stores/products.ts'
import { contrastProblems } from '../texts/contrast.ts'
import { missingTexts, wishedFolder } from '../texts/folder-problems.ts'
import { accountPages } from './account-pages.ts'
import { Dependency, type Identifier, type Service } from './dependencies.ts'
import { environment, openStore } from './environment.ts'
import { identityProviders } from './identity-providers.ts'
import { log } from './log.ts'
import { mail, printedMail } from './mail.ts'
import { type Module, make } from './provide.ts'
import { security } from './security.ts'
import { observed, service } from './service.ts'
import { useCases } from './use-cases.ts'

export type { Operations }

/**
 * Composes the service. It does not listen yet.
 *
 * @param modules replace dependencies, for example `provide(Dependency.storage, () => ({ store: myStore() }))`
 * @throws Error with one sentence for operators if a dependency cannot be made
 */
export const compose = async (settings: Settings, ...modules: ReadonlyArray<Module>): Promise<Service> => {
  const name = modules.some(({ what }) => what === Dependency.storage)
    ? PLACE_OF_WITH
    : databaseText(settings)
  const all = [...environment(settings), openStore(name), ...INSIDE, ...service, ...replacing(modules)]
  return make(Dependency.service, all, { first: FIRST, wrappings: observed })
}

/** Composes the service for commands: it creates no signing keys and loads no HTTP. */
export const composeOperations = (settings: Settings, ...modules: ReadonlyArray<Module>) =>
  operationsOf(settings, modules)

const operationsOf = async (
  settings: Settings,
  modules: ReadonlyArray<Module>,
  opening: StoreOpening = 'migrate',
): Promise<Operations> => {
  const outside = environment(settings, { opening, countsOpen: 'when needed' })
  return make(Dependency.operations, [...outside, ...INSIDE, ...replacing(modules)], { first: FIRST })
}

/** It refuses wrong rules and lists, and an open connection to a store would keep the process alive. */
const FIRST = Dependency.passwordPolicy

const INSIDE = [...security, ...log, ...mail, identityProviders, accountPages, ...useCases]

const replacing = (modules: ReadonlyArray<Module>): ReadonlyArray<Module> => {
  if (!modules.every(isModule)) throw new TypeError('A module must be a call of provide(…).')
  if (modules.some(({ what }) => what === Dependency.store))
    throw new Error(
      'Provide Dependency.storage instead of Dependency.store: it also names the failure counts.',
    )
  return modules
}

const compositionWith = (file?: string, modules: ReadonlyArray<Module> = []): Composition => {
  const have = (part: Identifier<unknown>) => modules.some(({ what }) => what === part)
  const haveStorage = have(Dependency.storage)
  const havePasswordHasher = have(Dependency.passwordHasher)
  return {
    get standard() {
      return composition
    },
    compose: (settings, print) =>
      compose(settings, ...(settings.mail?.relay === 'terminal' ? [printedMail(print)] : []), ...modules),
    composeOperations: (settings, opening) => operationsOf(settings, modules, opening),
    hasStore: async (settings) => haveStorage || hasStore(settings),
    inspectStore: async (settings) => (haveStorage ? [] : inspectStore(settings)),
    backUpStore,
    openReadModel: async (settings, given, onRebuild) => {
      const path = readModelPath(settings, given, haveStorage)
      return (await import('../stores/sqlite/sqlite.ts')).sqliteReadModel(path, () => onRebuild(path))
    },
    openConsole: async ({ operations, isWritable, ...options }) =>
      (await import('./service-modules.ts')).newConsole({
        ...options,
        store: operations.store,
        passwordHasher: operations.passwordHasher,
        mails: operations.mails && {
          counts: operations.mails.counts,
          areSent: operations.settings.mail !== undefined,
        },
        changes: isWritable ? operations : undefined,
        clock: systemClock,
        random: systemRandom,
        digests: nodeDigests,
        logger: jsonLog('warn'), // only failures: the terminal is that of the operator
      }),
    verifyExport: (log, given) =>
      verifyExport({ notes: ed25519Notes([]), treeDigests: nodeTreeDigests })(
        'url' in log ? logAtUrl(log.url, log.token) : logFolder(log.folder),
        given,
      ),
    openMail: async (settings) => {
      const parts = [...environment(settings), ...mail, ...modules]
      const opened = await make(Dependency.mail, parts, { first: Dependency.settings })
      return mapOption((desk: MailDesk) => ({ ...desk, now: systemClock, newId: () => systemRandom.uuid() }))(
        opened,
      )
    },
    openIdentityProviders: (settings) =>
      make(Dependency.identityProviders, [...environment(settings), identityProviders, ...modules], {
        first: Dependency.settings,
      }),
    leakedListProblem: listProblem,
    contrastProblems: (settings) => {
      const folder = wishedFolder(settings, quoted)
      return isLeft(folder) || folder.right.branding.style === ''
        ? []
        : contrastProblems(BASE_STYLE + folder.right.branding.style).map(
            (problem) => `style.css of PAGES_FOLDER: ${problem}`,
          )
    },
    checkTexts: (settings) => map(missingTexts)(wishedFolder(settings, quoted)),
    parts: file === undefined ? undefined : { file, haveStorage, havePasswordHasher },
    withParts: (path, exported) =>
      map((parts: ReadonlyArray<Module>) => compositionWith(path, parts))(modulesIn(exported)),
  }
}

/** The part of the composition that the command line uses. */
export const composition: Composition = compositionWith()

/** The modules that a file exports, or the end of a sentence that says what is wrong with them. */
function modulesIn(exported: unknown): Either<string, ReadonlyArray<Module>> {
  const all: ReadonlyArray<unknown> = Array.isArray(exported) ? exported : [exported]
  if (all.length === 0 || !all.every(isModule))
    return left('its default export must be a call of provide(…), or an array of such calls.')
  if (all.some(isOfAnotherCopy))
    return left(
      'it imports another copy of portcullis than this command. Run the command of the copy that it imports, or see docs/deploy-parts.md, Where the file lies.',
    )
  return right(all)
}

const isModule = (part: unknown): part is Module =>
  typeof (part as Module | null)?.what === 'function' && typeof (part as Module).binding === 'object'

/** Each copy of the package has its own identifiers, so the modules of another copy would replace nothing. */
const isOfAnotherCopy = ({ what }: Module): boolean =>
  Object.entries(Dependency).some(([name, own]) => name === what.name && own !== what)
