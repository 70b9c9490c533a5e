import { type Call, caller, type OperationId } from './call.ts'
import { type Cookies, cookies } from './cookies.ts'
import { bytesIn } from './encoding.ts'
import { cursorEnded, PortcullisUnavailable } from './failures.ts'
import {
  allEvents,
  allUsers,
  type EventsFilter,
  type FeedEvent,
  type ListedUser,
  type UsersFilter,
  WAIT_SECONDS,
} from './follow.ts'
import type { PublicKeys } from './key-set.ts'
import { TIME_OVER, withinLimit } from './limit.ts'
import {
  type ApplicationMethods,
  OPERATIONS,
  type ReadFeedAnswer,
  type ReadFeedInput,
  type SearchUsersInput,
  type UserMethods,
} from './operations.ts'
import { takesInput, tokenOf } from './request.ts'
import type { Operation, Options, Result } from './results.ts'
import { checkedSecrets, type SealingSecrets, sealedCookies } from './sealed-cookies.ts'
import type { Fetch } from './send.ts'
import { systemTime, type Time } from './time.ts'
import { type VerifiedToken, verifier } from './verify.ts'
import type { EventType } from './vocabulary.ts'

export type { Cookies, KnownVisitor, NewToken, Visitor } from './cookies.ts'
export type { CursorEnded, Outcome, RequestRefused, WrongApiKeys } from './failures.ts'
export type { EventsFilter, FeedEvent, ListedUser, UsersFilter } from './follow.ts'
export type * from './operations.ts'
export type {
  InsufficientScope,
  InsufficientUserAuthentication,
  InvalidFields,
  InvalidToken,
  Options,
  Problem,
  Reason,
  Refused,
  Result,
  SecondFactorDue,
  Throttled,
  UserRefused,
  UserResult,
} from './results.ts'
export type { CookieHeader, SealingSecrets } from './sealed-cookies.ts'
export type { Fetch } from './send.ts'
export type { VerifiedToken } from './verify.ts'
export type * from './vocabulary.ts'
export { PortcullisUnavailable }

export type ClientSettings = Readonly<{
  /** Where the service answers, with the path of its `PUBLIC_URL`: `https://auth.example.com`. */
  url: string
  publicApiKey: string
  privateApiKey: string
  /** Sends the requests, each with its URL and its options: the global `fetch` by default. */
  fetch?: Fetch | undefined
  /** Milliseconds for a whole call, with its repetitions; 10,000 by default. */
  timeout?: number | undefined
  /**
   * Encrypt the cookies of `cookies`: the newest first, which seals. By default, the private API key, so that its rotation signs all users
   * out. Each has at least 32 characters.
   */
  cookieSecrets?: SealingSecrets | undefined
  /** The `PUBLIC_URL` of the service, if `url` is another one. `verify` accepts only its tokens. */
  issuer?: string | undefined
}>

/** A client with the API keys of one application (docs/client.md). */
export type Portcullis = ApplicationMethods &
  Readonly<{
    /** The operations of a signed-in user. */
    user(token: string): UserMethods
    /** Yields all users, or those of the filter. */
    users(filter?: UsersFilter, options?: Options): AsyncGenerator<ListedUser, void, undefined>
    /** Yields events without end: it waits for new ones, and goes on after outages. It throws `CursorEnded`. */
    events<Type extends EventType = EventType>(
      filter?: EventsFilter<Type>,
      options?: Options,
    ): AsyncGenerator<FeedEvent<Type>, never, undefined>
    /** Verifies a user token offline. It cannot know of a sign-out. */
    verify(token: string, options?: Options): Promise<VerifiedToken>
    /** Keeps sessions in cookies of your product. */
    cookies: Cookies
  }>

/**
 * @param time another one for tests
 * @throws TypeError if a setting has the wrong form
 */
export const portcullis = (settings: ClientSettings, time: Time = systemTime): Portcullis => {
  const { url, publicApiKey, privateApiKey, timeout = 10_000, issuer, cookieSecrets } = settings
  refuseWrong(settings)
  // The global `fetch` is looked up at each request, because tests and tracing replace it.
  const fetch: Fetch = settings.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const send = caller({ url, publicApiKey, privateApiKey, timeout, fetch, time })

  const readFeed = async (
    input: ReadFeedInput = {},
    options?: Options,
    waitMs = 1000 * (input.wait ?? 0),
  ) => {
    try {
      return (await send({ id: 'readFeed', input, options, waitMs })) as Result<ReadFeedAnswer>
    } catch (error) {
      if (Object(error).status !== 410) throw error
      const page = (await send({ id: 'readFeed', input: { limit: 1 }, options })) as Result<ReadFeedAnswer>
      if (!page.ok) return page
      throw cursorEnded(page.next.split(':')[0] ?? '', page.items[0]?.data.position)
    }
  }
  const methods = {
    ...methodsOf(false, send),
    readFeed,
  } as unknown as ApplicationMethods // the generated table and the generated types have the same operations
  const verify = verifier(
    (issuer ?? url).replace(/\/$/, ''),
    {
      paseto: () => keysOf(methods.listUserTokenKeys, ({ paserk }) => String(paserk).slice(PASERK.length)),
      jwt: () => keysOf(methods.listUserJwtKeys, ({ x }) => x),
    },
    time,
  )

  const user: Portcullis['user'] = (token) => {
    const ofUser = methodsOf(true, send, token) as unknown as UserMethods // as above
    return { ...ofUser, signOut: signOutOf(ofUser, methods, token) }
  }

  return {
    ...methods,
    user,
    cookies: cookies(
      { ...methods, user },
      sealedCookies(cookieSecrets === undefined ? [privateApiKey] : checkedSecrets(cookieSecrets), time),
      time,
    ),
    users: (filter = {}, options) =>
      allUsers((input: SearchUsersInput) => methods.searchUsers(input, options), filter),
    events: ((filter: EventsFilter = {}, options) =>
      allEvents(
        (input) => readFeed(input, options, 1000 * WAIT_SECONDS + Math.max(0, EVENTS_TIMEOUT_MS - timeout)),
        filter,
        (ms) => withinLimit(time, ms + 1000, options?.signal, async ({ pause }) => void (await pause(ms))),
        time,
        options?.signal,
      )) as Portcullis['events'], // only events of the types of the filter come
    verify: async (token, options) => {
      try {
        return await withinLimit(time, timeout, options?.signal, (limit) => verify(token, limit))
      } catch (error) {
        if (error === TIME_OVER) throw new PortcullisUnavailable('There were no keys in time.', 'none')
        throw error
      }
    },
  }
}

/** Only a revocation takes a token that has expired while its session lives. Of a token of no live session, both end nothing. */
const signOutOf =
  ({ signOut }: UserMethods, { revokeToken }: ApplicationMethods, token: string): UserMethods['signOut'] =>
  async (options) => {
    const answer = await signOut(options)
    if (answer.ok || answer.refusal !== 'invalid_token' || !token) return answer
    const revoked = await revokeToken({ token }, options)
    return revoked.ok ? { ok: true, success: true, code: 100, message: 'Signed out.' } : answer
  }

/** The service answers at the latest 10 seconds after the wait. */
const EVENTS_TIMEOUT_MS = 15_000

const PASERK = 'k4.public.'

const refuseWrong = ({ url, publicApiKey, privateApiKey, timeout = 1, fetch }: ClientSettings): void => {
  const { protocol, username, password, search } = URL.canParse(url) ? new URL(url) : { protocol: '' }
  if (!/^https?:$/.test(protocol) || username || password || search)
    throw new TypeError('url must be the http or https URL of Portcullis, without user, password and query.')
  for (const [name, key] of Object.entries({ publicApiKey, privateApiKey }))
    if (typeof key !== 'string' || key === '') throw new TypeError(`${name} is missing.`)
  if (fetch !== undefined && typeof fetch !== 'function') throw new TypeError('fetch must be a function.')
  if (!(timeout > 0 && timeout <= LONGEST_TIMEOUT_MS))
    throw new TypeError(`timeout must be 1 to ${LONGEST_TIMEOUT_MS} milliseconds, got ${timeout}.`)
}

/** Timers cannot run longer: a signed 32-bit number. The feed adds its wait. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1 - 60_000

/** A method for each operation. Those without fields take the options as their only argument. */
const methodsOf = (
  isOfUser: boolean,
  send: (call: Call) => Promise<object>,
  userToken?: string,
): Readonly<Record<string, (...given: ReadonlyArray<object | undefined>) => Promise<object>>> =>
  Object.fromEntries(
    Object.entries<Operation>(OPERATIONS)
      .filter(([, operation]) => (tokenOf(operation) === 'user') === isOfUser)
      .map(([id, operation]) => [
        id,
        (...given) => {
          const [input, options] = takesInput(operation) ? given : [undefined, given[0]]
          return send({ id: id as OperationId, input: input as Call['input'], options, userToken })
        },
      ]),
  )

/** The keys of a published set by their ids. An incomplete key is not used. */
const keysOf = async <Key extends Readonly<{ kid: string }>>(
  load: () => Promise<Result<Readonly<{ keys: ReadonlyArray<Key> }>>>,
  base64url: (key: Key) => string,
): Promise<PublicKeys> => {
  const published = await load().catch((error) => {
    if (error instanceof PortcullisUnavailable) throw error
    return { ok: false } as const // a proxy refused the request
  })
  if (!published.ok || !Array.isArray(published.keys)) throw new PortcullisUnavailable(NO_KEYS, 'none')
  return new Map(
    published.keys.flatMap((key: Key | null) => {
      const bytes = key === null ? undefined : bytesIn(base64url(key))
      return key !== null && bytes?.length === 32 ? [[key.kid, bytes] as const] : []
    }),
  )
}

const NO_KEYS = 'There are no keys in the answer, so it is not one of Portcullis. Check url.'
