import { expect } from 'chai'
import { EXIT } from '../../adapters/cli/exit.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import type { Ended } from '../support/command.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { runHere } from '../support/run-here.ts'

const SECRETS = { 2026: 'a'.repeat(32), 2027: 'b'.repeat(32) }
const OF_2026 = `2026:${SECRETS[2026]}`
const OF_2027 = `2027:${SECRETS[2027]}`
/** The id of one key with the secret of the other. */
const MIXED_UP = `2026:${SECRETS[2027]}`

type Check = Readonly<{ name: string; ok: boolean; detail: string }>

onSqlite('the command line with signing keys that are encrypted under 2026', (stores) => {
  const { url, withStore, portcullis, serve, remove } = stores.workplace()
  let kids: Readonly<{ application: string; user: string }>
  before(async () => {
    const server = await serve('serve', { KEY_ENCRYPTION_KEY: OF_2026 })
    expect(await server.end()).to.equal(0)
    const [application, user] = await stored()
    kids = { application: application?.kid ?? '', user: user?.kid ?? '' }
  })
  after(remove)

  /** The keys in use: for application tokens, then for user tokens. */
  const stored = async () => {
    const keys = await withStore((store) => succeed(store.listSigningKeys()))
    return KEY_PURPOSES.flatMap((purpose) => keys.filter((key) => key.purpose === purpose && !key.retired))
  }
  const keyEncryptionKeysInUse = async () => (await stored()).map(({ material }) => material.split('$')[1])

  /** Runs a command in this process, and expects no secret in its output. */
  const run = async (words: string, KEY_ENCRYPTION_KEY = ''): Promise<Ended> => {
    const ended = await runHere(words, { DATABASE_URL: url(), KEY_ENCRYPTION_KEY })
    for (const secret of [...Object.values(SECRETS), ...(await stored()).map(({ material }) => material)])
      expect(ended.out + ended.err).not.to.include(secret)
    return ended
  }
  const keysCheck = async (keyEncryptionKey = ''): Promise<Check | undefined> => {
    const { checks } = JSON.parse((await run('doctor --json', keyEncryptionKey)).out)
    return checks.find(({ name }: Check) => name === 'keys')
  }

  const NOT_SET = 'is encrypted under the key-encryption key 2026, and KEY_ENCRYPTION_KEY is not set'
  const LACKING = 'is encrypted under the key-encryption key 2026, and KEY_ENCRYPTION_KEY lacks 2026'
  const DAMAGED =
    'does not open under the key-encryption key 2026: KEY_ENCRYPTION_KEY has another secret under this id, or the store is damaged'
  const WITHOUT: ReadonlyArray<readonly [what: string, keyEncryptionKey: string, why: string]> = [
    ['none', '', NOT_SET],
    ['only another', OF_2027, LACKING],
    ['another secret under its id', MIXED_UP, DAMAGED],
  ]
  for (const [what, keyEncryptionKey, why] of WITHOUT) {
    it(`serve with ${what} exits with 78 and names the missing key-encryption key`, async () => {
      const environment = { KEY_ENCRYPTION_KEY: keyEncryptionKey }
      expect(await portcullis('serve', { environment })).to.deep.equal({
        status: EXIT.wrongSettings,
        out: '',
        err: `The signing keys cannot be read: signing key ${kids.application} ${why}.\n`,
      })
    })

    it(`doctor with ${what} fails and says what to do`, async () => {
      expect(await keysCheck(keyEncryptionKey)).to.deep.equal({
        name: 'keys',
        ok: false,
        detail: `signing key ${kids.application} ${why}; signing key ${kids.user} ${why}. Set KEY_ENCRYPTION_KEY to its earlier value. If that is lost, replace the keys: portcullis keys rotate --leaked`,
      })
    })

    it(`keys rotate with ${what} changes nothing and says why`, async () => {
      const before = await stored()
      expect(await run('keys rotate', keyEncryptionKey)).to.deep.equal({
        status: 1,
        out: '',
        err: `The signing keys cannot be read: signing key ${kids.application} ${why}. Nothing was changed.\n`,
      })
      expect(await stored()).to.deep.equal(before)
    })

    it(`keys list with ${what} lists the keys`, async () => {
      const { status, out } = await run('keys list --json', keyEncryptionKey)
      expect([status, ...jsonLines(out).map(({ kid }) => kid)]).to.deep.equal([
        0,
        kids.application,
        kids.user,
      ])
    })
  }

  it('doctor with 2026 passes', async () => {
    for (const keyEncryptionKey of [OF_2026, `${OF_2026} ${OF_2027}`]) {
      const detail = '2 sign and verify. They are encrypted under 2026.'
      expect(await keysCheck(keyEncryptionKey)).to.deep.equal({ name: 'keys', ok: true, detail })
    }
  })

  it('doctor with 2027 first says that they are not encrypted under it yet', async () => {
    expect(await keysCheck(`${OF_2027} ${OF_2026}`)).to.deep.equal({
      name: 'keys',
      ok: false,
      detail: `Not encrypted under 2027: ${kids.application}, ${kids.user}. Start a server with this KEY_ENCRYPTION_KEY: it encrypts them.`,
    })
  })

  it('keys rotate with 2026 encrypts the new keys', async () => {
    expect((await run('keys rotate --purpose user', OF_2026)).status).to.equal(0)
    expect(await keyEncryptionKeysInUse()).to.deep.equal(['2026', '2026', '2026'])
  })

  it('keys rotate --leaked warns of new keys under another key, or under none', async () => {
    for (const [keyEncryptionKey, id, warning] of [
      [OF_2027, '2027', 'Restart the server with the KEY_ENCRYPTION_KEY of this command'],
      ['', undefined, 'The old keys were encrypted, the new keys are not'],
    ] as const) {
      const { status, err } = await run('keys rotate --leaked', keyEncryptionKey)
      expect([status, err.includes(warning)]).to.deep.equal([0, true])
      expect(await keyEncryptionKeysInUse()).to.deep.equal([id, id])
    }
  })
})
