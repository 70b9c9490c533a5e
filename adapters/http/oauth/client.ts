import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  Authenticated,
  ClientAuthenticationFailure,
} from '../../../application/applications/authenticate-application.ts'
import type { AuthenticateByKeys } from '../../../application/applications/authenticate-by-keys.ts'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { CallerOf, Permission } from '../../../domain/access.ts'
import type { ApplicationTokenProblem, ApplicationTokenRequest } from '../../../domain/application-token.ts'
import type { Invalid } from '../../../domain/field.ts'
import { type Field, isPresent } from '../../../domain/field.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { type FieldShape, formFields } from '../operation/fields.ts'
import { byToken, type Guard, type TokenFailure } from '../operation/guards.ts'
import { type ReadBody, utf8 } from '../request/body.ts'
import { bearerToken, type MalformedRequest, malformed, type Request } from '../request/request.ts'
import { toInvalidClient } from './errors.ts'

/** The parameters of client credentials. */
type KeyFields = Readonly<Record<KeyName, Field>>
type KeyName = 'client_id' | 'client_secret'

/**
 * The request may have API keys, which the use case validates. They come from `Authorization: Basic`, or from `client_id` and
 * `client_secret` in the form (RFC 6749 §2.3.1). Both together are malformed. Other schemes are ignored.
 */
export const SENT_KEYS: Guard<ApplicationTokenRequest, KeyFields> = {
  acceptsClientCredentials: true,
  failures: [],
  admit: ({ message }, readBody) =>
    pipe(
      readBody(message),
      TE.chainEitherKW((fields) => {
        if (message.headers.origin !== undefined && isPresent(fields.client_id))
          named.set(message, fields.client_id)
        return pipe(
          keysOf(message, fields),
          E.map((caller) => ({ caller, fields })),
        )
      }),
    ),
}

/** The `client_id` in the form of each request from a page: only its response depends on that. */
const named = new WeakMap<IncomingMessage, string>()

/** Returns the `client_id` in the form of a request from a page, once it was read. */
export const clientNamedIn = (message: IncomingMessage): string | undefined => named.get(message)

/** Returns the application that keys belong to. With the OpenID provider, a public client has none. */
export type AuthenticateClient = (
  context: RequestContext,
  keys: ApplicationTokenRequest,
) => TE.TaskEither<ClientAuthenticationFailure, Pick<Authenticated, 'application'>>

/** The request has valid API keys. */
export const byKeys = (
  authenticateApplication: AuthenticateClient,
): Guard<
  Pick<Authenticated, 'application'>,
  KeyFields,
  never,
  'InvalidClient' | 'Throttled' | 'StoreUnavailable'
> => ({
  ...SENT_KEYS,
  admit: (request, readBody) => admitByKeys(request, readBody, authenticateApplication),
})

/** The request has a token as for `byToken`, or valid API keys. The server checks a token before the form, and keys after it. */
export const byTokenOrKeys = <P extends Permission>(
  {
    authenticate,
    authenticateByKeys,
  }: Readonly<{ authenticate: Authenticate; authenticateByKeys: AuthenticateByKeys }>,
  permission: P,
): Guard<CallerOf<P>, KeyFields, TokenFailure, 'InvalidClient'> => {
  const token = byToken(authenticate, permission)
  return {
    ...token,
    acceptsClientCredentials: true,
    admit: (request, readBody) =>
      E.isLeft(bearerToken(request.message))
        ? admitByKeys(request, readBody, (context, keys) => authenticateByKeys(context, permission, keys))
        : pipe(
            token.admit(request, readBody),
            TE.filterOrElseW(
              ({ fields }) => !isPresent(fields.client_secret),
              () => TWO_CREDENTIALS,
            ),
          ),
  }
}

/** Reads the form and then validates its keys. Missing keys get the same response as invalid ones. */
const admitByKeys = <Caller, Refused extends Readonly<{ _tag: string }>, Fields extends KeyFields>(
  request: Request,
  readBody: ReadBody<Fields>,
  authenticateKeys: (
    context: RequestContext,
    keys: ApplicationTokenRequest,
  ) => TE.TaskEither<Refused | Invalid<ApplicationTokenProblem>, Caller>,
) =>
  pipe(
    SENT_KEYS.admit(request, readBody),
    TE.chainW(({ caller: keys, fields }) =>
      pipe(
        authenticateKeys(request.context, keys),
        TE.bimap(toInvalidClient, (caller) => ({ caller, fields })),
      ),
    ),
  )

/** A form with the parameters of client credentials. */
export const clientForm = <Name extends string>(
  shapes: Readonly<Record<Name, FieldShape>>,
  requiredName: NoInfer<Name>,
) => formFields<Name | KeyName>({ ...shapes, ...KEYS }, [requiredName])

const KEYS: Readonly<Record<KeyName, FieldShape>> = {
  client_id: {
    description: 'The public API key, with or without `pk_`.',
    example: EXAMPLE.publicApiKey,
  },
  client_secret: { description: 'The private API key.', example: EXAMPLE.privateApiKey, format: 'password' },
}

/** The form of introspection and revocation. The format of a token tells its kind, so the hint has no effect. */
export const TOKEN_FORM = clientForm(
  {
    token: { description: 'The token in question.', example: EXAMPLE.userToken },
    token_type_hint: { description: 'Accepted and ignored.', example: 'access_token' },
  },
  'token',
)

const keysOf = (
  request: IncomingMessage,
  { client_id: id, client_secret: secret }: KeyFields,
): E.Either<MalformedRequest, ApplicationTokenRequest> => {
  const basic = basicKeys(request)
  if (basic === undefined) return E.right({ publicApiKey: id && publicKeyOf(id), privateApiKey: secret })
  if (isPresent(secret)) return E.left(TWO_CREDENTIALS)
  if (basic === UNREADABLE_KEYS) return E.right(basic)
  // Some clients always send client_id (RFC 6749 §3.2.1).
  const publicApiKey = basic.publicApiKey && publicKeyOf(basic.publicApiKey)
  return isPresent(id) && publicKeyOf(id) !== publicApiKey
    ? E.left(ANOTHER_CLIENT)
    : E.right({ ...basic, publicApiKey })
}

/** The claim `client_id` has no `pk_`, so clients may omit it. */
const publicKeyOf = (clientId: string): string => (clientId.startsWith('pk_') ? clientId : `pk_${clientId}`)

/** RFC 6749 §2.3: a client must not use more than one method in a request. */
const TWO_CREDENTIALS = malformed('Send either Authorization or client_secret, not both.')

const ANOTHER_CLIENT = malformed('client_id differs from the one in Authorization.')

/**
 * The API keys of an `Authorization: Basic` header, with the scheme in any case (RFC 7617 §2), or undefined. Each key is form-encoded
 * (RFC 6749 §2.3.1). An ambiguous or malformed header counts as invalid keys.
 */
const basicKeys = (request: IncomingMessage): ApplicationTokenRequest | undefined => {
  const header = request.headers.authorization
  if (header === undefined || !/^basic(?: |$)/i.test(header)) return undefined
  return readKeys(BASE64.exec(header.slice('basic'.length))?.[1] ?? '') ?? UNREADABLE_KEYS
}

const BASE64 = /^ +([A-Za-z0-9+/]+={0,2}) *$/

const UNREADABLE_KEYS: ApplicationTokenRequest = { publicApiKey: '?', privateApiKey: '?' }

const readKeys = (base64: string): ApplicationTokenRequest | undefined => {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') !== base64) return undefined // not the canonical encoding
  try {
    const text = utf8.decode(bytes)
    const colon = text.indexOf(':') // the separator is the only unescaped one
    if (colon < 0) return undefined
    return { publicApiKey: unescaped(text.slice(0, colon)), privateApiKey: unescaped(text.slice(colon + 1)) }
  } catch {
    return undefined
  }
}

/** Throws on invalid escapes and invalid UTF-8. */
const unescaped = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '))

/** The value of a required parameter. An empty value counts as absent (RFC 6749 §3.1). */
export const required = (name: string, value: Field): E.Either<MalformedRequest, string> =>
  isPresent(value) ? E.right(value) : E.left(malformed(`${name} is missing or empty.`))
