import { expect } from 'chai'
import { type ApiClient, apiClient, type KeyPair } from '../support/api-client.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import type { ServingHere } from '../support/workplace.ts'

type Application = KeyPair & Readonly<{ id: string }>

const A_DAY_MS = 24 * 3_600 * 1_000

onSqlite('portcullis application beside a running server', (stores) => {
  const { portcullis, serve, entries, remove } = stores.workplace()
  let server: ServingHere
  let api: ApiClient
  let shop: Application
  let desk: Application
  before(async () => {
    server = await serve()
    api = apiClient(server.url)
    // In sequence, because the list has this order.
    shop = await run('application create --name shop --json')
    desk = await run('application create --name desk --scope users:sign_in --json')
  })
  after(async () => {
    await api.close()
    expect(await server.end()).to.equal(0)
    remove()
  })

  const run = async (words: string) => {
    const { status, out, err } = await portcullis(words)
    expect([status, err]).to.deep.equal([0, ''])
    return JSON.parse(out)
  }
  const statusOf = async (keys: KeyPair) => (await api.issueToken(keys)).status
  const list = async () => jsonLines((await portcullis('application list --json')).out)

  it('list prints one line per application, without private keys', async () => {
    const described = (application: Application, name: string, scope: string) => ({
      id: application.id,
      name,
      scope,
      public_api_key: application.public_api_key,
      previous_until: null,
      revoked: false,
      required_assurance: 'aal1',
      require_verified_email: false,
      passkey_origins: [],
      redirect_uris: [],
      logout_uris: [],
      client: 'confidential',
      pkce: 'required',
    })
    const [{ out }, text] = await Promise.all([
      portcullis('application list --json'),
      portcullis('application list'),
    ])
    expect(jsonLines(out)).to.deep.equal([
      described(shop, 'shop', 'users:sign_in users:register'),
      described(desk, 'desk', 'users:sign_in'),
    ])
    expect(text).to.deep.equal({
      status: 0,
      out:
        `${shop.id}  shop  users:sign_in users:register  ${shop.public_api_key}  -  false  aal1  false  -  -  -  confidential  required\n` +
        `${desk.id}  desk  users:sign_in  ${desk.public_api_key}  -  false  aal1  false  -  -  -  confidential  required\n`,
      err: '',
    })
  })

  it('rotate makes a private key, and the old one works for a day', async () => {
    const before = Date.now()
    const rotated = await run(`application rotate ${shop.id} --json`)
    expect(Object.keys(rotated)).to.deep.equal(['id', 'public_api_key', 'private_api_key', 'previous_until'])
    expect(rotated).to.include({ id: shop.id, public_api_key: shop.public_api_key })
    expect(rotated.private_api_key)
      .to.match(/^sk_\w{49}$/)
      .and.not.equal(shop.private_api_key)
    expect(rotated.previous_until).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    expect(Date.parse(rotated.previous_until)).to.be.within(before - 1_000 + A_DAY_MS, Date.now() + A_DAY_MS)

    expect(await statusOf(shop)).to.equal(200)
    expect(await statusOf(rotated)).to.equal(200)
    const [noted, ...more] = await entries('ApplicationKeyRotated')
    expect(more).to.deep.equal([])
    expect(noted).to.deep.include({
      subject: { kind: 'application', id: shop.id },
      actor: { kind: 'operator' },
    })
    expect(noted?.data).to.include({ previous_until: rotated.previous_until })
    const issued = await entries('ApplicationTokenIssued')
    expect(issued.map(({ data }) => data.key_id)).to.deep.equal([
      noted?.data.previous_key_id,
      noted?.data.key_id,
    ])
    expect((await list())[0].previous_until).to.equal(rotated.previous_until)
  })

  it('rotate --overlap 0 revokes the old key at once, and prints the new one', async () => {
    const { token } = (await api.issueToken(desk)).body
    const { status, out, err } = await portcullis(`application rotate ${desk.id} --overlap 0`)
    expect(status).to.equal(0)
    expect(out).to.match(
      /^id {15}\S+\npublic_api_key {3}pk_\S+\nprivate_api_key {2}sk_\w{49}\nprevious_until {3}\S+Z\n$/,
    )
    expect(err).to.equal('Save the private key now. It is shown only once.\n')
    const private_api_key = /sk_\w+/.exec(out)?.[0] ?? ''
    expect(await statusOf(desk)).to.equal(401)
    expect(await statusOf({ ...desk, private_api_key })).to.equal(200)
    expect(await api.signInStatus(token), 'a token that was issued before').to.equal(422)
  })
})
