import { map, of, type ReadonlyNonEmptyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import { split } from 'fp-ts/lib/string.js'

/**
 * The URL of each host that a PostgreSQL URL names, in its order. libpq defines such a list, "Specifying Multiple Hosts":
 * `postgres://user:secret@one:5432,two:5432/db`. The driver supports one host only.
 *
 * The result has no `target_session_attrs`, because the service uses only a primary anyway. Nothing is checked here.
 *
 * @param url contains a secret, and so does the result
 */
export const hostsOf = (url: string): ReadonlyNonEmptyArray<string> => {
  const found = AROUND_HOSTS.exec(url)
  if (found === null) return of(url)
  const [, before = '', hosts = '', after = ''] = found
  const end = after.replace(TARGET, (_, mark, more) => (more === '' ? '' : mark))
  return map((host) => `${before}${host}${end}`)(split(',')(hosts))
}

/** A user and a password may contain commas too. */
const AROUND_HOSTS = /^([^:/]*:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s

/** The same URLs for the driver. It does not decode reserved characters in the name of the database. */
export const driverUrlsOf = (url: string): ReadonlyNonEmptyArray<string> =>
  map((each: string) => each.replace(NAME, (name) => name.replace(RESERVED, decodeURIComponent)))(
    hostsOf(url),
  )

/** Behind the host, before the parameters. */
const NAME = /(?<=^[^:/]*:\/\/[^/]*)\/[^?]*/

/** Those of RFC 3986, §2.2, that may stand in a path. */
const RESERVED = /%(40|3a|2f|26|3d|2b|24|2c|3b)/gi

const TARGET = /([?&])target_session_attrs=[^&]*(&?)/g
