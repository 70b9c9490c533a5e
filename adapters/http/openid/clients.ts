import { pipe } from 'fp-ts/lib/function.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  AuthenticateApplication,
  InvalidClient,
} from '../../../application/applications/authenticate-application.ts'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import type { OpenIdUseCases } from '../../../application/use-cases/openid.ts'
import type { ApplicationTokenRequest } from '../../../domain/application-token.ts'
import { type Field, isPresent } from '../../../domain/field.ts'
import type { AuthenticateClient } from '../oauth/client.ts'
import { toInvalidClient } from '../oauth/errors.ts'
import { CLIENT_ERRORS, type ClientRefused } from '../operation/failures.ts'
import type { HttpResponse } from '../operation/response.ts'
import type { LibraryFailure } from './exchange.ts'
import type { OpenIdLibrary, Outcome } from './library.ts'

/** A client proves its keys, or is a public one, which has no secret to prove (RFC 6749 §2.1). */
export const authenticateClient =
  ({
    findClient,
    authenticateApplication,
  }: Pick<OpenIdUseCases, 'findClient'> &
    Readonly<{ authenticateApplication: AuthenticateApplication }>): AuthenticateClient =>
  (context, keys) => {
    const { publicApiKey, privateApiKey } = keys
    if (!isPresent(publicApiKey) || isPresent(privateApiKey)) return authenticateApplication(context, keys)
    return pipe(
      findClient(publicApiKey.slice('pk_'.length)),
      TE.chainW((client) =>
        isSome(client) && client.value.clientKind === 'public'
          ? TE.right({ application: client.value })
          : authenticateApplication(context, keys),
      ),
    )
  }

/** Lets the library answer a form of a client, which authenticates first. */
export type AskAsClient = (
  context: RequestContext,
  keys: ApplicationTokenRequest,
  request: Readonly<{ path: '/oauth2/token' | '/oauth2/par'; fields: Readonly<Record<string, Field>> }>,
) => TE.TaskEither<InvalidClient | LibraryFailure | ClientRefused, HttpResponse>

export const askAsClient =
  ({
    authenticate,
    library,
  }: Readonly<{ authenticate: AuthenticateClient; library: OpenIdLibrary }>): AskAsClient =>
  (context, keys, { path, fields }) =>
    pipe(
      authenticate(context, keys),
      TE.bimap(toInvalidClient, ({ application }) => application),
      TE.filterOrElseW(
        ({ redirectUris }) => redirectUris.length > 0,
        () => WITHOUT_URI,
      ),
      TE.chainW((application) => library.answerClient(context, application, { path, form: formOf(fields) })),
      TE.chainW(clientAnswer),
    )

const WITHOUT_URI: ClientRefused = {
  _tag: 'ClientRefused',
  error: 'unauthorized_client',
  message:
    'This application has no redirect URI. To give it one, run: portcullis application set ID --redirect-uri URI',
}

/** The fields that were sent, as a form. */
const formOf = (fields: Readonly<Record<string, Field>>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as [string, string]],
    ),
  )

/** The answer of the library to a client: what it issued, or its error. */
const clientAnswer = ({ status, text }: Outcome): TE.TaskEither<ClientRefused, HttpResponse> => {
  const body: Readonly<Record<string, unknown>> = JSON.parse(text)
  if (status < 300) return TE.right({ status, body, headers: { Pragma: 'no-cache' } })
  const error = CLIENT_ERRORS.find((known) => known === body.error) ?? 'invalid_request'
  const message = typeof body.error_description === 'string' ? sentence(body.error_description) : error
  return TE.left({ _tag: 'ClientRefused', error, message })
}

/** The library writes neither capitals nor stops. The name of a parameter stays as it is. */
const sentence = (text: string): string => {
  const first = /^[a-z]+_/.test(text) ? text.charAt(0) : text.charAt(0).toUpperCase()
  return `${first}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
}
