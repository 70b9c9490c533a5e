import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import { loadPasskeyVerifier } from '../../adapters/credentials/passkeys/verifier.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { Store } from '../../application/ports/store.ts'
import {
  passkeyFlags,
  passkeyId,
  passkeyMaterial,
  passkeySubject,
  userHandleOf,
} from '../../domain/passkey.ts'
import { processWorkplace } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { PASSKEY_SETTINGS, RP_ID } from '../support/passkey-desk.ts'
import { enrolUser, userOf } from '../support/second-factors.ts'
import { aFactor, change, enrolled } from '../testkit/builders.ts'
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '../testkit/passkey-verifier/software-authenticator.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, ENVIRONMENT, entriesAfter } from './stage.ts'

const CYCLES = Number(process.env.FAULT_CYCLES ?? 10)
const CODES = Array.from({ length: 5_000 }, (_, index) => `code ${index} of Ada`)
const ADA = { email: 'ada@example.com', password: 'correct horse' }

/** A proof that was sent, and its session if the answer arrived. */
type SentProof = Readonly<{ proof: Proof; session: string | undefined }>
type Proof = Readonly<{ code: string } | { credential: string }>

const ORIGIN = 'https://shop.example.com'
const SETTINGS = { ...ENVIRONMENT, ...PASSKEY_SETTINGS }

/** Enrols a passkey for a user directly in the store. */
const enrolPasskey = async (store: Store, userId: string, device: SoftwareAuthenticator): Promise<void> => {
  const { verifyRegistration } = await loadPasskeyVerifier()
  const made = await device.create({ challenge: 'AAAA', rpId: RP_ID, origin: ORIGIN })
  const expected = { challenge: 'AAAA', rpId: RP_ID, origins: [ORIGIN], requiresUserVerification: true }
  const registered = await succeed(verifyRegistration(made, expected))
  const factor = aFactor({
    id: passkeyId(nodeDigests.sha256(passkeySubject(device.id))),
    userId,
    kind: 'passkey',
    material: passkeyMaterial(registered),
    flags: passkeyFlags(registered),
    mark: 0,
    counter: 0,
  })
  await succeed(store.commit(change(enrolled(factor, await userOf(store, userId)))))
}

describe('a server that is killed during second steps and sign-ins with passkeys', function () {
  this.timeout(300_000)
  this.slow(120_000)
  const place = processWorkplace()
  after(place.remove)

  const portcullis: typeof place.portcullis = (words, how) =>
    place.portcullis(words, { ...how, environment: { ...how?.environment, ...PASSKEY_SETTINGS } })
  const json = async (words: string, input = '') => {
    const { status, out, err } = await portcullis(words, { input })
    expect(status, err).to.equal(0)
    return JSON.parse(out)
  }

  it(`${CYCLES} times loses no acknowledged session, accepts no code and no passkey twice, and writes no half of a sign-in`, async () => {
    const dice = chance(seedOfThisRun())
    const keys = await json(`application create --name shop --passkey-origin ${ORIGIN} --json`)
    const { id } = await json(`user create --email ${ADA.email} --password-stdin --json`, ADA.password)
    const store = sqliteStore(place.database)
    const [one = '', other = '', ...rest] = CODES
    await enrolUser(store, id, { recoveryCodes: [one, other, ...rest] })
    const device = await softwareAuthenticator()
    await enrolPasskey(store, id, device)
    await store.close()
    const unsent = [...CODES]
    const sent: Array<SentProof> = []
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      const server = await place.serve('serve', SETTINGS)
      const { send, close } = httpClient(`http://127.0.0.1:${server.port}`)
      const post = async (path: string, token: string, body: object) =>
        (await send({ method: 'POST', path: `/api/v1/auth/${path}`, token, body })).body
      const { public_api_key, private_api_key } = keys
      const { token } = await post('application/token', '', { public_api_key, private_api_key })
      const complete = async (code: string) => {
        const { second_factor } = await post('user/token', token, ADA)
        return post('user/second_factor', token, { token: second_factor.token, recovery_code: code })
      }
      const signIn = (credential: string) => post('user/passkey/complete', token, { credential })
      const use = (proof: Proof) => ('code' in proof ? complete(proof.code) : signIn(proof.credential))
      const answer = async (): Promise<Proof> => {
        const { options } = await post('user/passkey', token, {})
        const ceremony = { challenge: options.challenge, rpId: options.rpId, origin: ORIGIN }
        return { credential: await device.get(ceremony, { userHandle: userHandleOf(id) }) }
      }
      // What was acknowledged before the last crash.
      const acknowledged = sent.filter(({ session }) => session !== undefined).slice(-20)
      for (const { proof, session } of acknowledged) {
        const profile = await send({ method: 'GET', path: '/api/v1/profile', token: session ?? '' })
        expect(profile.status).to.equal(200)
        expect((await use(proof)).errors[0].code).to.equal('code' in proof ? 5 : 2)
      }
      let isOver = false
      const line = (next: () => Promise<Proof>) => async (): Promise<void> => {
        while (!isOver) {
          const proof = await next().catch(() => undefined)
          if (proof === undefined) continue
          const body = await use(proof).catch(() => undefined)
          sent.push({ proof, session: body?.token })
        }
      }
      const codes = line(async () => ({ code: unsent.pop() ?? '' }))
      const lines = [codes, codes, codes, line(answer)].map((run) => run())
      await passes(dice.below(400) + 100)
      await server.end('SIGKILL')
      isOver = true
      await Promise.all(lines)
      await close()
    }
    expect(sent.filter(({ session }) => session !== undefined)).to.have.lengthOf.above(CYCLES)
    const entries = await entriesAfter(place, 0)
    const used = entries.filter(({ type }) => type === 'FactorUsed')
    expect(used).to.have.lengthOf.at.least(sent.filter(({ session }) => session !== undefined).length)
    expect(used).to.have.lengthOf.at.most(sent.length)
    // Each use stands beside the session that it opened.
    for (const { position } of used)
      expect(entries.find((entry) => entry.position === position + 1)?.type).to.equal('UserSignedIn')
    expect(entries.filter(({ type }) => type === 'UserSignedIn')).to.have.lengthOf(used.length)
    await agree({ portcullis })
  })
})
