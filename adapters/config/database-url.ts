/** Where everything is kept. A URL of PostgreSQL may hold a password; `place` is what may be said of it. */
export type Database = Readonly<
  { kind: 'memory' } | { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string; place: string }
>

/** Where a DATABASE_URL leads, if it is one. */
export const parseDatabaseUrl = (text: string): Database | undefined => {
  if (text === 'memory:') return { kind: 'memory' }
  const url = parsePostgresUrl(text)
  if (url !== undefined) return { kind: 'postgres', url, place: placeOf(url) }
  const path = /^sqlite:([^:].*)$/.exec(text)?.[1] // SQLite has names of its own that begin with a colon
  return path === undefined || path !== path.trim() ? undefined : { kind: 'sqlite', path }
}

/** With a host and the name of a database; without, the driver would look for them in places nobody thinks of. */
export const parsePostgresUrl = (text: string): string | undefined =>
  isPostgresUrl(text) && isEncoded(text) && hasKnownParameters(text) ? text : undefined

const isPostgresUrl = (text: string): boolean =>
  /^postgres(ql)?:\/\/([^/?#\s]+@)?[^/?#@\s]+\/[^/?#\s]+(\?[^#\s]*)?$/.test(text) && URL.canParse(text)

/** Where it is not, the driver would guess what is meant, or fail over it. */
const isEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const hasKnownParameters = (url: string): boolean => {
  const all = [...new URL(url).searchParams]
  const isKnown = ([name, value]: readonly [string, string]) =>
    Object.entries(POSTGRES_PARAMETERS).some(([known, values]) => known === name && values.test(value))
  return all.every(isKnown) && new Set(all.map(([name]) => name)).size === all.length
}

/** What is said of a wrong URL: of one that is right but for a detail, the detail. */
export const ruleOfUrl =
  (rule: string) =>
  (text: string): string => {
    if (!isPostgresUrl(text)) return rule
    return isEncoded(text)
      ? `behind the ? of ${POSTGRES_RULE} stand, once each, only sslmode (verify-full, no-verify or disable; others mean different things to different programs), sslrootcert, sslcert, sslkey, options and, with the folder of a socket, host`
      : `in ${POSTGRES_RULE} a % and whatever else is special in a URL is written as %XX (a % as %25)`
  }

const placeOf = (url: string): string => {
  const { host, pathname, searchParams } = new URL(url)
  const folder = searchParams.get('host')
  return `postgres://${host}${pathname}${folder === null ? '' : ` in ${folder}`}`
}

/** What may stand behind the ? of a URL of PostgreSQL, and as which values. Whoever misspells `sslmode` shall not go without TLS. */
const POSTGRES_PARAMETERS: Readonly<Record<string, RegExp>> = {
  sslmode: /^(disable|verify-full|no-verify)$/,
  sslrootcert: /./,
  sslcert: /./,
  sslkey: /./,
  host: /^\//,
  options: /./,
}

/** What is said of a URL that is none. */
export const POSTGRES_RULE = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'
export const DATABASE_RULE = `sqlite:PATH, ${POSTGRES_RULE} or memory:`
