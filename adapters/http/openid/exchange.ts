import { AsyncLocalStorage } from 'node:async_hooks'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { beginningCommit, type RequestContext } from '../../../application/recording/recorder.ts'
import type { UserCaller } from '../../../domain/access.ts'
import type { Application } from '../../../domain/application.ts'
import type { PersonNeeded } from '../../../domain/authorization.ts'
import type { SessionFacts } from '../../../domain/session.ts'
import type { FailureOf } from '../operation/failures.ts'
import { exchange as inject } from '../server/inject.ts'

/** Why the service cannot let the library answer. */
export type LibraryFailure = FailureOf<'KeyUnusable' | 'Overloaded' | 'StoreUnavailable' | 'Throttled'>

/** A request while the library answers it: what our functions, which the library calls, know and find. */
export type Exchange = {
  readonly context: RequestContext
  /** The owner of the session of the pages in this browser. */
  readonly visitor: Option<UserCaller>
  /** Since when an authentication is enough, if a page was shown for this request. */
  readonly continuedSince: number | undefined
  /** The client. */
  application?: Application
  /** The session of the client. Its id is that of the grant. */
  session?: SessionFacts
  /** The lifetime of the next access token, in seconds. */
  lifetimeSeconds?: number
  /** The next access token, if it is signed already. */
  accessToken?: Readonly<{ token: string; expiresInSeconds: number }>
  /** The refresh token or code that the next refresh token replaces. */
  replaces?: Readonly<{ kind: 'code' | 'refresh_token'; id: string }>
  needed?: PersonNeeded
  /** Why the answer of the library does not count. */
  failure?: LibraryFailure
  /** The form with the answer to a client that wants one (`response_mode=form_post`). */
  posted?: Readonly<{ action: string; fields: Readonly<Record<string, string>> }>
  /** A fault of the service, and not of the client. The library shows it as an error of the protocol. */
  unexpected?: Error
  /** The error that a person reads, because no client can be told. */
  shown?: Readonly<{ error: string; description: string | undefined }>
}

const exchanges = new AsyncLocalStorage<Exchange>()

/** The exchange of the running request. */
export const current = (): Exchange => {
  const exchange = exchanges.getStore()
  if (exchange === undefined) throw new Error('The library runs outside of a request.')
  return exchange
}

/** Returns what a use case finds. A failure ends the request: the route answers it, whatever the library makes of it. */
export const found = async <A>(task: TaskEither<LibraryFailure, A>): Promise<A> => {
  const result = await task()
  if (isLeft(result)) {
    current().failure ??= result.left
    throw new Error(result.left._tag)
  }
  return result.right
}

/** Asks before each write whether the request has not been answered yet. */
export const beginWrite = (): void => {
  const exchange = current()
  if (exchange.context.beginCommit?.() === false) {
    exchange.failure ??= { _tag: 'StoreUnavailable', reason: 'the deadline of the request has passed' }
    throw new Error('late')
  }
}

/** Writes for the request, and again after a lost answer: writing it twice must be as writing it once. */
export const written = <A>(write: TaskEither<LibraryFailure, A>): Promise<A> =>
  found(beginningCommit(current().context, write))

/** A request as the library gets it: only what it needs, nothing of what the client claims about host and protocol. */
export type Forwarded = Readonly<{
  method: 'GET' | 'POST'
  path: string
  headers?: Readonly<Record<string, string>>
  form?: URLSearchParams
}>

export type Answered = Readonly<{
  status: number
  headers: ReadonlyMap<string, string>
  text: string
}>

/** Runs a function of the library outside of a request to it. */
export const within = <A>(exchange: Exchange, run: () => Promise<A>): Promise<A> =>
  exchanges.run(exchange, run)

/** Lets the library answer a request. */
export const answerWith = async (
  handler: Parameters<typeof inject>[0],
  exchange: Exchange,
  { method, path, headers = {}, form }: Forwarded,
): Promise<Answered> => {
  const {
    statusCode,
    headers: all,
    rawPayload,
  } = await exchanges.run(exchange, () =>
    inject(handler, {
      method,
      url: path,
      headers: {
        ...headers,
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form !== undefined && { payload: form.toString() }),
    }),
  )
  return {
    status: statusCode,
    headers: new Map(all.map(([name, values]) => [name, values.join(', ')])),
    text: rawPayload.toString(),
  }
}
