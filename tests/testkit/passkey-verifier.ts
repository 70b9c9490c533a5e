import assert from 'node:assert/strict'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type {
  ExpectedCeremony,
  InvalidPasskey,
  PasskeyVerifier,
} from '../../application/ports/passkey-verifier.ts'
import { ok } from './outcome.ts'
import { damaged } from './passkey-verifier/damage.ts'
import { ODD_KEYS } from './passkey-verifier/odd-keys.ts'
import type { PasskeyAlgorithm } from './passkey-verifier/passkey-keys.ts'
import {
  CEREMONY,
  challengeOf,
  EXPECTED,
  REFUSED_ASSERTIONS,
  REFUSED_REGISTRATIONS,
  type Refused,
  USER_HANDLE,
} from './passkey-verifier/refused.ts'
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from './passkey-verifier/software-authenticator.ts'
import type { Runner } from './runner.ts'

/** Opens a verifier. The suite calls `close` at the end of a case. */
export type OpenPasskeyVerifier = () => Promise<OpenedPasskeyVerifier>
export type OpenedPasskeyVerifier = Readonly<{ verifier: PasskeyVerifier; close?: () => Promise<void> }>

/** The contract suite of `PasskeyVerifier`. Software authenticators make all answers. */
export const passkeyVerifierContract = ({ it }: Runner, open: OpenPasskeyVerifier): void => {
  const check = (name: string, body: (verifier: PasskeyVerifier) => Promise<void>) =>
    it(name, async () => {
      const { verifier, close } = await open()
      try {
        await body(verifier)
      } finally {
        await close?.()
      }
    })

  for (const algorithm of ALGORITHMS)
    for (const format of ['none', 'packed'])
      check(`verifies ${algorithm} with the attestation ${format}`, async (verifier) => {
        const device = await softwareAuthenticator({ algorithm })
        const text = await device.create(CEREMONY, { format, transports: ['usb', 'nfc', 'wire'] })
        const made = await ok(verifier.verifyRegistration(text, EXPECTED))
        const { publicKey, ...told } = made
        assert.match(publicKey, /^[\w-]+$/)
        assert.deepEqual(told, {
          credentialId: device.id,
          rpId: CEREMONY.rpId,
          transports: ['nfc', 'usb'],
          ...STATE,
        })
        const answer = await device.get(CEREMONY, { userHandle: USER_HANDLE })
        assert.deepEqual(
          await verifier.verifyAssertion(answer, made, EXPECTED)(),
          right({ ...STATE, counter: 1, userHandle: some(USER_HANDLE) }),
        )
      })

  for (const [what, flags, state] of [
    ['no user verification', ['up'], { ...STATE, verifiesUser: false }],
    ['a passkey that may be synced', ['up', 'uv', 'be'], { ...STATE, backupEligible: true }],
    ['a synced passkey', ['up', 'uv', 'be', 'bs'], { ...STATE, backupEligible: true, backedUp: true }],
  ] as const)
    check(`tells of ${what}`, async (verifier) => {
      const device = await softwareAuthenticator({ flags, counter: 'none' })
      const made = await registered(verifier, device)
      assert.deepEqual(made, { ...made, ...state })
      const expected = { ...EXPECTED, requiresUserVerification: false }
      assert.deepEqual(
        await verifier.verifyAssertion(await device.get(CEREMONY), made, expected)(),
        right({ ...state, userHandle: none }),
      )
    })

  check('passes any counter', async (verifier) => {
    const device = await softwareAuthenticator({ counter: 500 })
    const made = await registered(verifier, device)
    assert.equal(made.counter, 500)
    for (const counter of [501, 501, 2, 0, 4_294_967_295]) {
      const answer = await device.get(CEREMONY, { counter })
      const { counter: told } = await ok(verifier.verifyAssertion(answer, made, EXPECTED))
      assert.equal(told, counter)
    }
  })

  check('accepts each of several origins', async (verifier) => {
    const origins = ['https://one.example.com', 'https://example.com:8443']
    for (const origin of origins) {
      const device = await softwareAuthenticator()
      const expected = { ...EXPECTED, origins }
      const text = await device.create({ ...CEREMONY, origin })
      const made = await ok(verifier.verifyRegistration(text, expected))
      await ok(verifier.verifyAssertion(await device.get({ ...CEREMONY, origin }), made, expected))
    }
  })

  check('accepts credential ids of 1 and of 1,023 bytes, and no longer ones', async (verifier) => {
    for (const [bytes, isAccepted] of [
      [1, true],
      [1023, true],
      [1024, false],
    ] as const) {
      const device = await softwareAuthenticator({ id: new Uint8Array(bytes).fill(7) })
      const verified = await verifier.verifyRegistration(await device.create(CEREMONY), EXPECTED)()
      assert.equal(isRight(verified), isAccepted)
    }
  })

  check('accepts answers with padding, and with null for absent members', async (verifier) => {
    const device = await softwareAuthenticator()
    const client = { crossOrigin: null, topOrigin: null }
    const made = await ok(
      verifier.verifyRegistration(
        withMembers(await device.create(CEREMONY, { client }), padded, { transports: null }),
        EXPECTED,
      ),
    )
    assert.deepEqual([made.credentialId, made.transports], [device.id, []])
    const answer = withMembers(await device.get(CEREMONY, { client, userHandle: USER_HANDLE }), padded)
    assert.deepEqual(verifier.credentialIdOf(answer), some(device.id))
    const { userHandle } = await ok(verifier.verifyAssertion(answer, made, EXPECTED))
    assert.deepEqual(userHandle, some(USER_HANDLE))
  })

  check('tells a wrong origin, and names it', async (verifier) => {
    const device = await softwareAuthenticator()
    const made = await registered(verifier, device)
    const origin = 'https://evil.example/\u202e'
    const told = async (ceremony: object, client: object) => [
      await verifier.verifyRegistration(
        await device.create({ ...CEREMONY, ...ceremony }, { client }),
        EXPECTED,
      )(),
      await verifier.verifyAssertion(
        await device.get({ ...CEREMONY, ...ceremony }, { client }),
        made,
        EXPECTED,
      )(),
    ]
    const wrong = { _tag: 'InvalidPasskey', reason: 'wrong_origin' } as const
    for (const outcome of await told({ origin }, {}))
      assert.deepEqual(outcome, left({ ...wrong, received: origin, isFramed: false }))
    for (const client of [{ crossOrigin: true }, { topOrigin: 'https://evil.example' }])
      for (const outcome of await told({}, client))
        assert.deepEqual(outcome, left({ ...wrong, received: CEREMONY.origin, isFramed: true }))
  })

  check('tells that the user was not verified', async (verifier) => {
    const device = await softwareAuthenticator({ flags: ['up'] })
    const made = await registered(verifier, device)
    const answer = await device.get(CEREMONY)
    const unverified = left({ _tag: 'InvalidPasskey', reason: 'user_not_verified' })
    assert.deepEqual(await verifier.verifyRegistration(await device.create(CEREMONY), EXPECTED)(), unverified)
    assert.deepEqual(await verifier.verifyAssertion(answer, made, EXPECTED)(), unverified)
    const thief = await softwareAuthenticator({
      id: Uint8Array.from(Buffer.from(device.id, 'base64url')),
      flags: ['up'],
    })
    const forged = await verifier.verifyAssertion(await thief.get(CEREMONY), made, EXPECTED)()
    assert.deepEqual(forged, left({ _tag: 'InvalidPasskey', reason: 'invalid_credential' }))
  })

  const refuses = (what: string, prepare: Refused, verify: Verify) =>
    check(`refuses ${what}`, async (verifier) => {
      const device = await softwareAuthenticator()
      const made = await registered(verifier, device)
      const { text, expected = {}, credential = {} } = await prepare(device)
      await isInvalid(verify(verifier, text, { ...EXPECTED, ...expected }, { ...made, ...credential }))
    })
  for (const [what, prepare] of REFUSED_REGISTRATIONS)
    refuses(`a registration ${what}`, prepare, (verifier, text, expected) =>
      verifier.verifyRegistration(text, expected),
    )
  for (const [what, prepare] of REFUSED_ASSERTIONS)
    refuses(`an assertion ${what}`, prepare, (verifier, text, expected, credential) =>
      verifier.verifyAssertion(text, credential, expected),
    )

  for (const [what, publicKey] of ODD_KEYS)
    check(`refuses a public key: ${what}`, async (verifier) => {
      const device = await softwareAuthenticator()
      await isInvalid(verifier.verifyRegistration(await device.create(CEREMONY, { publicKey }), EXPECTED))
    })

  check('reads the credential id and the challenge of an answer and of a registration', async (verifier) => {
    const device = await softwareAuthenticator()
    const challenge = challengeOf('another')
    const answer = await device.get({ ...CEREMONY, challenge, origin: 'https://evil.example' })
    assert.deepEqual(verifier.credentialIdOf(answer), some(device.id))
    assert.deepEqual(verifier.challengeOf(answer), some(challenge))
    const registration = await device.create({ ...CEREMONY, challenge })
    assert.deepEqual(verifier.credentialIdOf(registration), some(device.id))
    assert.deepEqual(verifier.challengeOf(registration), some(challenge))
  })

  for (const [what, text] of NO_CREDENTIALS)
    check(`reads nothing of ${what}, and refuses it`, async (verifier) => {
      const made = await registered(verifier, await softwareAuthenticator())
      assert.deepEqual([verifier.credentialIdOf(text), verifier.challengeOf(text)], [none, none])
      await isInvalid(verifier.verifyRegistration(text, EXPECTED))
      await isInvalid(verifier.verifyAssertion(text, made, EXPECTED))
    })

  check('refuses 3,000 damaged answers without an exception', async (verifier) => {
    const device = await softwareAuthenticator()
    const made = await registered(verifier, device)
    const [registration, answer] = [
      await device.create(CEREMONY, { format: 'packed' }),
      await device.get(CEREMONY),
    ]
    for (let index = 0; index < 1_500; index += 1) {
      await isInvalid(verifier.verifyRegistration(damaged(registration, index), EXPECTED))
      await isInvalid(verifier.verifyAssertion(damaged(answer, index), made, EXPECTED))
    }
  })
}

type Verify = (
  verifier: PasskeyVerifier,
  text: string,
  expected: ExpectedCeremony,
  credential: Awaited<ReturnType<typeof registered>>,
) => TaskEither<InvalidPasskey, unknown>

const ALGORITHMS: ReadonlyArray<PasskeyAlgorithm> = ['ES256', 'EdDSA', 'RS256']

/** What a device says that verified its user, before its first use. */
const STATE = { counter: 0, verifiesUser: true, backupEligible: false, backedUp: false }

export const NO_CREDENTIALS = [
  ['an empty text', ''],
  ['a text that is no JSON', '{'],
  ['JSON of another form', '{"id":"AAAA","rawId":"AAAA","type":"public-key","response":[]}'],
  ['a text of a megabyte', `{"id":"${'A'.repeat(1_000_000)}"}`],
  ['deep JSON', `${'['.repeat(8_000)}${']'.repeat(8_000)}`],
] as const

/** The same answer, with each text of its response and its ids changed. */
const withMembers = (text: string, change: (member: string) => string, more: object = {}): string => {
  const { response, ...credential } = JSON.parse(text)
  const changed = Object.entries(response).map(([name, value]) => [
    name,
    typeof value === 'string' ? change(value) : value,
  ])
  return JSON.stringify({
    ...credential,
    id: change(credential.id),
    rawId: change(credential.rawId),
    response: { ...Object.fromEntries(changed), ...more },
  })
}

const padded = (member: string): string => member.padEnd(Math.ceil(member.length / 4) * 4, '=')

const registered = async (verifier: PasskeyVerifier, device: SoftwareAuthenticator) =>
  ok(
    verifier.verifyRegistration(await device.create(CEREMONY), {
      ...EXPECTED,
      requiresUserVerification: false,
    }),
  )

/** The reason contains no part of an answer, which may be a secret. */
const isInvalid = async (outcome: TaskEither<InvalidPasskey, unknown>): Promise<void> => {
  const verified = await outcome()
  if (isRight(verified)) assert.fail('accepted')
  assert.equal(verified.left._tag, 'InvalidPasskey')
  const { reason } = verified.left
  assert.ok(['invalid_credential', 'wrong_origin', 'user_not_verified'].includes(reason))
}
