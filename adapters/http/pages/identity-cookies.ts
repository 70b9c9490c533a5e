import type { IncomingMessage } from 'node:http'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import type { StartedIdentity } from '../../../application/factors/start-identity.ts'
import type { AtProvider, BrowserCookies } from '../../../application/pages/browser-cookies.ts'
import { cookiesNamed, deleteNamed, setNamed } from './cookies.ts'

/** A browser may be at several providers at once, each in a tab of its own. */
const MOST_COOKIES = 5

/** Of all of them: the server reads 16 KiB of headers, and the answer of a provider is in the URL. */
const MOST_CHARACTERS = 6_000

const NAME = '__Host-portcullis-idp-'
const NAMES = /^__Host-portcullis-idp-[0-9a-f]{16}$/

const nameOf = ({ digestOf }: BrowserCookies, state: string): string =>
  `${NAME}${digestOf(state).slice(0, 16)}`

/** What a browser has kept for an answer. The answer names it by its `state`. */
export const findAtProvider = (
  cookies: BrowserCookies,
  message: IncomingMessage,
  state: string,
): Option<AtProvider> => {
  const name = nameOf(cookies, state)
  const sent = cookiesNamed(message, (one) => one === name)
  return cookies.openAtProvider(sent.length === 1 ? sent[0]?.value : undefined)
}

/** The deletion of what a browser has kept for an answer. */
export const leaveProvider = (cookies: BrowserCookies, state: string): ReadonlyArray<string> => [
  deleteNamed(nameOf(cookies, state)),
]

/** The cookie of a new start, and the deletion of the oldest ones beyond the bounds. */
export const goToProvider = (
  cookies: BrowserCookies,
  message: IncomingMessage,
  { state, expiresInSeconds }: StartedIdentity,
  kept: AtProvider,
): ReadonlyArray<string> => {
  const value = cookies.sealAtProvider(kept)
  const former = cookiesNamed(message, (name) => NAMES.test(name))
    .map((cookie) => ({ ...cookie, opened: cookies.openAtProvider(cookie.value) }))
    .map(({ opened, ...cookie }) => ({ ...cookie, atMs: isSome(opened) ? opened.value.startedAtMs : 0 }))
    .sort((one, other) => other.atMs - one.atMs)
  let characters = value.length
  const tooOld = former.filter(({ atMs, value: { length } }, at) => {
    characters += length
    return atMs === 0 || at >= MOST_COOKIES - 1 || characters > MOST_CHARACTERS
  })
  return [
    setNamed(nameOf(cookies, state), value, expiresInSeconds),
    ...tooOld.map(({ name }) => deleteNamed(name)),
  ]
}
