import { COMPUTED, type Import } from './imports.ts'

/** Who may import whom. */
export type Rule = Readonly<{
  name: string
  /** The imports it is about; a rule that finds none has been left behind by the project. */
  about: (found: Import) => boolean
  allows: (found: Import) => boolean
}>

const DOMAIN = /^domain\//
const APPLICATION = /^application\//
const ADAPTERS = /^adapters\//
const COMPOSITION = /^adapters\/composition\.ts$/
const CONFIG = /^adapters\/config\.ts$/
const CLI = /^adapters\/cli\//
const HTTP = /^adapters\/http\//

/** A package, and where it may be imported from. */
const CONFINED: ReadonlyArray<readonly [string, RegExp]> = [
  ['inversify', COMPOSITION],
  ['reflect-metadata', COMPOSITION],
  ['koa', HTTP],
  ['@koa/router', HTTP],
  ['raw-body', HTTP],
  ['ipaddr.js', /^adapters\/(?:http|cli)\//],
  ['better-sqlite3', /^adapters\/sqlite\//],
  ['pg', /^adapters\/postgres\//],
  ['jose', /^adapters\/jwt\//],
  ['paseto', /^adapters\/paseto\//],
  ['scrypt-kdf', /^adapters\/scrypt\//],
  ['@zxcvbn-ts/core', /^adapters\/zxcvbn\//],
  ['@zxcvbn-ts/language-common', /^adapters\/zxcvbn\//],
  ['@zxcvbn-ts/language-en', /^adapters\/zxcvbn\//],
  ['prom-client', /^adapters\/prometheus\//],
  ['@opentelemetry/api', /^adapters\/opentelemetry\//],
  ['commander', CLI],
  ['io-ts', ADAPTERS],
]

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
    name: 'an adapter imports no other adapter, but for codec/',
    about: ({ from, to }) => folderOf(from) !== undefined && folderOf(to) !== undefined,
    allows: ({ from, to }) => folderOf(from) === folderOf(to) || folderOf(to) === 'codec',
  },
  {
    name: 'of the files that stand above the adapters only composition.ts imports any',
    about: ({ to }) => folderOf(to) !== undefined,
    allows: ({ from }) => folderOf(from) !== undefined || COMPOSITION.test(from),
  },
  {
    name: 'composition.ts is imported only by cli/',
    about: ({ to }) => COMPOSITION.test(to),
    allows: ({ from }) => CLI.test(from),
  },
  {
    name: 'config.ts is imported only by cli/ and composition.ts',
    about: ({ to }) => CONFIG.test(to),
    allows: ({ from }) => CLI.test(from) || COMPOSITION.test(from),
  },
  {
    name: 'a face of HTTP is imported only by itself and composition.ts',
    about: ({ to }) => faceOf(to) !== undefined,
    allows: ({ from, to }) => faceOf(from) === faceOf(to) || COMPOSITION.test(from),
  },
  ...CONFINED.map(
    ([name, place]): Rule => ({
      name: `${name} is imported only where it belongs`,
      about: ({ to }) => to === name,
      allows: ({ from }) => place.test(from),
    }),
  ),
  {
    name: 'pino is imported only by pino/, and its type Logger by http/ and composition.ts',
    about: ({ to }) => to === 'pino',
    allows: ({ from, isType, names }) =>
      /^adapters\/pino\//.test(from) ||
      (isType && names.join() === 'Logger' && (HTTP.test(from) || COMPOSITION.test(from))),
  },
  {
    name: 'fp-ts is imported module by module, under the name that Node finds too',
    about: ({ to }) => to === 'fp-ts',
    allows: ({ specifier }) => /^fp-ts\/lib\/[A-Za-z]+\.js$/.test(specifier),
  },
  {
    name: 'what is imported by path stands in domain/, application/ or adapters/',
    about: ({ isPath }) => isPath,
    allows: ({ to }) => [DOMAIN, APPLICATION, ADAPTERS].some((place) => place.test(to)),
  },
  {
    name: 'a path names the file as it is, with .ts',
    about: ({ isPath }) => isPath,
    allows: ({ specifier }) => /^\.{1,2}\/.*\.ts$/.test(specifier),
  },
  {
    name: 'every import says what it imports',
    about: () => true,
    allows: ({ specifier }) => specifier !== COMPUTED,
  },
]

/** What breaks a rule, one line each. */
export const breaches = ({ about, allows }: Rule, imports: ReadonlyArray<Import>): ReadonlyArray<string> =>
  imports
    .filter((found) => about(found) && !allows(found))
    .map(({ from, specifier }) => `${from} imports ${specifier}`)

/** `jwt` for adapters/jwt/…, and nothing for what stands in adapters/ itself. */
const folderOf = (path: string): string | undefined => /^adapters\/([^/]+)\//.exec(path)?.[1]

/** `api` for adapters/http/api/…, and nothing for what all faces share. */
const faceOf = (path: string): string | undefined => /^adapters\/http\/([^/]+)\//.exec(path)?.[1]
