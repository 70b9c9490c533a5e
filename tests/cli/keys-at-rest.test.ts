import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { contents } from '../sqlite/raw.ts'
import { apiClient } from '../support/api-client.ts'
import { eventually } from '../support/eventually.ts'
import { type ServingHere, workplace } from '../support/workplace.ts'

const KEY_ENCRYPTION_KEY = `2026:${'a'.repeat(32)}`

type Keys = ReadonlyArray<Readonly<{ kid: string; material: string }>>

/** The private part of a plain key. */
const secretOf = (material: string): Buffer =>
  material.startsWith('{')
    ? Buffer.from(JSON.parse(material).d, 'base64url')
    : Buffer.from(material.slice('k4.secret.'.length), 'base64url').subarray(0, 32)

/** Its forms in a file: the bytes, and the beginnings of their encodings. */
const spellingsOf = (secret: Buffer): ReadonlyArray<Buffer> => [
  secret,
  ...(['base64url', 'base64', 'hex'] as const).map((encoding) =>
    Buffer.from(secret.toString(encoding).slice(0, 40)),
  ),
]

describe('signing keys at rest', () => {
  const { folder, database, portcullis, serve, asProcess, remove } = workplace()
  const data = dirname(database)
  const backup = join(folder, 'backup.db')
  afterEach(() => rmSync(backup, { force: true }))
  after(remove)

  const stored = () => contents(database).keys as Keys

  /** The files that contain the secret of one of these plain keys, in any encoding. */
  const filesWith = (keys: Keys): ReadonlyArray<string> =>
    [...readdirSync(data).map((name) => join(data, name)), backup].filter((file) => {
      try {
        const bytes = readFileSync(file)
        return keys.some(({ material }) => spellingsOf(secretOf(material)).some((one) => bytes.includes(one)))
      } catch {
        return false // the back-up does not exist, or the file was just removed
      }
    })

  const backUp = async (): Promise<void> => {
    expect((await portcullis(`backup ${backup}`)).status).to.equal(0)
  }

  const areEncrypted = (): Promise<true> =>
    eventually('all are encrypted', async () =>
      stored().every(({ material }) => material.startsWith('wrapped.v1$2026$')) ? true : undefined,
    )

  /** Expects that no file contains a secret of the plain keys after the server has encrypted them. */
  const leavesNothing = async (server: ServingHere, plain: Keys): Promise<void> => {
    await areEncrypted()
    await backUp()
    expect(filesWith(plain)).not.to.include(backup)
    expect(await server.end()).to.equal(0)
    expect(readdirSync(data)).to.deep.equal(['portcullis.db'])
    expect(filesWith(plain)).to.deep.equal([])
  }

  it('are plain without a key-encryption key, also in a back-up', async () => {
    const server = await serve('serve')
    await backUp()
    const files = filesWith(stored())
    expect(files.some((file) => file.startsWith(database))).to.equal(true)
    expect(files).to.include(backup)
    for (const one of stored()) expect(filesWith([one])).to.include(backup)
    expect(await server.end()).to.equal(0)
  })

  it('leave no plain secret in a file after encryption, and earlier tokens stay valid', async () => {
    const plain = stored()
    expect(filesWith(plain)).to.deep.equal([database])
    const first = await serve('serve --first-run')
    await first.prints('-changed')
    const printed = (name: string) => new RegExp(`${name} +(\\S+)`).exec(first.printed())?.[1] ?? ''
    const before = apiClient(first.url)
    const pair = { public_api_key: printed('public_api_key'), private_api_key: printed('private_api_key') }
    const application = (await before.issueToken(pair)).body.token
    const { body } = await before.signIn(application, printed('email'), printed('password'))
    await before.close()
    expect(await first.end()).to.equal(0)

    const environment = { KEY_ENCRYPTION_KEY, PUBLIC_URL: first.url }
    const server = await serve('serve', environment)
    await areEncrypted()
    await eventually('no plain secret beside a running server', async () =>
      filesWith(plain).length === 0 ? true : undefined,
    )
    const after = apiClient(server.url)
    expect(await after.profileStatus(body.token)).to.equal(200)
    expect(await after.signInStatus(application)).to.equal(422)
    await after.close()
    await leavesNothing(server, plain)
  })

  it('leave no plain secret after a kill, once the next server has stopped', async () => {
    for (const file of readdirSync(data)) rmSync(join(data, file))
    const first = await asProcess.serve()
    const plain = stored()
    await first.end('SIGKILL')
    expect(filesWith(plain)).to.include(`${database}-wal`)
    await leavesNothing(await serve('serve', { KEY_ENCRYPTION_KEY }), plain)
  })

  it('are never plain in a store that started with a key-encryption key, also after rotations', async () => {
    for (const file of readdirSync(data)) rmSync(join(data, file))
    const server = await serve('serve', { KEY_ENCRYPTION_KEY })
    const environment = { KEY_ENCRYPTION_KEY }
    expect((await portcullis('keys rotate', { environment })).status).to.equal(0)
    expect((await portcullis('keys rotate --leaked', { environment })).status).to.equal(0)
    await backUp()
    const files = [...readdirSync(data).map((name) => join(data, name)), backup]
    for (const file of files) {
      const text = readFileSync(file, 'latin1')
      for (const plain of ['k4.secret.', '"OKP"', '"d":']) expect(text, file).not.to.include(plain)
    }
    expect(files.map((file) => readFileSync(file, 'latin1')).join()).to.include('wrapped.v1$2026$')
    expect(await server.end()).to.equal(0)
  })
})
