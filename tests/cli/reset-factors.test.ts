import { expect } from 'chai'
import { factorsFinding } from '../../adapters/cli/factors-finding.ts'
import { findingsOfTable } from '../../adapters/cli/table-finding.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { base32 } from '../../domain/base32.ts'
import { passkeyMaterial } from '../../domain/passkey.ts'
import { onSqlite } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { enrolUser, SECRET, userOf } from '../support/second-factors.ts'
import { aFactor, aUser, change, enrolled, registered } from '../testkit/builders.ts'

onSqlite('portcullis user reset-factors', (stores) => {
  const { portcullis, withStore, entries, remove } = stores.workplace()
  after(remove)

  it('removes the factors that user show lists, with the operator as actor', async () => {
    const created = await portcullis('user create --email ada@example.com --password-stdin --json', {
      input: 'x',
    })
    const { id } = JSON.parse(created.out)
    const factors = async () => JSON.parse((await portcullis('user show ada@example.com --json')).out).factors
    expect(await factors()).to.deep.equal([])
    expect((await portcullis('user show ada@example.com')).out).to.match(/^factors {2,}-$/m)
    const { app, codes } = await withStore((store) => enrolUser(store, id))
    expect(await factors()).to.deep.equal(['totp', 'recovery_codes'])
    expect((await portcullis('user show ada@example.com')).out).to.match(/^factors {2,}totp recovery_codes$/m)

    const reset = await portcullis('user reset-factors ADA@example.com --json')
    expect(reset).to.deep.equal({
      status: 0,
      out: `${JSON.stringify({ id, email: 'ada@example.com' })}\n`,
      err: '',
    })
    expect(await factors()).to.deep.equal([])
    const again = await portcullis(`user reset-factors ${id}`)
    expect([again.status, again.err]).to.deep.equal([
      0,
      'The user has no second factor, and all sessions have ended.\n',
    ])
    const [first, second] = await entries('FactorsReset')
    expect(first).to.deep.include({ subject: { kind: 'user', id }, actor: { kind: 'operator' } })
    expect(first?.data.factor_ids).to.have.members([app.id, codes.id])
    expect(second?.data.factor_ids).to.deep.equal([])
    const unknown = await portcullis('user reset-factors nobody@example.com')
    expect([unknown.status, unknown.err]).to.deep.equal([
      1,
      'No user has this e-mail or id. See: portcullis user list\n',
    ])
  })
})

onSqlite('applications that hold users:recover and users:reset_factors', (stores) => {
  const { portcullis, remove } = stores.workplace()
  const warning =
    'can take over any account, with or without a second factor (users:recover and users:reset_factors). Use separate applications for these scopes.'
  after(remove)

  it('are warned of when they are created, and by doctor', async () => {
    const create = (scope: string) =>
      portcullis([...'application create --name support --json --scope'.split(' '), scope])
    expect((await create('users:reset_factors')).err).to.equal('')
    expect((await create('users:recover')).err).to.equal('')
    const mixed = await create('users:recover users:reset_factors')
    expect([mixed.status, mixed.err]).to.deep.equal([0, `Warning: support ${warning}\n`])
    const { checks } = JSON.parse((await portcullis('doctor --json')).out)
    const found = checks.find(({ name }: { name: string }) => name === 'applications')
    expect(found).to.deep.include({
      ok: true,
      detail: `3 can get tokens. Warning: support (${JSON.parse(mixed.out).id}) ${warning}`,
    })
  })
})

describe('the check of factors by doctor', () => {
  const key = (id: string, letter: string) => ({ id, secret: letter.repeat(32) })
  const [old, current, lost] = [key('2026', 'a'), key('2027', 'b'), key('2025', 'c')]

  const findingsFor = async (...keys: ReadonlyArray<{ id: string; secret: string }>) => {
    const store = memoryStore()
    for (const one of keys) {
      const user = aUser()
      await succeed(store.commit(change(registered(user))))
      const materialOf = (kid: string) => aesKeyWrapping([one]).wrap(base32(SECRET), { kid, purpose: 'totp' })
      await enrolUser(store, user.id, { materialOf })
    }
    return found(store)
  }
  const found = (store: Store, passkeyRpId?: string) =>
    findingsOfTable(
      store,
      factorsFinding({
        keyWrapping: aesKeyWrapping([current, old]),
        digests: nodeDigests,
        settings: { passkeyRpId, identityProvidersFile: undefined },
      }),
    )

  it('says nothing without factors', async () => {
    expect(await findingsFor()).to.deep.equal([])
  })

  it('counts secrets under an earlier key, which are no error', async () => {
    expect(await findingsFor(current, old, old)).to.deep.equal([
      {
        name: 'factors',
        ok: true,
        detail:
          '3 secrets of authenticator apps. 2 are not encrypted under the first key. A service that starts encrypts them again. Until then, keep the earlier key in KEY_ENCRYPTION_KEY.',
      },
    ])
  })

  it('counts passkeys that were made for another domain', async () => {
    const store = memoryStore()
    const user = aUser()
    await succeed(store.commit(change(registered(user))))
    const factors = ['example.com', 'example.org'].map((rpId) => {
      const material = passkeyMaterial({ credentialId: 'AQ', publicKey: 'pQEC', rpId })
      return aFactor({ userId: user.id, kind: 'passkey', material })
    })
    for (const factor of factors)
      await succeed(store.commit(change(enrolled(factor, await userOf(store, user.id)))))
    const details = async (rpId?: string) => (await found(store, rpId)).map(({ ok, detail }) => [ok, detail])
    const unused = (count: number, is: string) => [
      [
        true,
        `Passkeys: 2. ${count} cannot be used: they were made for another domain, and PASSKEY_RP_ID is ${is}. Set it as before. Otherwise their users sign in with recovery codes, or you run: portcullis user reset-factors`,
      ],
    ]
    expect(await details('example.com')).to.deep.equal(unused(1, 'example.com'))
    expect(await details()).to.deep.equal(unused(2, 'not set'))
  })

  it('counts secrets that cannot be decrypted, and names the key once', async () => {
    const [finding] = await findingsFor(current, lost, lost)
    expect(finding).to.deep.include({ name: 'factors', ok: false })
    expect(finding?.detail).to.match(
      /^3 secrets of authenticator apps\. 2 cannot be decrypted: .*2025.*\. Set KEY_ENCRYPTION_KEY to its earlier value\. .*portcullis user reset-factors$/,
    )
  })
})
