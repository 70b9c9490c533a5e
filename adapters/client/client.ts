import { type Call, caller, type OperationId } from './call.ts'
import { type Cookies, cookies } from './cookies.ts'
import { cursorEnded, PortcullisUnavailable } from './failures.ts'
import {
  allEvents,
  allUsers,
  type EventsFilter,
  type FeedEvent,
  type ListedUser,
  type PastEventsFilter,
  pastEvents,
  type UsersFilter,
  WAIT_SECONDS,
} from './follow.ts'
import { withinLimit } from './limit.ts'
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
import { sealedCookies } from './sealed-cookies.ts'
import { type ClientSettings, checkedKeys, checkedSecrets, checkedSettings } from './settings.ts'
import { systemTime, type Time } from './time.ts'
import { type TokenVerifier, tokenVerifier, verifierOf } from './token-verifier.ts'
import type { EventType } from './vocabulary.ts'

export type { Cookies, KnownVisitor, NewToken, Visitor } from './cookies.ts'
export type { CursorEnded, Outcome, RequestRefused, WrongApiKeys, WrongIssuer } from './failures.ts'
export type { EventsFilter, FeedEvent, ListedUser, PastEventsFilter, UsersFilter } from './follow.ts'
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
export type { ClientSettings, VerifierSettings } from './settings.ts'
export type { TokenVerifier } from './token-verifier.ts'
export type { VerifiedToken } from './verify.ts'
export type * from './vocabulary.ts'
export { PortcullisUnavailable, tokenVerifier }

/** A client with the API keys of one application (docs/client.md). */
export type Portcullis = ApplicationMethods &
  TokenVerifier &
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
    /**
     * Yields the events up to the newest one, and ends: with the first page that is not full. It throws `PortcullisUnavailable` in an
     * outage, and `CursorEnded`.
     */
    eventsUntilNow<Type extends EventType = EventType>(
      filter?: PastEventsFilter<Type>,
      options?: Options,
    ): AsyncGenerator<FeedEvent<Type>, void, undefined>
    /** Keeps sessions in cookies of your product. */
    cookies: Cookies
  }>

/**
 * @param time another one for tests
 * @throws TypeError if a setting has the wrong form
 */
export const portcullis = (settings: ClientSettings, time: Time = systemTime): Portcullis => {
  const server = checkedSettings(settings)
  const secrets = checkedSecrets(settings)
  const send = caller({ ...server, ...checkedKeys(settings), time })

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

  const user: Portcullis['user'] = (token) => {
    const ofUser = methodsOf(true, send, token) as unknown as UserMethods // as above
    return { ...ofUser, signOut: signOutOf(ofUser, methods, token) }
  }

  return {
    ...methods,
    user,
    cookies: cookies({ ...methods, user }, sealedCookies(secrets, time), time),
    users: (filter = {}, options) =>
      allUsers((input: SearchUsersInput) => methods.searchUsers(input, options), filter),
    events: ((filter: EventsFilter = {}, options) =>
      allEvents(
        (input) =>
          readFeed(input, options, 1000 * WAIT_SECONDS + Math.max(0, EVENTS_TIMEOUT_MS - server.timeout)),
        filter,
        (ms) => withinLimit(time, ms + 1000, options?.signal, async ({ pause }) => void (await pause(ms))),
        time,
        options?.signal,
      )) as Portcullis['events'], // only events of the types of the filter come
    eventsUntilNow: ((filter: PastEventsFilter = {}, options) =>
      pastEvents(
        (input) => readFeed(input, options),
        filter,
        options?.signal,
      )) as Portcullis['eventsUntilNow'], // as above
    ...verifierOf(server, send, time),
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
