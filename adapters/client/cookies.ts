import { refusedForNow } from './failures.ts'
import { withinLimit } from './limit.ts'
import type {
  ApplicationMethods,
  CompleteIdentitySignInAnswer,
  GetProfileAnswer,
  StartIdentitySignInAnswer,
  StartIdentitySignInInput,
  UserMethods,
} from './operations.ts'
import type { Options, Result, SecondFactorDue } from './results.ts'
import { type CookieHeader, cookiesIn, removalOf, type SealedCookies } from './sealed-cookies.ts'
import type { Time } from './time.ts'

/** The answer of an operation that returns a user token. A step-up and an enrolment do not prolong the session. */
export type NewToken = Readonly<{ token: string; expiresIn: number }>

/** Who sends a request. */
export type Visitor = Readonly<{
  /** The user token. It is empty for a guest. */
  token: string
  /** The operations of this user. A guest gets the refusal `invalid_token`. */
  user: UserMethods
  /** How long the session lives, in seconds: 0 for a guest. */
  sessionExpiresIn: number
}> &
  SetsCookies

/** The visitor, with the profile; undefined for a guest. */
export type KnownVisitor = Visitor & Readonly<{ profile: GetProfileAnswer | undefined }>

type SessionLife = Readonly<{ sessionExpiresIn: number }>

/** The lines `Set-Cookie` of the response; empty if nothing changed. Frameworks take a mutable array. */
type SetsCookies = Readonly<{ setCookies: Array<string> }>

/**
 * Keeps the sessions and other secrets of a product in the browsers, encrypted with keys from `cookieSecrets`. A method gets the
 * text of the header `Cookie`, and returns lines for `Set-Cookie`, so it needs no framework and no store. A cookie counts as none if it was
 * changed, has expired, or was sealed with another secret.
 */
export type Cookies = Readonly<{
  /**
   * The cookie of a session, which lives as long as the session. So `remember` of the sign-in is all that "remember me" needs. With the
   * answer of a step-up or an enrolment, pass the visitor: the session ends when it would have ended before. Send this line behind those of
   * the visitor.
   */
  keep(answer: NewToken & SessionLife): Promise<string>
  keep(answer: NewToken, visitor: SessionLife): Promise<string>
  /**
   * Says who sends a request, by the cookie alone: for programs that verify the token. It renews the session in the second half of the
   * token's life, and after it. While the token lives, a renewal that fails changes nothing. Once the token has expired, a refused renewal
   * makes a guest.
   *
   * @throws PortcullisUnavailable if the token has expired and the service does not answer, or throttles: the session may live
   */
  read(header: CookieHeader, options?: Options): Promise<Visitor>
  /**
   * The visitor, as the service knows this user now: a session that has ended, and a user who was disabled, make a guest. A renewed token
   * in an answer belongs to one person, so send `Cache-Control: no-store` with it.
   *
   * @throws PortcullisUnavailable as `read` does, and if the service does not answer
   */
  visitor(header: CookieHeader, options?: Options): Promise<KnownVisitor>
  /**
   * Ends the session of the visitor, also one whose token has expired. Returns the line that removes the cookie.
   *
   * @throws PortcullisUnavailable if the service does not answer: the session may live, so keep the cookie
   */
  signOut(header: CookieHeader, options?: Options): Promise<string>
  /** The line that removes the cookie of the session, or another one. */
  clear(name?: string): string
  /** A cookie with another short secret, such as the token of a sign-in that waits for its second factor. It lives so many seconds. */
  seal(name: string, text: string, seconds: number): Promise<string>
  /** The secret that `seal` has put into the cookie of this name. */
  open(name: string, header: CookieHeader): Promise<string | undefined>
  /** Starts a sign-in at an identity provider, and binds its answer to this browser. `remember` counts when the sign-in completes. */
  startIdentity(
    input: StartIdentitySignInInput & Readonly<{ remember?: boolean | undefined }>,
    header: CookieHeader,
    options?: Options,
  ): Promise<Result<StartIdentitySignInAnswer & SetsCookies>>
  /** Completes it, and keeps the session. `url` is the address at which the browser came back from this provider. */
  completeIdentity(
    input: Readonly<{ provider: string; url: string; label?: string | undefined }>,
    header: CookieHeader,
    options?: Options,
  ): Promise<(Result<CompleteIdentitySignInAnswer> | SecondFactorDue) & SetsCookies>
}>

const SESSION = 'session'

/** A product may choose these names. Those of starts have a dot. */
const OTHER_NAME = /^(?!session$)[\w-]{1,64}$/

/** The cookie of a start: `start.PROVIDER.STATE`. */
const START = /^start\.[\w-]{1,64}\.[\w-]{1,128}$/

/** A browser may be at several providers at once, each in a tab of its own. */
const MOST_STARTS = 5

/** Of the cookies of all starts. Proxies limit a header to 8 KB. */
const MOST_CHARACTERS = 6000

/** While the token lives, a page waits no longer for its renewal, and does not try again for a while after an outage. */
const RENEWAL_MS = 2000
const AFTER_OUTAGE_MS = 10_000

/** A forged header cannot make the response longer than this. */
const MOST_REMOVED = 20

export const cookies = (
  auth: ApplicationMethods & Readonly<{ user(token: string): UserMethods }>,
  sealed: SealedCookies,
  time: Time,
): Cookies => {
  const { now } = time
  const keep = (answer: NewToken & Partial<SessionLife>, visitor?: SessionLife): Promise<string> => {
    const { token, expiresIn, sessionExpiresIn = visitor?.sessionExpiresIn || expiresIn } = answer
    // In its last second, the service rounds the rest of a session down.
    return sealed.seal(SESSION, `${now()} ${expiresIn} ${token}`, Math.max(1, sessionExpiresIn))
  }
  const visitorOf = (token: string, sessionExpiresIn: number, ...setCookies: Array<string>): Visitor => ({
    token,
    user: auth.user(token),
    sessionExpiresIn,
    setCookies,
  })

  let renewsFrom = 0
  /** Undefined if it failed or took too long, or that was just seen. Once the token has expired, the visitor learns why. */
  const renewedSoon = async (token: string, options: Options | undefined) => {
    if (time.elapsed() < renewsFrom) return undefined
    try {
      const renewed = await withinLimit(time, RENEWAL_MS, options?.signal, ({ signal, race }) =>
        race(auth.renewSession({ token }, { ...options, signal })),
      )
      if (!renewed.ok && renewed.refusal === 'throttled') renewsFrom = time.elapsed() + AFTER_OUTAGE_MS
      return renewed
    } catch (error) {
      if (options?.signal?.aborted) throw error
      renewsFrom = time.elapsed() + AFTER_OUTAGE_MS
      return undefined
    }
  }

  const read: Cookies['read'] = async (header, options) => {
    const { text = '', endsAt = now() } = (await sealed.open(SESSION, header)) ?? {}
    const [signedAt, expiresIn, token = ''] = text.split(' ')
    const visitor = visitorOf(token, (endsAt - now()) / 1000)
    /** 1 when the token expires. Without a cookie, it is not a number. */
    const age = (now() - Number(signedAt)) / (1000 * Number(expiresIn))
    if (!(age > 0.5)) return visitor
    const isAlive = age < 1
    // Concurrent requests may all renew. Each gets a token of the same session, and the last cookie stays.
    const renewed = isAlive ? await renewedSoon(token, options) : await auth.renewSession({ token }, options)
    if (renewed?.ok) return visitorOf(renewed.token, renewed.sessionExpiresIn, await keep(renewed))
    if (isAlive || renewed === undefined) return visitor
    if (renewed.refusal === 'throttled') throw refusedForNow(renewed)
    return visitorOf('', 0, removalOf(SESSION))
  }

  return {
    keep,
    read,

    visitor: async (header, options) => {
      const visitor = await read(header, options)
      if (visitor.token === '') return { ...visitor, profile: undefined }
      const profile = await visitor.user.getProfile(options)
      if (profile.ok) return { ...visitor, profile }
      if (profile.refusal !== 'invalid_token') throw refusedForNow(profile)
      return { ...visitorOf('', 0, removalOf(SESSION)), profile: undefined }
    },

    signOut: async (header, options) => {
      const [, , token] = (await sealed.open(SESSION, header))?.text.split(' ') ?? []
      const ended = token === undefined ? undefined : await auth.user(token).signOut(options)
      // A token that is of no use has no session.
      if (ended?.ok === false && ended.refusal !== 'invalid_token') throw refusedForNow(ended)
      return removalOf(SESSION)
    },

    clear: (name = SESSION) => removalOf(name === SESSION ? name : checked(name)),
    seal: async (name, text, seconds) => sealed.seal(checked(name), text, seconds),
    open: async (name, header) => (await sealed.open(checked(name), header))?.text,

    startIdentity: async ({ remember, ...input }, header, options) => {
      const started = await auth.startIdentitySignIn(input, options)
      if (!started.ok) return started
      const { url, transaction, expiresIn } = started
      const name = startName(input.provider, new URL(url).search)
      const line = await sealed.seal(name, `${remember === true ? 1 : 0}${transaction}`, expiresIn)
      const removed = (await tooMany(sealed, header, line.length)).map(removalOf)
      return { ...started, setCookies: [line, ...removed] }
    },

    completeIdentity: async ({ provider, url, label }, header, options) => {
      const answer = /\?[^#]*/.exec(url)?.[0] ?? ''
      const name = startName(provider, answer)
      const start = START.test(name) ? (await sealed.open(name, header))?.text : undefined
      const completed = await auth.completeIdentitySignIn(
        // Without a transaction, the service refuses the answer: another browser has started.
        { transaction: start?.slice(1), answer, label, remember: start?.startsWith('1') },
        options,
      )
      // A transaction completes once, so its cookie is of no more use, unless nothing was tried.
      const isUsed = start !== undefined && (completed.ok || completed.refusal !== 'throttled')
      const removed = isUsed ? [removalOf(name)] : []
      return { ...completed, setCookies: completed.ok ? [await keep(completed), ...removed] : removed }
    },
  }
}

/** @throws TypeError if the name is not one for `seal` */
const checked = (name: string): string => {
  if (OTHER_NAME.test(name)) return name
  throw new TypeError(
    `The name of a cookie has 1 to 64 letters, digits, hyphens and underscores, and is not ${SESSION}.`,
  )
}

/**
 * With the state in the name, two tabs do not overwrite each other. With the provider in it, an answer counts only at the address of the
 * provider that was asked (RFC 9700 §4.4.2).
 */
const startName = (provider: string | undefined, query: string): string => {
  // A state may end with `=`, which would end the name of the cookie. The service compares the whole state.
  const [where, state] = [provider, new URLSearchParams(query).get('state')].map((part) =>
    (part ?? '').replaceAll(/[^\w-]/g, ''),
  )
  return `start.${where}.${state}`
}

/** The starts in a header that must go, because newer ones need the room or because they do not open. The new one is `length` long. */
const tooMany = async (
  sealed: SealedCookies,
  header: CookieHeader,
  length: number,
): Promise<ReadonlyArray<string>> => {
  const sent = cookiesIn(header, (name) => START.test(name)).slice(0, MOST_REMOVED)
  const ends = await Promise.all(
    sent.map(async (one) => ({ ...one, endsAt: (await sealed.open(one.name, header))?.endsAt ?? 0 })),
  )
  const newestFirst = ends.sort((one, other) => other.endsAt - one.endsAt)
  let characters = length
  const isOver = newestFirst.map(({ value, endsAt }, at) => {
    characters += value.length
    return endsAt === 0 || at >= MOST_STARTS - 1 || characters > MOST_CHARACTERS
  })
  return newestFirst.flatMap(({ name }, at) => (isOver[at] ? [name] : []))
}
