import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationTokenRequest } from '../../../../domain/application-token.ts'
import { type Field, isPresent } from '../../../../domain/field.ts'
import type { FieldShape } from '../operation/fields.ts'
import { SAMPLE } from '../operation/samples.ts'
import type { BodyRefused } from '../request/body.ts'
import { type MalformedRequest, malformed } from '../request/malformed.ts'
import { basicKeys, NOBODYS } from './basic.ts'
import { formFields, readForm } from './form.ts'

/** A form, and the API keys by which the client that sends it says who it is. */
export type ClientForm<Name extends string> = Readonly<{
  keys: ApplicationTokenRequest
  form: Readonly<Record<Name, Field>>
}>

/**
 * The parameters of these names, and the client's keys: from `Authorization: Basic` or from `client_id` and `client_secret` in
 * the form (RFC 6749 §2.3.1), never from both, for then it is not clear who asks. Another scheme says nothing of a client.
 */
export const readClientForm = <Name extends string>(
  request: IncomingMessage,
  names: ReadonlyArray<Name | KeyName>,
): TE.TaskEither<BodyRefused, ClientForm<Name | KeyName>> =>
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

/** The parameters of a form in which an application may say by its keys who it is. */
export const clientForm = <Name extends string>(
  shapes: Readonly<Record<Name, FieldShape>>,
  required: NoInfer<Name>,
) => formFields<Name | KeyName>({ ...shapes, ...KEYS }, [required])

const KEYS: Readonly<Record<KeyName, FieldShape>> = {
  client_id: {
    description: 'The public API key, or the id in it: what follows `pk_`.',
    example: SAMPLE.publicApiKey,
  },
  client_secret: { description: 'The private API key.', example: SAMPLE.privateApiKey, format: 'password' },
}

const keysOf = (
  request: IncomingMessage,
  { client_id: id, client_secret: secret }: Readonly<Record<KeyName, Field>>,
): E.Either<MalformedRequest, ApplicationTokenRequest> => {
  const basic = basicKeys(request)
  if (basic === undefined) return E.right({ publicApiKey: id && publicKeyOf(id), privateApiKey: secret })
  if (isPresent(secret)) return E.left(TWO_WAYS)
  if (basic === NOBODYS) return E.right(basic) // whoever else it names, nobody proves to be that
  // Some clients name themselves in the form whatever they do besides (RFC 6749 §3.2.1).
  const publicApiKey = basic.publicApiKey && publicKeyOf(basic.publicApiKey)
  return isPresent(id) && publicKeyOf(id) !== publicApiKey
    ? E.left(ANOTHER_CLIENT)
    : E.right({ ...basic, publicApiKey })
}

/** Tokens name an application by its id alone (`client_id`), so here that stands for its public key too. */
const publicKeyOf = (clientId: string): string => (clientId.startsWith('pk_') ? clientId : `pk_${clientId}`)

/** RFC 6749 §2.3: a client must not use more than one method in a request. */
export const TWO_WAYS = malformed('Authorization and client_secret are two ways to say who asks. Use one.')

const ANOTHER_CLIENT = malformed('client_id is not the one in Authorization.')

/** The value of a parameter that has to be there. One without a value counts as left out (RFC 6749 §3.1). */
export const needed = (name: string, value: Field): E.Either<MalformedRequest, string> =>
  isPresent(value) ? E.right(value) : E.left(malformed(`${name} is missing or empty.`))
