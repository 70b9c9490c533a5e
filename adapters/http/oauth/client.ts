import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationTokenRequest } from '../../../domain/application-token.ts'
import { type Field, isPresent } from '../../../domain/field.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import type { FieldShape } from '../operation/fields.ts'
import type { BodyFailure } from '../request/body.ts'
import { readForm } from '../request/form.ts'
import { type MalformedRequest, malformed } from '../request/request.ts'
import { basicKeys, UNREADABLE_KEYS } from './basic.ts'
import { formFields } from './form.ts'

/** A form and the API keys of the client that sent it. */
export type ClientForm<Name extends string> = Readonly<{
  keys: ApplicationTokenRequest
  form: Readonly<Record<Name, Field>>
}>

/**
 * Reads the named parameters and the API keys: from `Authorization: Basic`, or from `client_id` and `client_secret` in the form
 * (RFC 6749 §2.3.1). Both together are malformed. Other schemes are ignored.
 */
export const readClientForm = <Name extends string>(
  request: IncomingMessage,
  names: ReadonlyArray<Name | KeyName>,
): TE.TaskEither<BodyFailure, ClientForm<Name | KeyName>> =>
  pipe(
    readForm(request, names),
    TE.chainEitherKW((form) =>
      pipe(
        keysOf(request, form),
        E.map((keys) => ({ keys, form })),
      ),
    ),
  )

type KeyName = 'client_id' | 'client_secret'

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

const keysOf = (
  request: IncomingMessage,
  { client_id: id, client_secret: secret }: Readonly<Record<KeyName, Field>>,
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
export const TWO_CREDENTIALS = malformed('Send either Authorization or client_secret, not both.')

const ANOTHER_CLIENT = malformed('client_id differs from the one in Authorization.')

/** The value of a required parameter. An empty value counts as absent (RFC 6749 §3.1). */
export const required = (name: string, value: Field): E.Either<MalformedRequest, string> =>
  isPresent(value) ? E.right(value) : E.left(malformed(`${name} is missing or empty.`))
