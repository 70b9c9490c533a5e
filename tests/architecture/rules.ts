import { COMPUTED, type Import } from './imports.ts'

/** Which files may import which. */
export type Rule = Readonly<{
  name: string
  /** Selects the imports that the rule applies to. A rule that selects none is obsolete. */
  about: (found: Import) => boolean
  allows: (found: Import) => boolean
}>

const DOMAIN = /^domain\//
const APPLICATION = /^application\//
const ADAPTERS = /^adapters\//
const COMPOSITION = /^adapters\/composition\//

/** All adapters may import the rest of config/, which imports none of it. */
const CONFIG = /^adapters\/config\/(?!addresses\/|files\/)/
const CLI = /^adapters\/cli\//
const HTTP = /^adapters\/http\//
const CLIENT = /^adapters\/client\//
/** The entries of the package, and of the command with its modules. */
const ENTRIES = /^adapters\/(?:index|bundle\/program|bundle\/start-for-tests)\.ts$/
/** On which side of the hexagon the rooms of adapters/ are. docs/architecture.md says the same. */
export const SIDES: Readonly<Record<string, 'driving' | 'driven' | 'observing' | 'composing' | 'outside'>> = {
  http: 'driving',
  cli: 'driving',
  stores: 'driven',
  credentials: 'driven',
  mail: 'driven',
  texts: 'driven',
  node: 'driven',
  observing: 'observing',
  client: 'outside',
  bundle: 'composing',
  config: 'composing',
  composition: 'composing',
}
/** The rooms of application/, the lowest first. */
export const FLOORS: ReadonlyArray<string> = [
  ...[
    'ports',
    'recording',
    'throttling',
    'mail',
    'passwords',
    'keys',
    'factors',
    'sessions',
    'applications',
    'accounts',
    'pages',
    'openid',
  ],
  ...['log', 'copying', 'use-cases'],
]

const floorOf = (path: string): number => FLOORS.indexOf(/^application\/([^/]+)\//.exec(path)?.[1] ?? '')

const SHARED = ['credentials/hashing', 'stores/records', 'credentials/signing', 'texts']
/** Opens the store that a URL names. */
const STORES = 'adapters/stores/products.ts'
const INSTRUMENTATION = 'observing/instrumentation'

/** A package, and the only place that may import it. */
const CONFINED: ReadonlyArray<readonly [string, RegExp]> = [
  ['inversify', COMPOSITION],
  ['reflect-metadata', COMPOSITION],
  ['koa', HTTP],
  ['@koa/router', HTTP],
  ['raw-body', HTTP],
  ['light-my-request', HTTP],
  ['oidc-provider', /^adapters\/http\/openid\//],
  ['openid-client', /^adapters\/credentials\/openid\//],
  ['openapi-types', HTTP],
  ['d3-scale', /^adapters\/http\/console\//],
  ['ipaddr.js', /^adapters\/(?:http|cli)\//],
  ['better-sqlite3', /^adapters\/stores\/sqlite\//],
  ['pg', /^adapters\/stores\/postgres\//],
  ['sodium-native', /^adapters\/credentials\/signing\//],
  ['paseto', /^adapters\/credentials\/paseto\//],
  ['scrypt-kdf', /^adapters\/credentials\/scrypt\//],
  ['@node-rs/argon2', /^adapters\/credentials\/foreign-passwords\//],
  ['@node-rs/bcrypt', /^adapters\/credentials\/foreign-passwords\//],
  ['@zxcvbn-ts/core', /^adapters\/credentials\/zxcvbn\//],
  ['@zxcvbn-ts/language-common', /^adapters\/credentials\/zxcvbn\//],
  ['@zxcvbn-ts/language-en', /^adapters\/credentials\/zxcvbn\//],
  ['nodemailer', /^adapters\/mail\/smtp\//],
  ['prom-client', /^adapters\/observing\/prometheus\//],
  ['@opentelemetry/api', /^adapters\/observing\/opentelemetry\//],
  ['commander', CLI],
  ['cli-progress', CLI],
  ['io-ts', ADAPTERS],
]

/** Functions of node:fs that need no handle of a file. */
const OPENS_NO_FILE: ReadonlySet<string> = new Set([
  ...['accessSync', 'constants', 'existsSync', 'readdirSync', 'statSync', 'statfsSync'],
  ...['linkSync', 'renameSync', 'rmSync'],
])

export const RULES: ReadonlyArray<Rule> = [
  {
    name: 'the domain imports only the domain and fp-ts',
    about: ({ from }) => DOMAIN.test(from),
    allows: ({ to }) => DOMAIN.test(to) || to === 'fp-ts',
  },
  {
    name: 'the application imports only the application, the domain and fp-ts',
    about: ({ from }) => APPLICATION.test(from),
    allows: ({ to }) => APPLICATION.test(to) || DOMAIN.test(to) || to === 'fp-ts',
  },
  {
    name: 'a room of the application imports only rooms below it',
    about: ({ from, to }) => APPLICATION.test(from) && APPLICATION.test(to),
    allows: ({ from, to }) => floorOf(to) <= floorOf(from),
  },
  {
    name: 'an adapter imports no other adapter except hashing/, records/, signing/, texts/ and (in observing/) instrumentation/',
    about: ({ from, to }) => adapterOf(from) !== undefined && adapterOf(to) !== undefined,
    allows: ({ from, to }) =>
      adapterOf(from) === adapterOf(to) ||
      SHARED.includes(adapterOf(to) ?? '') ||
      (adapterOf(to) === INSTRUMENTATION && /^adapters\/observing\//.test(from)),
  },
  {
    name: 'a driven adapter imports only the ports of the application',
    about: ({ from, to }) => sideOf(from) === 'driven' && APPLICATION.test(to),
    allows: ({ to }) => /^application\/ports\//.test(to),
  },
  {
    name: 'only the composition, and of stores/ their list, import adapters from outside',
    about: ({ to }) => adapterOf(to) !== undefined,
    allows: ({ from }) =>
      adapterOf(from) !== undefined || from === STORES || COMPOSITION.test(from) || ENTRIES.test(from),
  },
  {
    name: 'the composition is imported only by the entries',
    about: ({ from, to }) => COMPOSITION.test(to) && !COMPOSITION.test(from),
    allows: ({ from }) => ENTRIES.test(from),
  },
  {
    name: 'config/, except addresses/ and files/, is imported only by cli/, the composition and the entries',
    about: ({ from, to }) => CONFIG.test(to) && !CONFIG.test(from),
    allows: ({ from }) => CLI.test(from) || COMPOSITION.test(from) || ENTRIES.test(from),
  },
  {
    name: 'each HTTP interface is imported only by itself and the composition, and oauth/ and pages/ also by openid/',
    about: ({ to }) => faceOf(to) !== undefined,
    allows: ({ from, to }) =>
      faceOf(from) === faceOf(to) ||
      COMPOSITION.test(from) ||
      (faceOf(from) === 'openid' && ['oauth', 'pages'].includes(faceOf(to) ?? '')),
  },
  {
    name: 'the client imports only itself, and no module of Node.js',
    about: ({ from }) => CLIENT.test(from),
    allows: ({ to }) => CLIENT.test(to),
  },
  {
    name: 'the client is imported only by itself',
    about: ({ to }) => CLIENT.test(to),
    allows: ({ from }) => CLIENT.test(from),
  },
  ...CONFINED.map(
    ([name, place]): Rule => ({
      name: `${name} is imported only where it belongs`,
      about: ({ to }) => to === name,
      allows: ({ from }) => place.test(from),
    }),
  ),
  {
    name: 'in stores/sqlite/, only database-file.ts opens files without SQLite: it says why',
    about: ({ from, to }) => /^adapters\/stores\/sqlite\//.test(from) && /^(?:node:)?fs(?:\/|$)/.test(to),
    allows: ({ from, to, names, isType }) =>
      isType ||
      from === 'adapters/stores/sqlite/database-file.ts' ||
      (to === 'node:fs' && names.length > 0 && names.every((name) => OPENS_NO_FILE.has(name))),
  },
  {
    name: 'pino is imported only by pino/, and its type Logger by http/ and the composition',
    about: ({ to }) => to === 'pino',
    allows: ({ from, isType, names }) =>
      /^adapters\/observing\/pino\//.test(from) ||
      (isType && names.join() === 'Logger' && (HTTP.test(from) || COMPOSITION.test(from))),
  },
  {
    name: 'node:http is imported for its types only: node-http.ts says why',
    about: ({ to }) => to === 'node:http',
    allows: ({ isType }) => isType,
  },
  {
    name: 'fp-ts is imported module by module, by the specifier that Node resolves',
    about: ({ to }) => to === 'fp-ts',
    allows: ({ specifier }) => /^fp-ts\/lib\/[A-Za-z]+\.js$/.test(specifier),
  },
  {
    name: 'imports by path lead only to domain/, application/ or adapters/',
    about: ({ isPath }) => isPath,
    allows: ({ to }) => [DOMAIN, APPLICATION, ADAPTERS].some((place) => place.test(to)),
  },
  {
    name: 'an import by path ends with .ts',
    about: ({ isPath }) => isPath,
    allows: ({ specifier }) => /^\.{1,2}\/.*\.ts$/.test(specifier),
  },
  {
    name: 'every import has a constant specifier, except the file of --with',
    about: () => true,
    allows: ({ specifier, from }) => specifier !== COMPUTED || from === 'adapters/cli/parts.ts',
  },
]

/** The violations of a rule, one line each. */
export const breaches = ({ about, allows }: Rule, imports: ReadonlyArray<Import>): ReadonlyArray<string> =>
  imports
    .filter((found) => about(found) && !allows(found))
    .map(({ from, specifier }) => `${from} imports ${specifier}`)

const sideOf = (path: string): string | undefined => SIDES[/^adapters\/([^/]+)\//.exec(path)?.[1] ?? '']

/** `credentials/jwt` for adapters/credentials/jwt/…, `cli` for adapters/cli/…, and undefined for files of no adapter. */
const adapterOf = (path: string): string | undefined =>
  /^adapters\/(http|cli|node|texts|(?:stores|credentials|mail|observing)\/[^/]+)\//.exec(path)?.[1]

/** `api` for adapters/http/api/…, and undefined for files that all HTTP interfaces share. */
const faceOf = (path: string): string | undefined =>
  /^adapters\/http\/(api|oauth|openid|openapi|docs|metrics|pages)\//.exec(path)?.[1]
