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
export const readCookie = ({ headers: { cookie = '' } }: IncomingMessage, name: CookieName): Field => {
  const start = `${COOKIES[name]}=`
  const found = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
  return found.length === 1 ? found[0]?.slice(start.length) : undefined
}

/** Whether a cookie was sent at all, also an unusable one. */
export const hasCookie = ({ headers: { cookie = '' } }: IncomingMessage, name: CookieName): boolean =>
  cookie.split(';').some((pair) => pair.trim().startsWith(`${COOKIES[name]}=`))

/** Returns the value of `Set-Cookie`. A browser that restarts keeps the cookie until it ends. */
export const setCookie = (name: CookieName, value: string, maxAgeSeconds: number): string =>
  `${COOKIES[name]}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`

/** Returns the value of `Set-Cookie` that deletes a cookie. */
export const deleteCookie = (name: CookieName): string => setCookie(name, '', 0)
