import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { request } from 'undici'
import { apiClient } from '../support/api-client.ts'
import type { Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { httpClient } from '../support/http-client.ts'
import { jsonLines } from '../support/json-lines.ts'
import { type MailRelay, startRelay } from '../support/mail-relay.ts'
import { workplace } from '../support/workplace.ts'

const ADA = 'ada@lovelace.example'
const REFUSED = 'bob@refused.example'
const POSTPONED = 'cyd@postponed.example'
const STRANGER = 'eve@stranger.example'

/** All bytes of the files in a folder, as Latin-1. */
const filesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')

/** One run with mails that were sent, refused, postponed and dropped, by a service whose log has every level. */
describe('a run with mails', function () {
  this.timeout(60_000)
  let relay: MailRelay
  const place = workplace(() => ({
    PUBLIC_URL: 'https://auth.internal',
    ACCOUNT_PAGES: 'on',
    PAGES_REGISTRATION: 'on',
    KEY_ENCRYPTION_KEY: `2026:${'0123456789abcdef'.repeat(4)}`,
    EVENT_LOG_KEY: `2026:${'e'.repeat(64)}`,
    MAIL_URL: `smtp://127.0.0.1:${relay.port}`,
    MAIL_FROM: 'noreply@example.com',
    MAIL_CONTACT: 'help@example.com',
  }))
  const { folder, portcullis, asProcess } = place
  const data = dirname(place.database)

  const run = async (words: string, input = ''): Promise<string> => {
    const { status, out, err } = await portcullis(words, { input })
    expect(status, `${words}: ${err}`).to.equal(0)
    return out + err
  }
  const listed = async () => jsonLines((await portcullis('mail list --json')).out)
  const idsOfUsers: Record<string, string> = {}

  let server: Serving
  /** What anything showed that must have no address, and what may have the addresses of users. */
  const shown = { withoutAddresses: '', ofUsers: '' }
  let secrets: ReadonlyArray<string> = []

  const consolePages = async (): Promise<string> => {
    const console = await place.serve('console', {}, 'http://')
    const { origin, href } = new URL(console.printed().trim())
    const { send, close } = httpClient(origin)
    const opened = await send({ method: 'GET', path: href.slice(origin.length) })
    const below = String(opened.headers.location).replace(/today$/, '')
    const cookie = String(opened.headers['set-cookie'])
    const links = ['today', 'people', 'events', 'applications', `person?id=${idsOfUsers[ADA]}`]
    const pages = []
    for (const link of links) {
      const { status, body } = await send({ method: 'GET', path: below + link, headers: { cookie } })
      expect(status, link).to.equal(200)
      pages.push(String(body))
    }
    await close()
    await console.end()
    return pages.join('\n')
  }

  before(async () => {
    relay = await startRelay({}, (to) =>
      to === REFUSED ? 'refuses_recipient' : to === POSTPONED ? 'postpones_recipient' : 'takes',
    )
    const keys = JSON.parse(await run('application create --name shop --scope users:sign_in --json'))
    for (const email of [ADA, REFUSED, POSTPONED])
      idsOfUsers[email] = JSON.parse(await run(`user create --email ${email} --no-password --json`)).id
    server = await asProcess.serve('serve', { LOG_LEVEL: 'trace' })
    const api = apiClient(server.url)
    const { token } = (await api.issueToken(keys)).body
    await api.close()
    const { send, close } = httpClient(server.url)
    for (const email of [ADA, STRANGER]) {
      const asked = { method: 'POST', path: '/api/v1/users/recovery/mail', token, body: { email } } as const
      expect((await send(asked)).status).to.equal(200)
    }
    const mail = await eventually('the recovery mail', async () => relay.taken[0])
    const [link = '', secret = ''] =
      /https:\/\/auth\.internal\/account\/recovery\?token=(\w+)/.exec(mail.text) ?? []
    const registering = await request(`${server.url}/account/register`, {
      method: 'POST',
      headers: { origin: 'https://auth.internal', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ email: STRANGER }).toString(),
    })
    expect([registering.statusCode, await registering.body.text()]).to.deep.equal([303, ''])
    const registration = await eventually('the mail of the registration', async () => relay.taken[1])
    expect(registration.to).to.deep.equal([STRANGER])
    const [, sealed = ''] = /\/account\/register\?token=([\w-]+)/.exec(registration.text) ?? []
    expect((await request(`${server.url}/account/register?token=${sealed}`)).statusCode).to.equal(200)
    secrets = [link, secret, secret.slice(4), sealed]

    for (const email of [ADA, REFUSED, POSTPONED])
      await run(`user set-password ${email} --password-stdin`, 'nine purple otters sing')
    await eventually('an end of each mail', async () => {
      const states = (await listed()).map(({ state, code }) => `${state} ${code}`)
      return relay.taken.length === 3 && states.join() === 'failed 550,waiting 450' ? true : undefined
    })

    await run('backup copy.db')
    shown.ofUsers = filesIn(data) + readFileSync(join(folder, 'copy.db'), 'latin1') + (await consolePages())
    const metrics = await send({ method: 'GET', path: '/metrics' })
    await run('events export ./log')
    const outputs = ['mail list', 'mail list --json', 'events list --json', 'doctor --json'].concat(
      Object.values(idsOfUsers).map((id) => `user history ${id}`),
    )
    for (const words of outputs) {
      const { out, err } = await portcullis(words) // the hashes of tests are cheap, so doctor fails
      shown.withoutAddresses += out + err
    }
    shown.withoutAddresses += String(metrics.body) + filesIn(join(folder, 'log')) + server.logged()
    await close()
  })
  after(async () => {
    await relay.stop()
    await place.remove()
  })

  it('is told in full, so that the other tests look at something', () => {
    expect(secrets[1]).to.match(/^ort_\w{43,}$/)
    expect(secrets[3]).to.match(/^[\w-]{80,}$/)
    for (const part of [
      'portcullis_mails_total{kind="recovery",outcome="sent"} 1',
      'portcullis_mails_total{kind="registration",outcome="sent"} 1',
      '"type":"MailFailed"',
    ])
      expect(shown.withoutAddresses).to.include(part)
    expect(server.logged()).to.include('/api/v1/users/recovery/mail')
    expect(shown.withoutAddresses).to.include('a recovery mail was sent')
    expect(shown.ofUsers).to.include(REFUSED).and.include('Mail:</strong> 1 waiting. 1 failed.')
  })

  it('leaves no token and no link in the store, a back-up, the log, the console, the metrics and what commands print', () => {
    for (const secret of secrets) expect(shown.ofUsers + shown.withoutAddresses).not.to.include(secret)
  })

  it('shows no address of a mail outside of the store and its copies', () => {
    for (const address of [ADA, REFUSED, POSTPONED, STRANGER, 'not for <'])
      expect(shown.withoutAddresses).not.to.include(address)
  })

  it('keeps no address for which there is no account', () => {
    expect(shown.ofUsers).not.to.include(STRANGER)
  })

  it('keeps no address in the store once users are removed and their mails are dropped', async () => {
    for (const email of [REFUSED, POSTPONED]) await run(`user remove ${idsOfUsers[email]}`)
    await eventually('the notices of the removals', async () => {
      const removals = (await listed()).filter(
        ({ kind, code }) => kind === 'account_removed' && code !== null,
      )
      return removals.length === 2 ? true : undefined
    })
    expect(filesIn(data), 'until the mails are dropped').to.include(REFUSED).and.include(POSTPONED)
    await run('mail drop --all')
    expect(await server.end()).to.equal(0)
    await run('backup later.db')
    const left = filesIn(data) + readFileSync(join(folder, 'later.db'), 'latin1') + server.logged()
    expect(left).to.include(idsOfUsers[REFUSED])
    for (const text of [REFUSED, POSTPONED, STRANGER, ...secrets]) expect(left).not.to.include(text)
  })
})
