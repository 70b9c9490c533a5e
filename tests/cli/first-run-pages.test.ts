import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { apiClient } from '../support/api-client.ts'
import { type ServingHere, workplace } from '../support/workplace.ts'

const secretOf = (key: string): string => key.trim().replace(/^.*:/, '')
const printedValue = ({ printed }: Pick<ServingHere, 'printed'>, name: string): string =>
  new RegExp(`${name} +(\\S+)`).exec(printed())?.[1] ?? ''

describe('the account pages of a first run', () => {
  const { folder, portcullis, serve, remove } = workplace()
  after(remove)
  const keyFile = join(folder, 'data', 'key-encryption-key')
  let server: ServingHere
  before(async () => {
    server = await serve('serve --first-run')
    await server.prints('-changed"')
  })

  it('have a key of their own beside the store, which only the owner may read', () => {
    expect(readFileSync(keyFile, 'utf8')).to.match(/^first-run-[0-9a-f]{6}:[0-9a-f]{64}\n$/)
    expect(statSync(keyFile).mode & 0o777).to.equal(0o600)
    expect(server.printed())
      .to.include(`${keyFile} is new`)
      .and.include('In production, keep it elsewhere, and set KEY_ENCRYPTION_KEY_FILE.')
      .and.not.include(secretOf(readFileSync(keyFile, 'utf8')))
  })

  it('let the first user sign in on the page that is printed', async () => {
    const [url = ''] = /http:\S+\/account\/sign-in/.exec(server.printed()) ?? []
    expect(url).to.equal(`${server.url}/account/sign-in`)
    const page = await fetch(url)
    const [, once = ''] = /name="once" value="([^"]+)"/.exec(await page.text()) ?? []
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: server.url },
      body: new URLSearchParams({
        once,
        email: printedValue(server, 'email'),
        password: printedValue(server, 'password'),
      }),
    })
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, '/account'])
    const [cookie = ''] = answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
    const account = await fetch(`${server.url}/account`, { headers: { cookie } })
    expect(await account.text()).to.include('owner@example.com')
  })

  it('print their mails, with links that work', async () => {
    const client = apiClient(server.url)
    const pair = {
      public_api_key: printedValue(server, 'public_api_key'),
      private_api_key: printedValue(server, 'private_api_key'),
    }
    const { token } = (await client.issueToken(pair)).body
    await client.close()
    const asked = await fetch(`${server.url}/api/v1/users/recovery/mail`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'owner@example.com', language: 'de' }),
    })
    expect(asked.status).to.equal(200)
    await server.prints('--- end of mail ---')
    const mail = server.printed().slice(server.printed().indexOf('--- mail ---'))
    expect(mail).to.include('To: owner@example.com\nSubject: Neues Passwort setzen\n')
    const [, link = ''] = /^(http:\S+\/account\/recovery\?token=\S+)$/m.exec(mail) ?? []
    expect(link.startsWith(`${server.url}/`)).to.equal(true)
    expect((await fetch(link)).status).to.equal(200)
    for (const page of ['register', 'forgotten'])
      expect((await fetch(`${server.url}/account/${page}`)).status, page).to.equal(200)
  })

  it('are no difference to doctor, which knows what is on', async () => {
    const created = await portcullis(
      'application create --name shop --require-aal2 --redirect-uri https://shop.example/callback',
    )
    expect(created.status, created.err).to.equal(0)
    expect(created.err).not.to.include('Warning')
    const here = { PUBLIC_URL: server.url }
    const seen = await portcullis('doctor', { environment: here })
    expect(seen.out)
      .to.match(/^ok +applications .*can get tokens\.$/m)
      .and.match(
        /^ok +servers .*, but its first run chose SECOND_FACTORS, ACCOUNT_PAGES, OPENID, MAIL_URL\.$/m,
      )
    const on = { ...here, ACCOUNT_PAGES: 'on', SECOND_FACTORS: 'on', OPENID: 'on' }
    const same = await portcullis('doctor', { environment: on })
    expect(same.out).to.match(/^ok +servers .*, but its first run chose PAGES_REGISTRATION, MAIL_URL\.$/m)
    const other = await portcullis('doctor', { environment: { ...on, PASSWORD_POLICY: 'nist' } })
    expect(other.out).to.match(/^WRONG +servers .*\), PASSWORD_POLICY is "contract" \(here "nist"\)\./m)
  })

  it('end with it, but each command and server on the store uses the key and says so', async () => {
    expect(await server.end()).to.equal(0)
    const SAID = `KEY_ENCRYPTION_KEY is not set, so the key in ${keyFile} is used.\n`
    const later = await serve()
    expect((await fetch(`${later.url}/account/sign-in`)).status).to.equal(404)
    await later.end()
    expect((await later.ended).err).to.equal(SAID)
    expect((await portcullis('application list')).err).to.equal(SAID)
    const { out } = await portcullis('doctor')
    expect(out)
      .to.match(/^ok +settings .*a thief of that folder has the store and its key/m)
      .and.match(/^ok +keys .*encrypted under first-run-/m)
  })

  it('come again with the same key, and name the page to sign in', async () => {
    const before = readFileSync(keyFile, 'utf8')
    const again = await serve('serve --first-run')
    await again.prints(`Users sign in on ${again.url}/account/sign-in`)
    expect(again.printed()).not.to.include('is new')
    expect(await again.end()).to.equal(0)
    expect(readFileSync(keyFile, 'utf8')).to.equal(before)
  })

  it('have a key that no copy of the store contains, and commands that copy it say so', async () => {
    const backup = await portcullis(`backup ${join(folder, 'backup.db')}`)
    expect(backup.err).to.include(`The key in ${keyFile} is not in this copy`)
    const secret = secretOf(readFileSync(keyFile, 'utf8'))
    expect(readFileSync(join(folder, 'backup.db'), 'latin1')).not.to.include(secret)
    mkdirSync(join(folder, 'other'))
    const copy = await portcullis(`store copy sqlite:${join(folder, 'other', 'copy.db')}`)
    expect(copy.err).to.include(`It needs the key in ${keyFile}, which was not copied.`)
  })

  for (const words of ['serve', 'serve --first-run'])
    it(`"${words}" refuses a store without its key, and says where the key is`, async () => {
      const DATABASE_URL = `sqlite:${join(folder, 'other', 'copy.db')}`
      const refused = await portcullis(words, { environment: { DATABASE_URL } })
      expect(refused.status).to.equal(78)
      expect(refused.err)
        .to.match(
          /encrypted under the key-encryption key first-run-[0-9a-f]{6}, and KEY_ENCRYPTION_KEY is not set/,
        )
        .and.include('into the file key-encryption-key beside the store. Copy that file too')
      expect(existsSync(join(folder, 'other', 'key-encryption-key'))).to.equal(false)
    })
})
