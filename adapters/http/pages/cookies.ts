import type { IncomingMessage } from 'node:http'
import type { Field } from '../../../domain/field.ts'

/** The cookies of the pages: the session, a sign-in that waits for its second factor, and who has signed in here before. */
export const COOKIES = {
  session: '__Host-portcullis',
  pending: '__Host-portcullis-2nd',
  device: '__Host-portcullis-device',
} as const

export type CookieName = keyof typeof COOKIES

/** Returns a cookie as sent. Two of one name count as none: only one of them can be ours. */
export const readCookie = (message: IncomingMessage, name: CookieName): Field => {
  const found = sentAs(message, name)
  return found.length === 1 ? found[0] : undefined
}

/** Whether a cookie was sent at all, also an unusable one. */
export const hasCookie = (message: IncomingMessage, name: CookieName): boolean =>
  sentAs(message, name).length > 0

const sentAs = (message: IncomingMessage, name: CookieName): ReadonlyArray<string> =>
  cookiesNamed(message, (one) => one === COOKIES[name]).map(({ value }) => value)

/**
 * The cookies with such names. Only spaces and tabs stand before a cookie (RFC 6265 §4.2): `trim` would remove a no-break space too, so that a
 * subdomain could set a cookie whose name looks like one with `__Host-`. Browsers send none behind it, and a search for those would look at
 * each blank again from all before.
 */
export const cookiesNamed = (
  { headers: { cookie = '' } }: IncomingMessage,
  isWanted: (name: string) => boolean,
): ReadonlyArray<Readonly<{ name: string; value: string }>> =>
  cookie
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+/, ''))
    .flatMap((pair) => {
      const at = pair.indexOf('=')
      const name = pair.slice(0, Math.max(at, 0))
      return at > 0 && isWanted(name) ? [{ name, value: pair.slice(at + 1) }] : []
    })

/** Returns the value of `Set-Cookie`. A browser that restarts keeps the cookie until it ends. */
export const setCookie = (name: CookieName, value: string, maxAgeSeconds: number): string =>
  setNamed(COOKIES[name], value, maxAgeSeconds)

/** The same for a cookie whose name is made. */
export const setNamed = (name: string, value: string, maxAgeSeconds: number): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`

/** Returns the value of `Set-Cookie` that deletes a cookie. */
export const deleteCookie = (name: CookieName): string => setCookie(name, '', 0)
export const deleteNamed = (name: string): string => setNamed(name, '', 0)
