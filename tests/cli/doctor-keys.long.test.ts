import { createPrivateKey } from 'node:crypto'
import { expect } from 'chai'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { onSqlite, type StoreSettings } from '../support/one-store.ts'
import { runHere } from '../support/run-here.ts'
import { startService } from '../support/running-service.ts'

/** Damages of a key's material, given another key of the same kind. */
const DAMAGES: ReadonlyArray<readonly [what: string, spoil: (key: string, other: string) => string]> = [
  ['cut short', (key) => key.slice(0, -20)],
  ['of another kind', (key) => (key.startsWith('{') ? 'k4.secret.AAAA' : '{"kty":"OKP"}')],
  ['half from another key', (key, other) => halfOf(key, other)],
  ['from another key', (_, other) => other],
]

/** The private half of one key with the public half of another. */
const halfOf = (key: string, other: string): string => {
  if (key.startsWith('{')) return JSON.stringify({ ...JSON.parse(key), d: JSON.parse(other).d })
  if (!key.startsWith('k4.')) return rsaHalfOf(key, other)
  const bytes = (material: string) => Buffer.from(material.slice('k4.secret.'.length), 'base64url')
  const mixed = Buffer.concat([bytes(other).subarray(0, 32), bytes(key).subarray(32)])
  return `k4.secret.${mixed.toString('base64url')}`
}

const rsaHalfOf = (key: string, other: string): string => {
  const jwkOf = (material: string) =>
    createPrivateKey({
      key: Buffer.from(material, 'base64url'),
      format: 'der',
      type: 'pkcs8',
    }).export({ format: 'jwk' })
  const { n = '', e = '' } = jwkOf(key)
  return createPrivateKey({ key: { ...jwkOf(other), n, e }, format: 'jwk' })
    .export({ format: 'der', type: 'pkcs8' })
    .toString('base64url')
}

onSqlite('the check of signing keys by portcullis doctor', (stores) => {
  let original: StoreSettings
  let others: StoreSettings
  before(async () => {
    original = await stores.fresh()
    others = await stores.fresh()
    for (const store of [original, others]) {
      await startService({ ...store, USER_TOKEN_FORMAT: 'jwt' }).then(({ stop }) => stop())
      await runHere('keys rotate --purpose id_token', store)
    }
  })

  const keyOf = async ({ DATABASE_URL }: StoreSettings, purpose: string) => {
    const { keys } = await stores.kind.contents(DATABASE_URL)
    const key = keys.find((one) => one.purpose === purpose)
    if (key === undefined) throw new Error('there is no key')
    return { kid: String(key.kid), material: String(key.material) }
  }
  /** Ignores the check of hashing, because hashes are cheap by default here. */
  const ask = async (store: StoreSettings, cost = {}) => {
    const { status, out, err } = await runHere('doctor --json', { ...cost, ...store })
    const checks: ReadonlyArray<{ name: string; ok: boolean; detail: string }> = JSON.parse(out).checks
    const wrong = checks.filter(({ name, ok }) => !ok && name !== 'hashing')
    return { status, said: out + err, wrong, checks }
  }

  it('passes if each key signs and verifies', async () => {
    const { status, checks } = await ask(original, DEFAULT_COST)
    expect(status).to.equal(0)
    expect(checks).to.deep.include({
      name: 'keys',
      ok: true,
      detail: '4 sign and verify. They are not encrypted.',
    })
  })

  for (const purpose of KEY_PURPOSES) {
    for (const [what, spoil] of DAMAGES) {
      it(`names the ${purpose} key that is ${what}, without secrets, and passes after keys rotate --leaked`, async () => {
        const store = await stores.copyOf(original)
        const { kid, material } = await keyOf(store, purpose)
        const spoiled = spoil(material, (await keyOf(others, purpose)).material)
        const statement = `UPDATE keys SET material = '${spoiled}' WHERE kid = '${kid}'`
        await stores.kind.spoil(store.DATABASE_URL, statement)

        const { status, said, wrong } = await ask(store)
        expect(status).to.equal(1)
        expect(wrong).to.deep.equal([
          {
            name: 'keys',
            ok: false,
            detail: `Cannot sign: ${kid}. Replace these keys: portcullis keys rotate --leaked`,
          },
        ])
        for (const text of [material, spoiled])
          for (const [secret] of text.matchAll(/[\w-]{20,}/g)) expect(said).to.not.include(secret)

        expect((await runHere('keys rotate --leaked', store)).status).to.equal(0)
        expect((await ask(store)).wrong).to.deep.equal([])
      })
    }
  }
})
