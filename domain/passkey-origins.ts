import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { fromArray, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import * as O from 'fp-ts/lib/Option.js'

/**
 * The origins of the pages and apps that use passkeys (WebAuthn Level 3 §5.8.1). The RP ID is the domain that the passkeys belong to. Most
 * origins are on it or below it (§5.1.3). Pages of other domains are related origins (§5.11), and apps on Android have the hash of their
 * certificate. What a browser or a phone permits there, a file on the RP ID says.
 */

/** The domain of all passkeys. Undefined: there are none. */
export type PasskeySettings = Readonly<{ passkeyRpId: string | undefined }>

export type OriginProblem = 'OriginMalformed' | 'OriginOutside'

/** An origin that an application cannot have. Without an RP ID it can have none. */
export type OriginRefused = Readonly<{ _tag: OriginProblem | 'PasskeysOff'; origin: string }>

/** Returns an origin in the form that clients send, or what is wrong with it. `http://localhost` must be on the RP ID. */
export const validateOrigin = (origin: string, rpId: string): E.Either<OriginProblem, string> => {
  if (!ANDROID.test(origin) && hostOf(origin) === undefined) return E.left('OriginMalformed')
  return origin.startsWith('http:') && !isOnRpId(origin, rpId) ? E.left('OriginOutside') : E.right(origin)
}

/** Whether pages of this origin use passkeys of the RP ID without further permission: they are on it or below it. */
export const isOnRpId = (origin: string, rpId: string): boolean => {
  const host = hostOf(origin)
  return host !== undefined && (host === rpId || host.endsWith(`.${rpId}`))
}

/** Whether passkeys of the RP ID work at this origin only if a file on the RP ID names it. */
export const isRelated = (origin: string, rpId: string): boolean =>
  origin.startsWith('https:') && !isOnRpId(origin, rpId)

/** Returns the origins, each once, or what is wrong with each. */
export const validateOrigins = (
  origins: ReadonlyArray<string>,
  rpId: string | undefined,
): E.Either<NonEmptyArray<OriginRefused>, ReadonlyArray<string>> => {
  const refused = origins.flatMap((origin): Array<OriginRefused> => {
    if (rpId === undefined) return [{ _tag: 'PasskeysOff', origin }]
    const valid = validateOrigin(origin, rpId)
    return E.isLeft(valid) ? [{ _tag: valid.left, origin }] : []
  })
  return pipe(
    fromArray(refused),
    O.fold(() => E.right([...new Set(origins)]), E.left),
  )
}

/** Whether a text can be an RP ID: a domain in lower case, in ASCII, no IP address. */
export const isRpId = (text: string): boolean => text.length <= MAX_DOMAIN && DOMAIN.test(text)

/** The host of an origin. Undefined if it is not in the form of `URL.origin`, or a passkey cannot be used there. */
const hostOf = (origin: string): string | undefined => {
  const [, scheme, host, port] = ORIGIN.exec(origin) ?? []
  if (host === undefined || !isRpId(host) || !isPort(port, scheme === 'https' ? '443' : '80'))
    return undefined
  return scheme === 'https' || host === 'localhost' ? host : undefined
}

/** The port that the scheme implies is never in an origin. */
const isPort = (port: string | undefined, implied: string): boolean =>
  port === undefined || (port !== implied && Number(port) <= 65_535)

/** The SHA-256 of the certificate that signs an app, in canonical base64url, as Android sends it. */
const ANDROID = /^android:apk-key-hash:[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

const ORIGIN = /^(https?):\/\/([^:/]*)(?::([1-9]\d{0,4}))?$/

/** The last label begins with a letter: `URL` reads a number there as an IPv4 address. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const MAX_DOMAIN = 253

/** Returns origins as rows contain them: separated by one space. */
export const originsText = (origins: ReadonlyArray<string>): string => origins.join(' ')

/** Returns the origins in a text that `originsText` wrote. */
export const parseOrigins = (text: string): ReadonlyArray<string> => (text === '' ? [] : text.split(' '))
