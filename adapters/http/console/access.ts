import type { IncomingMessage } from 'node:http'
import type { Digests, Random } from '../../../application/ports/environment.ts'

/**
 * Who may use the console: the one browser that opened its URL first (docs/console.md#security).
 *
 * Other users of this machine reach the port too, and so do pages of any site that the operator visits. So a request must name this host,
 * which DNS rebinding cannot, and bring the cookie. A change must also come from a page of the console.
 */
export type Access = Readonly<{
  /** The random path of the console, `/…`. Browsers send cookies to every port of a host, so the cookie has this path. */
  path: string
  /** The one-time secret of the URL. */
  secret: string
  /** Why a request is refused; undefined if it is not. */
  refusalOf(message: IncomingMessage, isWrite: boolean): AccessRefusal | undefined
  /** Opens the console for the browser that sends the secret first. */
  open(message: IncomingMessage, secret: string | undefined): Opening
}>

/** `other_host`: the request names another host. `no_session`: it lacks the cookie. `from_elsewhere`: a page of another origin sent it. */
export type AccessRefusal = 'other_host' | 'no_session' | 'from_elsewhere'

/** `setCookie` is the value of the header. `again`: the browser that opened it has come back. */
export type Opening =
  | Readonly<{ kind: 'opened'; setCookie: string }>
  | Readonly<{ kind: 'again' | 'used' | 'wrong' }>

/** @returns the access of one run of the console. It keeps digests only of what the browser must prove. */
export const newAccess = ({
  random,
  digests,
}: Readonly<{ random: Pick<Random, 'bytes'>; digests: Digests }>): Access => {
  const text = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('base64url')
  const path = `/${text(PATH_BYTES)}`
  const secret = text(SECRET_BYTES)
  const secretDigest = digests.sha256(secret)
  let session = ''
  const matches = (given: string, digest: string): boolean =>
    digest !== '' && digests.areEqual(digests.sha256(given), digest)
  const hasSession = ({ headers: { cookie = '' } }: IncomingMessage): boolean =>
    cookiesIn(cookie).some((value) => matches(value, session))

  return {
    path,
    secret,
    refusalOf: (message, isWrite) => {
      if (!namesThisHost(message)) return 'other_host'
      if (!hasSession(message)) return 'no_session'
      return isWrite && !isOfConsole(message) ? 'from_elsewhere' : undefined
    },
    open: (message, given) => {
      if (given === undefined || !matches(given, secretDigest)) return { kind: 'wrong' }
      if (session !== '') return { kind: hasSession(message) ? 'again' : 'used' }
      const value = text(SECRET_BYTES)
      session = digests.sha256(value)
      return {
        kind: 'opened',
        setCookie: `${COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=${path}/`,
      }
    },
  }
}

const PATH_BYTES = 16
const SECRET_BYTES = 32
const COOKIE = 'portcullis_console'

/** `ssh -L` changes the port, so only the name counts. */
export const namesThisHost = ({ headers: { host = '' } }: IncomingMessage): boolean =>
  HOSTS.has(host.replace(/:\d*$/, '').toLowerCase())

const HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The values of the cookie. A program on another port may have set further ones for this host. */
const cookiesIn = (header: string): ReadonlyArray<string> =>
  header
    .split(';', MAX_COOKIES)
    .map((one) => one.trim())
    .filter((one) => one.startsWith(`${COOKIE}=`))
    .map((one) => one.slice(COOKIE.length + 1))

const MAX_COOKIES = 100

/** Each current browser sends both headers (Fetch Metadata, RFC 6454 §7). A page on another port has another origin. */
const isOfConsole = ({ headers }: IncomingMessage): boolean =>
  headers['sec-fetch-site'] === 'same-origin' && headers.origin === `http://${headers.host}`
