import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type {
  ExpectedCeremony,
  InvalidPasskey,
  PasskeyVerifier,
} from '../../../application/ports/passkey-verifier.ts'
import { ODD_KEYS } from '../../testkit/passkey-verifier/odd-keys.ts'
import { CEREMONY, EXPECTED, USER_HANDLE } from '../../testkit/passkey-verifier/refused.ts'
import { NO_CREDENTIALS } from '../../testkit/passkey-verifier.ts'
import type { PortMutation } from './port-mutations.ts'

type Row = PortMutation<PasskeyVerifier>

/** What a careless verifier could overlook, as the answer shows it. */
type Answer = Readonly<{
  credential: { id: string; rawId: string; type: string; response: Record<string, string> }
  client: { type: string; challenge: unknown; origin: string; crossOrigin?: boolean; topOrigin?: string }
  /** The flags of the authenticator data. */
  flags: number
  format: string
  expected: ExpectedCeremony
}>

const answerIn = (text: string, expected: ExpectedCeremony): Answer | undefined => {
  try {
    const credential = JSON.parse(text)
    const { clientDataJSON, authenticatorData, attestationObject = '' } = credential.response
    const attestation = Buffer.from(attestationObject, 'base64url')
    const data =
      authenticatorData === undefined
        ? attestation.subarray(attestation.indexOf('authData') + 10)
        : Buffer.from(authenticatorData, 'base64url')
    const isLong = authenticatorData === undefined && data.length > 256
    return {
      credential,
      client: JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()),
      flags: data[isLong ? 33 : 32] ?? 0,
      format: attestation.toString('latin1'),
      expected,
    }
  } catch {
    return undefined
  }
}

const STATE = { counter: 0, verifiesUser: true, backupEligible: false, backedUp: false }
const ACCEPTED = async () => right({ ...STATE, userHandle: none })
const REGISTERED = async () =>
  right({ ...STATE, credentialId: 'AA', publicKey: 'AA', rpId: CEREMONY.rpId, transports: [] })

type Sees = (answer: Answer) => boolean

/** A verifier that accepts the answers that it should refuse for this reason. */
const overlooks =
  (ceremony: 'registration' | 'assertion', sees: Sees) =>
  (good: PasskeyVerifier): Partial<PasskeyVerifier> => {
    const isOverlooked = (text: string, expected: ExpectedCeremony) => {
      const answer = answerIn(text, expected)
      return answer !== undefined && sees(answer)
    }
    return ceremony === 'registration'
      ? {
          verifyRegistration: (text, expected) =>
            isOverlooked(text, expected) ? REGISTERED : good.verifyRegistration(text, expected),
        }
      : {
          verifyAssertion: (text, credential, expected) =>
            isOverlooked(text, expected) ? ACCEPTED : good.verifyAssertion(text, credential, expected),
        }
  }

const lacks =
  (flag: number): Sees =>
  ({ flags }) =>
    (flags & flag) === 0

/** What each case refuses, in both ceremonies. */
const OF_BOTH: Readonly<Record<string, Sees>> = {
  'of another challenge': ({ client, expected }) => client.challenge !== expected.challenge,
  'of another origin': ({ client }) => client.origin === 'https://evil.example',
  'of a sibling of the origin': ({ client }) => client.origin.endsWith('.example.com'),
  'of an origin above it': ({ client }) => client.origin === 'https://example.com',
  'over plain HTTP': ({ client }) => client.origin.startsWith('http:'),
  'of another port': ({ client }) => client.origin.endsWith(':444'),
  'of another RP ID': () => true,
  'in a frame of another origin': ({ client }) => client.crossOrigin === true,
  'in a frame that tells its top origin': ({ client }) => client.topOrigin !== undefined,
  'with a top origin and no frame': ({ client }) => client.crossOrigin === false && 'topOrigin' in client,
  'with a challenge in another encoding': ({ client }) => String(client.challenge).endsWith('='),
  'with a challenge that is no text': ({ client }) => typeof client.challenge === 'number',
  'whose ids differ': ({ credential: { id, rawId } }) => id !== rawId,
  'with an id in another encoding': ({ credential: { id } }) =>
    Buffer.from(id, 'base64url').toString('base64url') !== id,
  'under another id': ({ credential: { id } }) => id === USER_HANDLE,
  'of another type': ({ credential: { type } }) => type === 'password',
  'without the presence of the user': lacks(1),
  'without the verification of the user that is required': (answer) =>
    answer.expected.requiresUserVerification && lacks(4)(answer),
  'that is backed up, and may not be': ({ flags }) => (flags & 24) === 16,
}

const OF_REGISTRATIONS: Readonly<Record<string, Sees>> = {
  ...OF_BOTH,
  'without a credential': lacks(64),
  'with the client data of an assertion': ({ client }) => client.type === 'webauthn.get',
  'that is an assertion': ({ credential: { response } }) => 'signature' in response,
  'with a statement of the attestation none': ({ format }) => /none.*alg/s.test(format),
  'with an attestation by a certificate': ({ format }) => /packed.*x5c/s.test(format),
  'with an attestation by another key': ({ format }) => /packed.*sig/s.test(format),
  ...Object.fromEntries(
    ['apple', 'android-key', 'android-safetynet', 'fido-u2f', 'tpm', 'compound'].map(
      (name): [string, Sees] => [`with the attestation ${name}`, ({ format }) => format.includes(name)],
    ),
  ),
}

const OF_ASSERTIONS: Readonly<Record<string, Sees>> = {
  ...OF_BOTH,
  'with the client data of a registration': ({ client }) => client.type === 'webauthn.create',
  'that is a registration': ({ credential: { response } }) => 'attestationObject' in response,
  'of another passkey': () => true,
  'of another passkey with the same id': () => true,
  'with a user handle in another encoding': ({ credential: { response } }) =>
    response.userHandle?.endsWith('=') === true,
}

const rowsOf = (
  ceremony: 'registration' | 'assertion',
  article: string,
  all: Readonly<Record<string, Sees>>,
): ReadonlyArray<Row> =>
  Object.entries(all).map(
    ([what, sees]): Row => [
      `accepts ${article} ${ceremony} ${what}`,
      overlooks(ceremony, sees),
      `refuses ${article} ${ceremony} ${what}`,
    ],
  )

const COUNTER = 'passes any counter'
const READS = 'reads the credential id and the challenge of an answer and of a registration'
const VERIFIES = ['ES256', 'EdDSA', 'RS256'].flatMap((algorithm) =>
  ['none', 'packed'].map((format) => `verifies ${algorithm} with the attestation ${format}`),
)
const invalid = (reason: string) => async () => left({ _tag: 'InvalidPasskey', reason } as InvalidPasskey)

const told =
  (change: Partial<typeof STATE>) =>
  (good: PasskeyVerifier): Partial<PasskeyVerifier> => ({
    verifyAssertion: (text, credential, expected) => async () => {
      const outcome = await good.verifyAssertion(text, credential, expected)()
      return outcome._tag === 'Left' ? outcome : right({ ...outcome.right, ...change })
    },
  })

/** Refuses the same assertions, for another reason. */
const refusing =
  (reason: (told: InvalidPasskey, text: string) => InvalidPasskey) =>
  (good: PasskeyVerifier): Partial<PasskeyVerifier> => ({
    verifyAssertion: (text, credential, expected) => async () => {
      const outcome = await good.verifyAssertion(text, credential, expected)()
      return outcome._tag === 'Left' ? left(reason(outcome.left, text)) : outcome
    },
  })

export const PASSKEY_VERIFIER_MUTATIONS: ReadonlyArray<Row> = [
  ...rowsOf('registration', 'a', OF_REGISTRATIONS),
  ...rowsOf('assertion', 'an', OF_ASSERTIONS),
  ...ODD_KEYS.map(
    ([what]): Row => [
      `accepts a public key: ${what}`,
      () => ({ verifyRegistration: () => REGISTERED }),
      `refuses a public key: ${what}`,
    ],
  ),
  [
    'accepts a passkey of any RP ID',
    (good) => ({
      verifyAssertion: (text, credential, expected) =>
        good.verifyAssertion(text, { ...credential, rpId: expected.rpId }, expected),
    }),
    'refuses an assertion of a passkey that was made for another RP ID',
  ],
  ...VERIFIES.map(
    (name): Row => [
      `does not keep: ${name}`,
      () => ({ verifyRegistration: () => invalid('no algorithm passes') }),
      name,
    ],
  ),
  ['never tells of user verification', told({ verifiesUser: true }), 'tells of no user verification'],
  ['never tells of a synced one', told({ backupEligible: false }), 'tells of a passkey that may be synced'],
  ['never tells of a backup', told({ backedUp: false }), 'tells of a synced passkey'],
  ['tells of no counter', told({ counter: 0 }), COUNTER],
  [
    'takes the first origin only',
    (good) => ({
      verifyRegistration: (text, expected) =>
        good.verifyRegistration(text, { ...expected, origins: expected.origins.slice(0, 1) }),
    }),
    'accepts each of several origins',
  ],
  [
    'bounds no credential id',
    () => ({ verifyRegistration: () => REGISTERED }),
    'accepts credential ids of 1 and of 1,023 bytes, and no longer ones',
  ],
  ['reads the wrong challenge', () => ({ challengeOf: () => some(EXPECTED.challenge) }), READS],
  ...NO_CREDENTIALS.map(
    ([what, text]): Row => [
      `reads something of ${what}`,
      (good) => ({ challengeOf: (sent) => (sent === text ? some('') : good.challengeOf(sent)) }),
      `reads nothing of ${what}, and refuses it`,
    ],
  ),
  [
    'throws for damaged answers',
    (good) => ({
      verifyAssertion: (text, credential, expected) => async () => {
        const outcome = await good.verifyAssertion(text, credential, expected)()
        if (outcome._tag === 'Left') throw new Error('damaged')
        return outcome
      },
    }),
    'refuses 3,000 damaged answers without an exception',
  ],
  [
    'gives one reason for all',
    refusing(() => ({ _tag: 'InvalidPasskey', reason: 'invalid_credential' })),
    'tells a wrong origin, and names it',
    'tells that the user was not verified',
  ],
  [
    'refuses padding',
    (good) => ({
      verifyRegistration: (text, expected) =>
        /[^=]=+"/.test(text) ? invalid('invalid_credential') : good.verifyRegistration(text, expected),
    }),
    'accepts answers with padding, and with null for absent members',
  ],
]
