import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { base32 } from '../../domain/base32.ts'
import { FACTOR_SETTINGS, totpAt } from '../support/factor-desk.ts'
import { httpClient } from '../support/http-client.ts'
import { bcryptRecord, importLine, importLines } from '../support/import-file.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import { startHere } from '../support/run-here.ts'
import { SECOND_STEP, SIGN_IN } from '../support/second-factor-service.ts'
import { SHARED_STORES } from '../support/stores.ts'

const { KEY_ENCRYPTION_KEY = '' } = FACTOR_SETTINGS
const WITH_KEY = { environment: { KEY_ENCRYPTION_KEY } }
const SECRETS = [20, 10, 64].map((length) => base32(new Uint8Array(length).fill(length)))
const [LONG = '', SHORT = '', LONGEST = ''] = SECRETS
const withApps = (email: string, totp: unknown, fields: object = {}) =>
  importLine(email, { email_verified: true, totp, ...fields })

/** What `doctor --json` says of one check. */
const okOf = (out: string, name: string): unknown =>
  JSON.parse(out).checks.find((check: { name: string }) => check.name === name)?.ok

onSqlite('authenticator apps that are imported', (stores) => {
  const { folder, portcullis, serve, entries, url, remove } = stores.workplace()
  after(remove)
  let shop = { public_api_key: '', private_api_key: '' }
  before(async () => {
    shop = JSON.parse((await portcullis('application create --name shop --json')).out)
  })

  /** Signs in with password and code at a server, and returns the status of each step. */
  const signIn = async (server: Readonly<{ url: string }>, keys: object, email: string, secret: string) => {
    const { send, close } = httpClient(server.url)
    const post = (path: string, body: object, token?: string) =>
      send({ method: 'POST', path, body, ...(token === undefined ? {} : { token }) })
    try {
      const { token } = (await post('/api/v1/auth/application/token', keys)).body
      const first = await post(SIGN_IN, { email, password: 'a password' }, token)
      const { token: waiting, methods } = first.body.second_factor
      const second = await post(SECOND_STEP, { token: waiting, totp: totpAt(secret, Date.now()) }, token)
      return { first: first.status, methods, second: second.status, amr: second.body.amr }
    } finally {
      await close()
    }
  }
  const SIGNED_IN = { first: 422, methods: ['totp'], second: 200, amr: ['pwd', 'otp', 'mfa'] }

  it('complete a sign-in, without SECOND_FACTORS, and come back on another store from an export', async () => {
    const password_hash = await bcryptRecord('a password')
    const file = [
      withApps('ada@example.com', [{ secret: LONG.toLowerCase() }, { secret: LONGEST, name: 'tablet' }], {
        password_hash,
      }),
      withApps('bob@example.com', [{ secret: `${SHORT}`, algorithm: 'SHA1', digits: 6, period: 30 }], {
        password_hash,
      }),
      importLine('eve@example.com'),
    ]
    writeFileSync(join(folder, 'users.jsonl'), file.join(''))
    const imported = await portcullis('user import users.jsonl --json', WITH_KEY)
    expect(imported).to.deep.equal({
      status: 0,
      out: `${JSON.stringify({ lines: 3, imported: 3, known: 0, bad: 0, short_secrets: 1 })}\n`,
      err: '1 secret of an authenticator app has fewer than 112 bits (SP 800-63B-4). They work. Ask these users to enrol the app again.\n',
    })
    expect(await entries('FactorImported')).to.have.lengthOf(3)
    const again = await portcullis('user import users.jsonl', WITH_KEY)
    expect([again.status, again.out]).to.deep.equal([
      0,
      'lines     3\nimported  0\nknown     3\nbad       0\n',
    ])
    const server = await serve('serve', WITH_KEY.environment)
    try {
      expect(await signIn(server, shop, 'ada@example.com', LONGEST)).to.deep.equal(SIGNED_IN)
      expect(await signIn(server, shop, 'bob@example.com', SHORT)).to.deep.equal(SIGNED_IN)
    } finally {
      await server.end()
    }

    const exported = await portcullis('user export exported.jsonl', WITH_KEY)
    expect([exported.status, exported.err]).to.deep.equal([
      0,
      'The file contains every password record, and the secrets of authenticator apps. Keep it secret, and delete it after use.\n',
    ])
    const text = readFileSync(join(folder, 'exported.jsonl'), 'utf8')
    expect(statSync(join(folder, 'exported.jsonl')).mode & 0o777).to.equal(0o600)
    expect(jsonLines(text).map(({ email, totp }) => [email, totp])).to.have.deep.members([
      [
        'ada@example.com',
        [
          { secret: LONG, name: 'Authenticator app' },
          { secret: LONGEST, name: 'tablet' },
        ],
      ],
      ['bob@example.com', [{ secret: SHORT, name: 'Authenticator app' }]],
      ['eve@example.com', undefined],
    ])

    const place = await SHARED_STORES.find(({ name }) => name !== stores.kind.name)?.layOut()
    if (place === undefined) throw new Error('there is no other store')
    try {
      const environment = { DATABASE_URL: place.url, KEY_ENCRYPTION_KEY: `new:${'another-key-'.repeat(4)}` }
      const there = (words: string) => portcullis(words, { environment })
      const keys = JSON.parse((await there('application create --name shop --json')).out)
      expect((await there('user import exported.jsonl')).out).to.include('imported       3\n')
      const other = await serve('serve', environment)
      try {
        expect(await signIn(other, keys, 'ada@example.com', LONG)).to.deep.equal(SIGNED_IN)
      } finally {
        await other.end()
      }
      expect((await there('user export again.jsonl')).status).to.equal(0)
      const names = ({ email, totp }: Record<string, unknown>) => [email, totp]
      const came = jsonLines(readFileSync(join(folder, 'again.jsonl'), 'utf8'))
      expect(came.map(names)).to.have.deep.members(jsonLines(text).map(names))
      for (const doctor of [await there('doctor --json'), await portcullis('doctor --json', WITH_KEY)])
        for (const name of ['log', 'history', 'factors']) expect(okOf(doctor.out, name), name).to.equal(true)
    } finally {
      await place.remove()
    }
  }).timeout(60_000)

  it('end the import without KEY_ENCRYPTION_KEY, before any line of a file', async () => {
    const lines = importLines(501) + withApps('zoe@example.com', [{ secret: LONG }])
    writeFileSync(join(folder, 'keyless.jsonl'), lines)
    const before = (await entries('UserImported')).length
    const ended = await portcullis('user import keyless.jsonl')
    expect(ended).to.include({ status: 78, out: '' })
    expect(ended.err).to.match(/Set KEY_ENCRYPTION_KEY .* Nothing was changed\.\n$/)
    expect(await entries('UserImported')).to.have.lengthOf(before)
    const piped = await portcullis('user import - --json', { input: lines })
    expect([piped.status, JSON.parse(piped.out).imported], 'it is read only once').to.deep.equal([78, 500])
  })

  it('end the export without their key, and leave neither a file nor an entry', async () => {
    const before = (await entries('UsersExported')).length
    const run = startHere('user export keyless-export.jsonl', {
      environment: { DATABASE_URL: url() },
      folder,
    })
    const { status, out, err } = await run.ended
    expect([status, out]).to.deep.equal([78, ''])
    expect(err).to.match(
      /^User [0-9a-f-]{36}: the secret of factor [0-9a-f-]{36} is encrypted under the key-encryption key 2026, and KEY_ENCRYPTION_KEY is not set\. Set .+: portcullis user reset-factors [0-9a-f-]{36}\. Nothing was changed\.\n$/,
    )
    expect(await entries('UsersExported')).to.have.lengthOf(before)
  })
})
