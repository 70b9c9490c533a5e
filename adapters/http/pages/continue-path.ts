import type { Field } from '../../../domain/field.ts'

/** The path of the authorization of OpenID Connect. */
export const AUTHORIZE = '/oauth2/authorize'

/** A cookie must hold it, too. */
export const MOST_CHARACTERS = 2_000

/** Printable ASCII without space, quotation marks, backslash and angle brackets. */
const PLAIN = /^[!#-;=?-[\]-~]+$/

/**
 * Returns where a person goes on after a page: a path of this service that the pages or the authorization of OpenID Connect have. Everything
 * else counts as the account.
 *
 * @param prefix the path part of the public URL
 */
export const continuePath = (sent: Field, prefix: string): string => {
  const home = `${prefix}/account`
  if (sent === undefined || sent.length > MOST_CHARACTERS || !PLAIN.test(sent)) return home
  const [path = ''] = sent.split(/[?#]/)
  const isOurs = [home, `${prefix}${AUTHORIZE}`].some(
    (start) => path === start || path.startsWith(`${start}/`),
  )
  const isPlain = !path.includes('//') && !path.includes('%') && !/\/\.{1,2}(?:\/|$)/.test(path)
  return isOurs && isPlain && !sent.includes('#') ? sent : home
}

/** Whether the request that goes on at this path wants a user who authenticates now (OpenID Connect Core §3.1.2.1). */
export const wantsFreshSignIn = (path: string, prefix: string): boolean => {
  if (!isAuthorization(path, prefix)) return false
  const parameters = new URLSearchParams(path.slice(path.indexOf('?') + 1))
  return parameters.has('max_age') || parameters.get('prompt')?.split(' ').includes('login') === true
}

/** Whether a path is that of the authorization: from there, the chain of redirects may lead to another origin. */
export const isAuthorization = (path: string, prefix: string): boolean =>
  path.split('?')[0] === `${prefix}${AUTHORIZE}`
