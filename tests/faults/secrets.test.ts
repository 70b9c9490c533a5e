import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { sqliteStore } from '../../adapters/sqlite/store.ts'
import { type Ended, type Serving, workplace } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { CAN_SEE_PROCESSES, commandLinesDuring } from '../support/processes.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { spellingsOf } from '../support/spellings.ts'

const EMAIL = 'ada.lovelace@canary.example'
const PASSWORDS = {
  first: 'first canary of a password',
  second: 'second canary of a password',
  wrong: 'wrong canary of a password',
  refused: 'refused canary of a password',
}

describe('what others on the machine can see of a service that is used', () => {
  const { folder, portcullis, serve, remove } = workplace()
  const data = join(folder, 'data')
  let umask = 0
  let server: Serving
  const commands: Array<Ended> = []
  let commandLines: ReadonlyArray<string> = []
  let modes: Readonly<Record<string, string>> = {}
  /** All there is to hide by now, but for the e-mail, which operators name on the command line. */
  const secrets: Array<string> = [...Object.values(PASSWORDS)]

  before(async function () {
    this.timeout(60_000)
    umask = process.umask(0) // what is forbidden to others is the service's own doing
    server = await serve('serve', { LOG_LEVEL: 'trace' })
    const used = async () => {
      commands.push(await portcullis('application create --name canary --json'))
      const userCreate = `user create --email ${EMAIL} --password-stdin --json`
      commands.push(await portcullis(userCreate, { input: PASSWORDS.first }))
      commands.push(await portcullis(userCreate, { input: PASSWORDS.refused })) // the e-mail is taken
      const { public_api_key, private_api_key } = JSON.parse(commands[0]?.out ?? '')
      secrets.push(private_api_key, ...(await useEverything(server, { public_api_key, private_api_key })))
      commands.push(await portcullis('events list --json'))
    }
    if (CAN_SEE_PROCESSES) commandLines = await commandLinesDuring(folder, used)
    else await used()
    modes = Object.fromEntries(readdirSync(data).map((name) => [name, modeOf(join(data, name))]))
    await server.end()
    secrets.push(...(await storedSecrets(join(data, 'portcullis.db'))))
  })
  after(async () => {
    process.umask(umask)
    await server.end()
    remove()
  })

  /** The secrets that stand in a text, in whatever spelling. */
  const found = (text: string, ...more: ReadonlyArray<string>): ReadonlyArray<string> =>
    [...secrets, ...more].filter((secret) => spellingsOf(secret).some((spelling) => text.includes(spelling)))

  it('command lines hold no secret', function () {
    if (!CAN_SEE_PROCESSES) this.skip()
    const all = commandLines.join('\n')
    for (const words of ['serve', 'application create', 'user create', 'events list']) {
      expect(all).to.include(`main.`).and.to.include(words)
    }
    expect(found(all)).to.deep.equal([])
  })

  it('the server logs and prints no secret, and no e-mail', () => {
    expect(server.logged().split('\n').length).to.be.above(10)
    expect(server.printed()).to.include('Portcullis listens')
    expect(found(server.logged(), EMAIL)).to.deep.equal([])
    expect(found(server.printed(), EMAIL)).to.deep.equal([])
  })

  it('commands show no secret but the private key, to whoever made it', () => {
    const [application, ...others] = commands
    expect(commands.map(({ status }) => status)).to.deep.equal([0, 0, 1, 0])
    const { private_api_key: own, ...rest } = JSON.parse(application?.out ?? '')
    expect(own).to.match(/^sk_/)
    expect(found(JSON.stringify(rest) + application?.err)).to.deep.equal([])
    for (const { out, err } of others) expect(found(out + err)).to.deep.equal([])
    expect(found(others.at(-1)?.out ?? '', EMAIL), 'the event log').to.deep.equal([])
  })

  it('every file is for its owner only', () => {
    expect(modes).to.include({
      'portcullis.db': '600',
      'portcullis.db-wal': '600',
      'portcullis.db-shm': '600',
    })
    expect(new Set(Object.values(modes))).to.deep.equal(new Set(['600']))
    expect(modeOf(data)).to.equal('700')
  })

  it('no file holds a password, a private key or a token, though its owner should read it', () => {
    const text = readdirSync(data)
      .map((name) => readFileSync(join(data, name), 'latin1'))
      .join('\n')
    expect(text).to.include(EMAIL).and.to.include('k4.secret.') // so what is kept would be found
    const kept = found(text)
    for (const secret of [...Object.values(PASSWORDS), /^sk_/, /^eyJ/, /^v4\.public\./]) {
      expect(
        kept.filter((one) => (secret instanceof RegExp ? secret.test(one) : one === secret)),
      ).to.deep.equal([])
    }
  })
})

/** Calls every route that takes or makes a secret, well and badly, and says which secrets that were. */
const useEverything = async (server: Serving, keys: object): Promise<ReadonlyArray<string>> => {
  const { send, close } = httpClient(server.url)
  const issue = '/api/v1/auth/application/token'
  const session = '/api/v1/auth/user/token'
  const change = '/api/v1/profile/change_password'
  const application: string = (await send({ method: 'POST', path: issue, body: keys })).body.token
  const signIn = (password: string) =>
    send({ method: 'POST', path: session, token: application, body: { email: EMAIL, password } })
  const user: string = (await signIn(PASSWORDS.first)).body.token
  const { first, second, wrong } = PASSWORDS
  const changing = (old_password: string, new_password: string) => ({
    method: 'POST',
    path: change,
    token: user,
    body: { old_password, new_password, new_password_check: new_password },
  })
  const statuses = [
    await signIn(wrong),
    await send({ method: 'GET', path: '/api/v1/profile', token: user }),
    await send(changing(wrong, second)),
    await send(changing(first, second)),
    await signIn(second),
    await send({ method: 'POST', path: issue, body: JSON.stringify(keys).slice(0, -1) }),
    await send({ method: 'GET', path: `/${user}?password=${encodeURIComponent(second)}` }),
    await send({ method: 'GET', path: '/api/v1/profile', token: `${user}x`, headers: { cookie: second } }),
    await send({ method: 'DELETE', path: session, token: user }),
  ].map(({ status }) => status)
  expect(statuses).to.deep.equal([422, 200, 422, 200, 200, 400, 404, 401, 200])
  await close()
  await sendRaw(server.port, `${second}\r\n\r\n`)
  await sendRaw(server.port, requestText('GET', `/${user}`, [`${EMAIL}: ${second}`]))
  return [application, user]
}

/** What the store keeps that nobody may be told. */
const storedSecrets = async (path: string): Promise<ReadonlyArray<string>> => {
  const store = sqliteStore(path)
  const keys = await succeed(store.listSigningKeys())
  const user = await succeed(store.findUserByEmail(EMAIL))
  await store.close()
  expect(keys.length).to.equal(2)
  if (!isSome(user)) throw new Error('the user is not there')
  return [user.value.passwordRecord, ...keys.map(({ material }) => material)]
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
