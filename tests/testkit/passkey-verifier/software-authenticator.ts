import { base64url } from '../token-format/web-crypto.ts'
import { type Cbor, cbor, joined } from './cbor.ts'
import { type PasskeyAlgorithm, passkeyKeys, sha256 } from './passkey-keys.ts'

/** An authenticator with one passkey, for tests: it answers like a browser with a security key. */
export type SoftwareAuthenticator = Readonly<{
  /** The credential id, in base64url. */
  id: string
  /** Returns the JSON text of `navigator.credentials.create(…).toJSON()`. */
  create: (ceremony: Ceremony, how?: Registering) => Promise<string>
  /** Returns the JSON text of `navigator.credentials.get(…).toJSON()`. Each one counts the signature counter up. */
  get: (ceremony: Ceremony, how?: Asserting) => Promise<string>
}>

/** The challenge and the RP ID are of the options that the service made. `origin` is of the page. */
export type Ceremony = Readonly<{ challenge: string; rpId: string; origin: string }>

/** User present, user verified, backup eligible, backed up (WebAuthn Level 3 §6.1), attested credential data. */
export type AuthenticatorFlag = 'up' | 'uv' | 'be' | 'bs' | 'at'

export type Registering = Readonly<{
  flags?: ReadonlyArray<AuthenticatorFlag>
  format?: string
  /** The attestation statement; by default that of `none`, or of `packed` signed by the passkey itself. */
  statement?: ReadonlyMap<string, Cbor>
  /** Replaces members of the client data. */
  client?: object
  /** Replaces the public key. */
  publicKey?: ReadonlyMap<number, Cbor>
  transports?: ReadonlyArray<string>
}>

export type Asserting = Readonly<{
  flags?: ReadonlyArray<AuthenticatorFlag>
  client?: object
  /** In base64url. */
  userHandle?: string
  /** The signature counter, instead of one more than before. */
  counter?: number
}>

const FLAGS: Readonly<Record<AuthenticatorFlag, number>> = { up: 1, uv: 4, be: 8, bs: 16, at: 64 }

/**
 * @param flags of each answer, unless it names its own; `['up', 'uv']` by default
 * @param counter of the registration. With `'none'` the authenticator has no counter, as synced passkeys
 */
export const softwareAuthenticator = async ({
  algorithm = 'ES256',
  id = crypto.getRandomValues(new Uint8Array(32)),
  flags: usual = ['up', 'uv'],
  counter = 0,
}: Readonly<{
  algorithm?: PasskeyAlgorithm
  id?: Uint8Array
  flags?: ReadonlyArray<AuthenticatorFlag>
  counter?: number | 'none'
}> = {}): Promise<SoftwareAuthenticator> => {
  const keys = await passkeyKeys(algorithm)
  let count = counter === 'none' ? 0 : counter

  const dataOf = async (
    rpId: string,
    flags: ReadonlyArray<AuthenticatorFlag>,
    attested: Uint8Array = new Uint8Array(),
  ) => {
    const tail = new DataView(new ArrayBuffer(5))
    tail.setUint8(
      0,
      flags.reduce((all, flag) => all | FLAGS[flag], 0),
    )
    tail.setUint32(1, count)
    return joined(await sha256(rpId), new Uint8Array(tail.buffer), attested)
  }
  const clientOf = (type: string, { challenge, origin }: Ceremony, client: object = {}) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...client }))
  const signatureOf = async (data: Uint8Array, client: Uint8Array) =>
    keys.sign(joined(data, await sha256(client)))
  const credential = (response: object) =>
    JSON.stringify({
      id: base64url(id),
      rawId: base64url(id),
      type: 'public-key',
      clientExtensionResults: {},
      response,
    })

  return {
    id: base64url(id),

    create: async (ceremony, { format = 'none', transports = ['internal'], ...how } = {}) => {
      const { flags = [...usual, 'at'], publicKey = keys.cose } = how
      const length = Uint8Array.of(id.length >> 8, id.length & 255)
      const attested = joined(new Uint8Array(16), length, id, cbor(publicKey))
      const data = await dataOf(ceremony.rpId, flags, flags.includes('at') ? attested : undefined)
      const client = clientOf('webauthn.create', ceremony, how.client)
      const own: ReadonlyArray<readonly [string, Cbor]> =
        format === 'packed'
          ? [
              ['alg', keys.algorithm],
              ['sig', await signatureOf(data, client)],
            ]
          : []
      const attestation = new Map<string, Cbor>([
        ['fmt', format],
        ['attStmt', how.statement ?? new Map(own)],
        ['authData', data],
      ])
      return credential({
        clientDataJSON: base64url(client),
        attestationObject: base64url(cbor(attestation)),
        transports,
      })
    },

    get: async (ceremony, { flags = usual, client: replaced, userHandle, counter: given } = {}) => {
      count = given ?? (counter === 'none' ? 0 : count + 1)
      const data = await dataOf(ceremony.rpId, flags)
      const client = clientOf('webauthn.get', ceremony, replaced)
      return credential({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(await signatureOf(data, client)),
        ...(userHandle === undefined ? {} : { userHandle }),
      })
    },
  }
}
