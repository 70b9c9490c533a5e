import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Provider } from 'oidc-provider'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { KeyUnusable } from '../../../application/ports/token-format.ts'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import type { OpenIdUseCases } from '../../../application/use-cases/openid.ts'
import type { UserCaller } from '../../../domain/access.ts'
import type { Application } from '../../../domain/application.ts'
import { AUTHORIZE } from '../pages/continue-path.ts'
import { SECRET_OF_ROUTE } from './client-metadata.ts'
import {
  type Answered,
  answerWith,
  type Exchange,
  type Forwarded,
  type LibraryFailure,
  within,
} from './exchange.ts'
import type { PageFor } from './page-for.ts'
import { unverifiedClaim } from './unverified-claim.ts'

/** The answer of the library, and what the route shows instead: a form for the client, or an error for a person if no client can be told. */
export type Outcome = Answered & Pick<Exchange, 'posted' | 'shown'>

/** Who an ID token names, and the client that it was for. */
export type Hint = Readonly<{ subject: string; clientId: string }>

/** What the routes ask of the library. */
export type OpenIdLibrary = Readonly<{
  /** @param query as sent, without `continued`, which has given `continuedSince` */
  authorize: (
    context: RequestContext,
    request: Readonly<{ visitor: Option<UserCaller>; query: string; continuedSince: number | undefined }>,
  ) => TaskEither<LibraryFailure, Outcome>
  /** Answers a form of a client that the route has authenticated, or that is public. */
  answerClient: (
    context: RequestContext,
    client: Application,
    request: Readonly<{ path: '/oauth2/token' | '/oauth2/par'; form: URLSearchParams }>,
  ) => TaskEither<LibraryFailure, Outcome>
  /** Returns who an ID token of this service names, and for which client, however old it is. */
  readHint: (context: RequestContext, idToken: string) => TaskEither<LibraryFailure, Option<Hint>>
}>

/** The library with the keys of a keyring. */
type Made = Readonly<{ keys: unknown; provider: Provider; handler: ReturnType<Provider['callback']> }>

/** @param pageFor see `newProvider` */
export const openIdLibrary = (
  useCases: OpenIdUseCases,
  { issuer, pageFor }: Readonly<{ issuer: string; pageFor: PageFor }>,
): OpenIdLibrary => {
  let known: Made | undefined

  /** The library takes its keys when it is made, so there is a new one for each keyring: that takes a few milliseconds. */
  const forKeys = async (): Promise<Either<StoreUnavailable | KeyUnusable, Made>> => {
    const keys = await useCases.idTokenKeys()
    if (isLeft(keys)) return keys
    if (known?.keys === keys.right) return right(known)
    const { newProvider } = await import('./provider.ts') // with the library
    const jwks = keys.right.map(({ privateJwk }) => privateJwk)
    const provider = newProvider(useCases, { issuer, keys: jwks, pageFor })
    const made: Made = { keys: keys.right, provider, handler: provider.callback() }
    known = made
    return right(made)
  }

  const ask = async (exchange: Exchange, forwarded: Forwarded): Promise<Either<LibraryFailure, Outcome>> => {
    const library = await forKeys()
    if (isLeft(library)) return library
    const answered = await answerWith(library.right.handler, exchange, forwarded)
    const { failure, posted, shown, unexpected } = exchange
    if (failure !== undefined) return left(failure)
    if (unexpected !== undefined) throw unexpected
    return right({
      ...answered,
      ...(posted !== undefined && { posted }),
      ...(shown !== undefined && { shown }),
    })
  }

  return {
    authorize:
      (context, { visitor, query, continuedSince }) =>
      () =>
        ask(
          { context, visitor, continuedSince },
          {
            method: 'GET',
            path: `${AUTHORIZE}${query === '' ? '' : `?${query}`}`,
            // The library looks for the session that this cookie names, and finds that of the pages.
            headers: { host: new URL(issuer).host, ...(isNone(visitor) ? {} : { cookie: '_session=1' }) },
          },
        ),
    answerClient:
      (context, client, { path, form }) =>
      () => {
        const { id, clientKind } = client
        const isPublic = clientKind === 'public'
        form.delete('client_secret')
        form.set('client_id', id)
        const keys = Buffer.from(`${id}:${SECRET_OF_ROUTE}`).toString('base64')
        const headers = { host: new URL(issuer).host, ...(!isPublic && { authorization: `Basic ${keys}` }) }
        return ask(
          { context, visitor: none, continuedSince: undefined },
          { method: 'POST', path, headers, form },
        )
      },
    readHint: (context, idToken) => async () => {
      const library = await forKeys()
      if (isLeft(library)) return library
      const { Client, IdToken } = library.right.provider
      const exchange: Exchange = { context, visitor: none, continuedSince: undefined }
      const hint = await within(exchange, async () => {
        try {
          const client = await Client.find(unverifiedClaim(idToken, 'aud') ?? '')
          if (client === undefined) return none
          const { payload } = await IdToken.validate(idToken, client)
          return typeof payload.sub === 'string'
            ? some({ subject: payload.sub, clientId: client.clientId })
            : none
        } catch {
          return none // no ID token of this service
        }
      })
      return exchange.failure === undefined ? right(hint) : left(exchange.failure)
    },
  }
}
