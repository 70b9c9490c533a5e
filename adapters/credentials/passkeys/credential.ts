import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'

/** A credential as browsers write it: `PublicKeyCredential.toJSON()` of WebAuthn Level 3 §5.1, with its client data. */
export type Credential<Answer> = Readonly<{
  /** In canonical base64url. */
  id: string
  answer: Answer
  challenge: string
  /** The origin of the page, as the client wrote it. */
  origin: string
  /** The page is in a frame of another origin. */
  isFramed: boolean
}>

/** `attestationObject` is in base64url, and its bytes are not decoded yet. */
export type Attestation = Readonly<{
  clientDataJSON: string
  attestationObject: string
  transports: ReadonlyArray<unknown>
}>

export type Assertion = Readonly<{
  clientDataJSON: string
  authenticatorData: string
  signature: string
  userHandle: string | undefined
}>

/** More than any authenticator writes: the largest of the common ones have 2,000 characters. */
const MAX_LENGTH = 16_384
const MAX_ID_BYTES = 1023

/** Bytes in base64url. Each sequence of bytes has one text. */
const Base64Url = new t.Type<string>(
  'Base64Url',
  t.string.is,
  (value, context) =>
    typeof value === 'string' && isCanonical(value) ? t.success(value) : t.failure(value, context),
  t.identity,
)

/** The same, and some libraries of apps pad it. The padding is dropped. */
const PaddedBase64Url = new t.Type<string>(
  'PaddedBase64Url',
  t.string.is,
  (value, context) =>
    pipe(
      t.string.validate(value, context),
      E.chain((text) => Base64Url.validate(withoutPadding(text), context)),
    ),
  t.identity,
)

const withoutPadding = (text: string): string => (text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text)

const isCanonical = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text

const credentialOf = <Response extends t.Mixed>(response: Response) =>
  t.type({ id: PaddedBase64Url, rawId: PaddedBase64Url, type: t.literal('public-key'), response })

const AttestationJson = credentialOf(
  t.intersection([
    t.type({ clientDataJSON: PaddedBase64Url, attestationObject: PaddedBase64Url }),
    t.partial({ transports: t.union([t.UnknownArray, t.null]) }),
  ]),
)

const AssertionJson = credentialOf(
  t.intersection([
    t.type({
      clientDataJSON: PaddedBase64Url,
      authenticatorData: PaddedBase64Url,
      signature: PaddedBase64Url,
    }),
    t.partial({ userHandle: t.union([PaddedBase64Url, t.null]) }),
  ]),
)

/** Of an answer in a frame of another origin, `crossOrigin` is true, and some browsers name the `topOrigin`. */
const ClientData = t.intersection([
  t.type({ challenge: Base64Url, origin: t.string }),
  t.partial({ crossOrigin: t.union([t.boolean, t.null]), topOrigin: t.unknown }),
])

/** Reads a registration. Undefined for every other text. */
export const readAttestation = (text: string): Credential<Attestation> | undefined => {
  const read = decoded(AttestationJson, text)
  if (read === undefined) return undefined
  const { clientDataJSON, attestationObject, transports } = read.response
  return withClientData(read, { clientDataJSON, attestationObject, transports: transports ?? [] })
}

/** Reads an assertion. Undefined for every other text. */
export const readAssertion = (text: string): Credential<Assertion> | undefined => {
  const read = decoded(AssertionJson, text)
  if (read === undefined) return undefined
  const { clientDataJSON, authenticatorData, signature, userHandle } = read.response
  return withClientData(read, {
    clientDataJSON,
    authenticatorData,
    signature,
    userHandle: userHandle || undefined, // some browsers write '' for none
  })
}

const withClientData = <Answer extends Readonly<{ clientDataJSON: string }>>(
  { id, rawId }: Readonly<{ id: string; rawId: string }>,
  answer: Answer,
): Credential<Answer> | undefined => {
  const bytes = Buffer.from(answer.clientDataJSON, 'base64url')
  const data = decoded(ClientData, bytes.toString())
  const length = Buffer.from(id, 'base64url').length
  return data === undefined || id !== rawId || length === 0 || length > MAX_ID_BYTES
    ? undefined
    : {
        id,
        answer,
        challenge: data.challenge,
        origin: data.origin,
        isFramed: data.crossOrigin === true || (data.topOrigin ?? null) !== null,
      }
}

const decoded = <Codec extends t.Mixed>(codec: Codec, text: string): t.TypeOf<Codec> | undefined => {
  if (text.length > MAX_LENGTH) return undefined
  const read = pipe(
    E.tryCatch((): unknown => JSON.parse(text), String),
    E.chainW(codec.decode),
  )
  return E.isRight(read) ? read.right : undefined
}
