import type { ExpectedCeremony } from '../../../application/ports/passkey-verifier.ts'
import type { PasskeyCredential } from '../../../domain/passkey.ts'
import { base64url } from '../token-format/web-crypto.ts'
import type { Cbor } from './cbor.ts'
import {
  type Asserting,
  type Ceremony,
  type Registering,
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from './software-authenticator.ts'

export const challengeOf = (text: string): string => base64url(text.padEnd(32, '.'))

export const CEREMONY: Ceremony = {
  challenge: challengeOf('this one'),
  rpId: 'example.com',
  origin: 'https://shop.example.com',
}
export const EXPECTED: ExpectedCeremony = {
  challenge: CEREMONY.challenge,
  rpId: CEREMONY.rpId,
  origins: [CEREMONY.origin],
  requiresUserVerification: true,
}
/** 16 bytes. */
export const USER_HANDLE = 'AZDypcS4fRGhssPU5fYHGA'

/** An answer that must be refused, and what of the expectation or of the stored credential differs. */
export type Refused = (device: SoftwareAuthenticator) => Promise<
  Readonly<{
    text: string
    expected?: Partial<ExpectedCeremony>
    credential?: Partial<PasskeyCredential>
  }>
>

const EVIL = 'https://evil.example'

/** What both ceremonies refuse. */
const CEREMONIES: ReadonlyArray<readonly [string, Partial<Ceremony>, object?]> = [
  ['of another challenge', { challenge: challengeOf('another one') }],
  ['of another origin', { origin: EVIL }],
  ['of a sibling of the origin', { origin: 'https://blog.example.com' }],
  ['of an origin above it', { origin: 'https://example.com' }],
  ['over plain HTTP', { origin: 'http://shop.example.com' }],
  ['of another port', { origin: 'https://shop.example.com:444' }],
  ['of another RP ID', { rpId: 'evil.example' }],
  ['in a frame of another origin', {}, { crossOrigin: true }],
  ['in a frame that tells its top origin', {}, { crossOrigin: true, topOrigin: EVIL }],
  ['with a top origin and no frame', {}, { topOrigin: EVIL }],
  ['with a challenge in another encoding', {}, { challenge: `${CEREMONY.challenge}=` }],
  ['with a challenge that is no text', {}, { challenge: 7 }],
]

const creating =
  (how: Registering, ceremony: Partial<Ceremony> = {}): Refused =>
  async (device) => ({ text: await device.create({ ...CEREMONY, ...ceremony }, how) })

const getting =
  (how: Asserting, ceremony: Partial<Ceremony> = {}): Refused =>
  async (device) => ({ text: await device.get({ ...CEREMONY, ...ceremony }, how) })

/** Replaces members of the JSON. */
const altered =
  (answer: Refused, alter: (id: string) => object): Refused =>
  async (device) => ({
    text: JSON.stringify({ ...JSON.parse((await answer(device)).text), ...alter(device.id) }),
  })

/** The same bytes with a bit set that no byte has: 32 bytes fill 42 characters and four bits of the next one. */
const inAnotherEncoding = (id: string): string =>
  `${id.slice(0, -1)}${BASE64URL.charAt(BASE64URL.indexOf(id.slice(-1)) + 1)}`
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const ids = (answer: Refused): ReadonlyArray<readonly [string, Refused]> => [
  ['whose ids differ', altered(answer, () => ({ rawId: USER_HANDLE }))],
  [
    'with an id in another encoding',
    altered(answer, (id) => ({ id: inAnotherEncoding(id), rawId: inAnotherEncoding(id) })),
  ],
  ['under another id', altered(answer, () => ({ id: USER_HANDLE, rawId: USER_HANDLE }))],
  ['of another type', altered(answer, () => ({ type: 'password' }))],
]

const statement = (...members: ReadonlyArray<readonly [string, Cbor]>): ReadonlyMap<string, Cbor> =>
  new Map(members)
const CERTIFICATE = new Uint8Array(300).fill(48)
const SIGNATURE = new Uint8Array(70).fill(48)
const WITH_CERTIFICATE = statement(['alg', -7], ['sig', SIGNATURE], ['x5c', [CERTIFICATE]])

export const REFUSED_REGISTRATIONS: ReadonlyArray<readonly [string, Refused]> = [
  ...CEREMONIES.map(([what, ceremony, client = {}]) => [what, creating({ client }, ceremony)] as const),
  ...ids(creating({})),
  ['without the presence of the user', creating({ flags: ['uv', 'at'] })],
  ['without the verification of the user that is required', creating({ flags: ['up', 'at'] })],
  ['that is backed up, and may not be', creating({ flags: ['up', 'uv', 'bs', 'at'] })],
  ['without a credential', creating({ flags: ['up', 'uv'] })],
  ['with the client data of an assertion', creating({ client: { type: 'webauthn.get' } })],
  ['that is an assertion', getting({})],
  ['with a statement of the attestation none', creating({ statement: statement(['alg', -7]) })],
  ['with an attestation by a certificate', creating({ format: 'packed', statement: WITH_CERTIFICATE })],
  [
    'with an attestation by another key',
    creating({ format: 'packed', statement: statement(['alg', -7], ['sig', SIGNATURE]) }),
  ],
  ...['apple', 'android-key', 'android-safetynet', 'fido-u2f', 'tpm', 'compound'].map(
    (format) =>
      [`with the attestation ${format}`, creating({ format, statement: WITH_CERTIFICATE })] as const,
  ),
]

export const REFUSED_ASSERTIONS: ReadonlyArray<readonly [string, Refused]> = [
  ...CEREMONIES.map(([what, ceremony, client = {}]) => [what, getting({ client }, ceremony)] as const),
  ...ids(getting({})),
  ['without the presence of the user', getting({ flags: ['uv'] })],
  ['without the verification of the user that is required', getting({ flags: ['up'] })],
  ['that is backed up, and may not be', getting({ flags: ['up', 'uv', 'bs'] })],
  ['with the client data of a registration', getting({ client: { type: 'webauthn.create' } })],
  ['that is a registration', creating({})],
  ['of another passkey', async () => ({ text: await (await softwareAuthenticator()).get(CEREMONY) })],
  [
    'of another passkey with the same id',
    async ({ id }) => {
      const thief = await softwareAuthenticator({ id: Uint8Array.from(Buffer.from(id, 'base64url')) })
      return { text: await thief.get(CEREMONY) }
    },
  ],
  [
    'of a passkey that was made for another RP ID',
    async (device) => ({ text: await device.get(CEREMONY), credential: { rpId: 'evil.example' } }),
  ],
  ['with a user handle in another encoding', getting({ userHandle: `${USER_HANDLE}=` })],
]
