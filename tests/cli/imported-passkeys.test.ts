import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { httpClient } from '../support/http-client.ts'
import { bcryptRecord, importLine } from '../support/import-file.ts'
import { onSqlite } from '../support/one-store.ts'
import { newDesk, ORIGIN, PASSKEY_SETTINGS, passkeyDesk, RP_ID, SIGN_IN } from '../support/passkey-desk.ts'
import { SHARED_STORES } from '../support/stores.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'

const { KEY_ENCRYPTION_KEY = '' } = PASSKEY_SETTINGS
const ENVIRONMENT = { SECOND_FACTORS: 'on', PASSKEY_RP_ID: RP_ID, KEY_ENCRYPTION_KEY }
const ID = '0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60'

onSqlite('passkeys that are exported and imported', (stores) => {
  const { folder, portcullis, serve, remove } = stores.workplace()
  after(remove)

  /** Makes an application with origins on a store. */
  const shopAt = async (environment: Record<string, string>) => {
    const made = await portcullis('application create --name shop --json', { environment })
    await portcullis(`application set-passkey-origins shop ${ORIGIN}`, { environment })
    return JSON.parse(made.out)
  }
  /** A server on a store, and how to send requests to it. */
  const visit = async (environment: Record<string, string>, keys: object) => {
    const server = await serve('serve', environment)
    const { send, close } = httpClient(server.url)
    const applicationToken = async (): Promise<string> =>
      (await send({ method: 'POST', path: '/api/v1/auth/application/token', body: keys })).body.token
    return {
      running: { send, applicationToken },
      leave: async () => {
        await close()
        await server.end()
      },
    }
  }

  it('sign their user in on another store, as before', async () => {
    const device = await softwareAuthenticator()
    const shop = await shopAt(ENVIRONMENT)
    const fields = { id: ID, email_verified: true, password_hash: await bcryptRecord('a password') }
    writeFileSync(join(folder, 'users.jsonl'), importLine('ada@example.com', fields))
    expect((await portcullis('user import users.jsonl')).status).to.equal(0)
    const here = await visit(ENVIRONMENT, shop)
    try {
      const desk = passkeyDesk(here.running, device)
      const { body } = await desk.ask(SIGN_IN, { email: 'ada@example.com', password: 'a password' })
      expect((await desk.enrol(body.token, 'phone')).status).to.equal(201)
      expect((await desk.signIn(ID)).status).to.equal(200)
    } finally {
      await here.leave()
    }

    // Neither the key nor the relying party is needed.
    const exported = await portcullis('user export exported.jsonl')
    expect([exported.status, exported.err]).to.deep.equal([
      0,
      'The file contains every password record. Keep it secret, and delete it after use.\n',
    ])
    const text = readFileSync(join(folder, 'exported.jsonl'), 'utf8')
    const { passkeys } = JSON.parse(text)
    expect(passkeys).to.have.lengthOf(1)
    const [passkey] = passkeys
    expect(passkey).to.deep.equal({
      name: 'phone',
      credential_id: device.id,
      public_key: passkey.public_key,
      rp_id: RP_ID,
      counter: 1,
      verifies_user: true,
      backup_eligible: false,
      backed_up: false,
      transports: ['internal'],
    })

    const place = await SHARED_STORES.find(({ name }) => name !== stores.kind.name)?.layOut()
    if (place === undefined) throw new Error('there is no other store')
    try {
      const DATABASE_URL = place.url
      const keys = await shopAt({ ...ENVIRONMENT, DATABASE_URL })
      const imported = await portcullis('user import exported.jsonl --json', {
        environment: { DATABASE_URL },
      })
      expect(JSON.parse(imported.out)).to.deep.equal({ lines: 1, imported: 1, known: 0, bad: 0 })
      const there = await visit({ ...ENVIRONMENT, DATABASE_URL }, keys)
      try {
        const desk = passkeyDesk(there.running, device)
        const { status, body } = await desk.signIn(ID)
        expect([status, body.user_id, body.amr]).to.deep.equal([200, ID, ['pop', 'user', 'mfa']])
        const copied = await desk.signIn(ID, { counter: 1 })
        expect(copied.status, 'the counter goes on').to.equal(422)
        const { body: first } = await desk.ask(SIGN_IN, { email: 'ada@example.com', password: 'a password' })
        expect(first.second_factor.methods).to.deep.equal(['passkey'])
        const stranger = await newDesk(there.running)
        expect((await stranger.signIn(ID)).status).to.equal(422)
      } finally {
        await there.leave()
      }
      const doctor = await portcullis('doctor --json', { environment: { DATABASE_URL } })
      const checks: ReadonlyArray<{ name: string; ok: boolean }> = JSON.parse(doctor.out).checks
      for (const name of ['log', 'history'])
        expect(checks.find((check) => check.name === name)?.ok, name).to.equal(true)
    } finally {
      await place.remove()
    }

    const taken = importLine('eve@example.com', { email_verified: true, passkeys: [passkey] })
    const bad = [
      { ...passkey, rp_id: 'Example.com', counter: -1 },
      { ...passkey, public_key: 'oA' },
    ].map((one) => importLine('eve@example.com', { email_verified: true, passkeys: [one] }))
    const { status, err } = await portcullis('user import -', { input: [taken, ...bad].join('') })
    expect([status, err.split('\n').slice(0, 3)]).to.deep.equal([
      1,
      [
        'Line 1: "passkeys[0].credential_id" is already enrolled, or in a line before.',
        'Line 2: "passkeys[0].rp_id" must be a domain in lower case. "passkeys[0].counter" must be an integer from 0 to 4294967295.',
        'Line 3: "passkeys[0].public_key" must be a COSE key in base64url: P-256, Ed25519, or RSA of 2048 to 4096 bits.',
      ],
    ])
  }).timeout(60_000)
})
