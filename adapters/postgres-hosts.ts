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

const TARGET = /([?&])target_session_attrs=[^&]*(&?)/g
