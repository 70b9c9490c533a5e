import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { withRaw } from '../sqlite/raw.ts'
import { workplace } from '../support/command.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { runHere } from '../support/run-here.ts'
import { startService } from '../support/running-service.ts'

type Key = Readonly<{ kid: string; purpose: string; material: string }>

/** What may befall the material of a key, with another key of its kind at hand. */
const DAMAGES: ReadonlyArray<readonly [what: string, spoil: (key: string, other: string) => string]> = [
  ['cut short', (key) => key.slice(0, -20)],
  ['of another kind', (key) => (key.startsWith('{') ? 'k4.secret.AAAA' : '{"kty":"OKP"}')],
  ['half another key’s', (key, other) => halfOf(key, other)],
  ['all another key’s', (_, other) => other],
]

/** The secret of one key beside the public half of another. */
const halfOf = (key: string, other: string): string => {
  if (key.startsWith('{')) return JSON.stringify({ ...JSON.parse(key), d: JSON.parse(other).d })
  const bytes = (material: string) => Buffer.from(material.slice('k4.secret.'.length), 'base64url')
  const mixed = Buffer.concat([bytes(other).subarray(0, 32), bytes(key).subarray(32)])
  return `k4.secret.${mixed.toString('base64url')}`
}

describe('what portcullis doctor says of signing keys', () => {
  const { folder, remove } = workplace()
  const original = join(folder, 'original.db')
  const others = join(folder, 'others.db')
  before(async () => {
    for (const path of [original, others])
      await startService({ DATABASE_URL: `sqlite:${path}` }).then(({ stop }) => stop())
  })
  after(remove)

  const keysOf = (path: string) =>
    withRaw(path, (db) => db.prepare('SELECT kid, purpose, material FROM keys').all() as ReadonlyArray<Key>)
  const keyOf = (path: string, purpose: string): Key => {
    const key = keysOf(path).find((one) => one.purpose === purpose)
    if (key === undefined) throw new Error('there is no key')
    return key
  }
  const environmentOf = (path: string) => ({ ...DEFAULT_COST, DATABASE_URL: `sqlite:${path}` })
  const ask = async (path: string) => {
    const { status, out, err } = await runHere('doctor --json', environmentOf(path))
    const checks: ReadonlyArray<{ name: string; ok: boolean; detail: string }> = JSON.parse(out).checks
    return { status, said: out + err, wrong: checks.filter(({ ok }) => !ok), checks }
  }

  it('each of them signs and verifies', async () => {
    const { status, checks } = await ask(original)
    expect(status).to.equal(0)
    expect(checks).to.deep.include({
      name: 'keys',
      ok: true,
      detail: '2 sign and verify, and are not encrypted.',
    })
  })

  for (const purpose of ['application', 'user']) {
    for (const [what, spoil] of DAMAGES) {
      it(`the ${purpose} key is ${what}: it is named, no secret is, and a leaked one’s rotation mends it`, async () => {
        const path = join(folder, `${purpose}-${what.replaceAll(' ', '-')}.db`)
        copyFileSync(original, path)
        const { kid, material } = keyOf(path, purpose)
        const spoiled = spoil(material, keyOf(others, purpose).material)
        withRaw(path, (db) => db.prepare('UPDATE keys SET material = ? WHERE kid = ?').run(spoiled, kid))

        const { status, said, wrong } = await ask(path)
        expect(status).to.equal(1)
        expect(wrong).to.deep.equal([
          {
            name: 'keys',
            ok: false,
            detail: `${kid} cannot sign. Make others: portcullis keys rotate --leaked`,
          },
        ])
        for (const text of [material, spoiled])
          for (const [secret] of text.matchAll(/[\w-]{20,}/g)) expect(said).to.not.include(secret)

        expect((await runHere('keys rotate --leaked', environmentOf(path))).status).to.equal(0)
        expect((await ask(path)).wrong).to.deep.equal([])
      })
    }
  }
})
