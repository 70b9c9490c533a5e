import * as E from 'fp-ts/lib/Either.js'
import { hostsOf } from './addresses/postgres-hosts.ts'
import { mustBe, type Setting, setting } from './setting.ts'

/**
 * Where the store is. A PostgreSQL URL may name several hosts and contain a password; `place` is the part that messages
 * may show.
 */
export type Database = Readonly<
  { kind: 'memory' } | { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string; place: string }
>

/** DATABASE_URL. */
export const databaseUrl = (fallback: Database): Setting<Database> =>
  withDriverVariables(
    setting(fallback, parseDatabaseUrl, (text) =>
      text.startsWith('sqlite:')
        ? SQLITE_COMPLAINT
        : complaint(`memory:, sqlite:PATH or ${POSTGRES_FORM}`)(text),
    ),
  )

/** The URL of a PostgreSQL database. Unset, it is undefined. */
export const postgresUrl = (): Setting<string | undefined> =>
  withDriverVariables(
    setting<string | undefined>(undefined, parsePostgresUrl, (text) => complaint(POSTGRES_FORM)(text)),
  )

/**
 * Adds `sslmode` from PGSSLMODE, as libpq does, but only to a URL that says nothing on TLS. The driver would take a misspelt value as
 * no TLS. Variables are refused that libpq obeys and the driver ignores, if a connection could be less safe than they say.
 */
const withDriverVariables =
  <A>(inner: Setting<A>): Setting<A> =>
  (name, environment) => {
    const { [name]: text = '', PGSSLMODE: mode = '' } = environment
    if (!/^postgres(ql)?:/.test(text)) return inner(name, environment)
    const given = parametersOf(text)
    for (const [variable, harmless] of Object.entries(IGNORED_VARIABLES)) {
      const { [variable]: value = '' } = environment
      const parameter = variable.slice(2).toLowerCase()
      if (value === '' || harmless.test(value) || given.has(parameter)) continue
      const instead = parameter in POSTGRES_PARAMETERS ? `. Write ${parameter} into ${name} instead` : ''
      return E.left(`${variable} has no effect here${instead}. Unset it`)
    }
    if (mode === '' || [...given.keys()].some((parameter) => parameter.startsWith('ssl')))
      return inner(name, environment)
    if (!POSTGRES_PARAMETERS.sslmode.test(mode))
      return E.left(`PGSSLMODE ${mustBe('verify-full, no-verify or disable')(mode)}`)
    const joined = `${text}${text.includes('?') ? '&' : '?'}sslmode=${mode}`
    return inner(name, { ...environment, [name]: joined })
  }

/** With the values that ask for nothing. */
const IGNORED_VARIABLES: Readonly<Record<string, RegExp>> = {
  PGSSLROOTCERT: /^$/,
  PGSSLCERT: /^$/,
  PGSSLKEY: /^$/,
  PGSSLCRL: /^$/,
  PGSSLCRLDIR: /^$/,
  PGSSLMINPROTOCOLVERSION: /^TLSv1(\.[12])?$/, // Node.js accepts nothing older than 1.2
  PGSSLNEGOTIATION: /^postgres$/,
  PGREQUIRESSL: /^0$/,
  PGREQUIREAUTH: /^$/,
  PGREQUIREPEER: /^$/,
  PGCHANNELBINDING: /^(disable|prefer)$/,
  PGGSSENCMODE: /^(disable|prefer)$/,
  PGREPLICATION: /^$/, // the driver obeys it, and then cannot run a query
}

const parseDatabaseUrl = (text: string): Database | undefined => {
  if (text === 'memory:') return { kind: 'memory' }
  const url = parsePostgresUrl(text)
  if (url !== undefined) return { kind: 'postgres', url, place: placeOf(url) }
  const path = /^sqlite:([^:].*)$/.exec(text)?.[1] // names with a colon at the beginning are special in SQLite
  return path === undefined || path !== path.trim() ? undefined : { kind: 'sqlite', path }
}

/** The URL must name a host and a database: without them, the driver takes them from elsewhere. */
const parsePostgresUrl = (text: string): string | undefined =>
  isPostgresUrl(text) &&
  isEncoded(text) &&
  !hasUnusableName(text) &&
  hasKnownParameters(text) &&
  !hasSocketBesideHosts(text)
    ? text
    : undefined

const isPostgresUrl = (text: string): boolean => {
  const urls = hostsOf(text)
  return urls.length <= MAX_HOSTS && urls.every(isUrlOfOneHost)
}

/** While all hosts are away, each attempt takes seconds. */
const MAX_HOSTS = 8

/** An @ behind the host may follow a password whose slash is not escaped, and messages show that part. */
const isUrlOfOneHost = (url: string): boolean =>
  /^postgres(ql)?:\/\/([^/?#\s]+@)?[^/?#@\s]+\/[^/?#@\s]+(\?[^#\s]*)?$/.test(url) && URL.canParse(url)

/** With a wrong escape, the driver would guess the meaning or fail. */
const isEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The driver cannot be given these names. */
const hasUnusableName = (url: string): boolean => /%(3f|23)/i.test(new URL(hostsOf(url)[0]).pathname)

const hasKnownParameters = (url: string): boolean => {
  const all = [...parametersOf(url)]
  const isKnown = ([name, value]: readonly [string, string]) =>
    Object.entries(POSTGRES_PARAMETERS).some(([known, values]) => known === name && values.test(value))
  return all.every(isKnown) && new Set(all.map(([name]) => name)).size === all.length
}

const hasSocketBesideHosts = (url: string): boolean =>
  hostsOf(url).length > 1 && parametersOf(url).has('host')

const parametersOf = (url: string): URLSearchParams => new URLSearchParams(/\?.*$/s.exec(url)?.[0])

const placeOf = (url: string): string => {
  const urls = hostsOf(url).map((each) => new URL(each))
  const folder = parametersOf(url).get('host')
  const hosts = urls.map(({ host }) => host).join(',')
  return `postgres://${hosts}${urls[0]?.pathname}${folder === null ? '' : ` in ${folder}`}`
}

/** Both lead to the primary, which is the only server that the service uses. */
const TARGETS = /^(read-write|primary)$/

/** The allowed parameters with their values. A misspelt `sslmode` must not disable TLS. */
const POSTGRES_PARAMETERS = {
  sslmode: /^(disable|verify-full|no-verify)$/,
  sslrootcert: /./,
  sslcert: /./,
  sslkey: /./,
  host: /^\//,
  options: /./,
  target_session_attrs: TARGETS,
}

const PARAMETERS =
  'sslmode (verify-full, no-verify or disable), sslrootcert, sslcert, sslkey, options, target_session_attrs (read-write or primary), and host with the folder of a socket'

const POSTGRES_FORM = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'
const SEVERAL_HOSTS_FORM = `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE with at most ${MAX_HOSTS} hosts`

const SQLITE_COMPLAINT =
  'must be sqlite:PATH, where PATH is not empty, has no space at its ends and does not begin with a colon'

/** What is wrong with a URL. Of the URL itself it shows only the scheme, because the rest may contain a password. */
const complaint =
  (form: string) =>
  (text: string): string => {
    if (!isPostgresUrl(text)) {
      const scheme = /^[a-z][a-z0-9+]{0,19}:\/\//i.exec(text)?.[0]
      const got = scheme === undefined ? 'something else' : `"${scheme}..."`
      const rule = hostsOf(text).length > 1 ? SEVERAL_HOSTS_FORM : form
      return `must be ${rule}, got ${got} (not shown in full, because it may contain a password)`
    }
    if (!isEncoded(text))
      return `has a wrong escape. In ${POSTGRES_FORM}, write special characters as %XX (% as %25)`
    if (hasUnusableName(text)) return 'has a database name with ? or #. Rename the database'
    if (hasSocketBesideHosts(text))
      return 'has several hosts and the parameter host. Remove that parameter, or name one host'
    return TARGETS.test(parametersOf(text).get('target_session_attrs') ?? 'primary')
      ? `has a wrong parameter. After the ?, ${POSTGRES_FORM} may have each of these once: ${PARAMETERS}`
      : 'has a wrong target_session_attrs. Write target_session_attrs=read-write or remove it: the service needs the primary'
  }
