import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { type Ended, processWorkplace, type Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
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

/** The key that the service has, and one that it lacks. */
const KEY_ENCRYPTION_KEYS = [
  { id: '2026', secret: 'first-canary-of-a-key-encryption-key' },
  { id: '2027', secret: 'second-canary-of-a-key-encryption-key' },
] as const
const [ITS_OWN, ANOTHER] = KEY_ENCRYPTION_KEYS.map(({ id, secret }) => `${id}:${secret}`)
const PEPPER = 'canary-of-a-pepper-that-is-long-enough'

describe('what other users of the machine can see of a service in use', () => {
  const { folder, portcullis, serve, remove } = processWorkplace()
  const data = join(folder, 'data')
  let umask = 0
  let server: Serving
  const commands: Array<Ended> = []
  let commandLines: ReadonlyArray<string> = []
  /** All secrets so far except the e-mail, which operators pass on the command line. */
  const secrets: Array<string> = [
    ...Object.values(PASSWORDS),
    ...KEY_ENCRYPTION_KEYS.map(({ secret }) => secret),
    PEPPER,
  ]

  before(async function () {
    this.timeout(60_000)
    umask = process.umask(0) // the service alone must restrict permissions
    const environment = {
      LOG_LEVEL: 'trace',
      KEY_ENCRYPTION_KEY: ITS_OWN ?? '',
      PASSWORD_PEPPER: `1:${PEPPER}`,
    }
    server = await serve('serve', environment)
    const run = async (words: string, others: Record<string, string> = {}, input = '') => {
      commands.push(await portcullis(words, { input, environment: { ...environment, ...others } }))
    }
    const used = async () => {
      await run('application create --name canary --json')
      const userCreate = `user create --email ${EMAIL} --password-stdin --json`
      await run(userCreate, {}, PASSWORDS.first)
      await run(userCreate, {}, PASSWORDS.refused) // the e-mail is taken
      const { public_api_key, private_api_key } = JSON.parse(commands[0]?.out ?? '')
      secrets.push(private_api_key, ...(await useEverything(server, { public_api_key, private_api_key })))
      for (const words of ['keys list', 'keys rotate', 'doctor', 'backup copy.db']) await run(words)
      const wrong = { KEY_ENCRYPTION_KEY: ANOTHER ?? '' }
      for (const words of ['keys rotate', 'doctor', 'serve']) await run(words, wrong)
      for (const settings of WRONG_SETTINGS) await run('serve', settings)
      await run('keys rotate', { KEY_ENCRYPTION_KEY: `${ANOTHER} ${ITS_OWN}` })
      await untilItLacksAKey(server)
      await run('events list --json')
    }
    if (CAN_SEE_PROCESSES) commandLines = await commandLinesDuring(folder, used)
    else await used()
    await server.end()
    secrets.push(...(await storedSecrets(join(data, 'portcullis.db'))))
  })
  after(async () => {
    process.umask(umask)
    await server.end()
    remove()
  })

  /** The secrets that occur in a text, in any encoding. */
  const found = (text: string, ...more: ReadonlyArray<string>): ReadonlyArray<string> =>
    [...secrets, ...more].filter((secret) => spellingsOf(secret).some((spelling) => text.includes(spelling)))

  it('command lines contain no secret', function () {
    if (!CAN_SEE_PROCESSES) this.skip()
    const all = commandLines.join('\n')
    for (const words of ['serve', 'application create', 'user create', 'keys rotate', 'events list']) {
      expect(all).to.include(`main.`).and.to.include(words)
    }
    expect(found(all)).to.deep.equal([])
  })

  it('the server logs and prints no secret and no e-mail', () => {
    expect(server.logged().split('\n').length).to.be.above(10)
    expect(server.printed()).to.include('Portcullis listens')
    expect(server.logged(), 'the reason for the failure at the end').to.include(
      'KEY_ENCRYPTION_KEY lacks 2027',
    )
    expect(found(server.logged(), EMAIL)).to.deep.equal([])
    expect(found(server.printed(), EMAIL)).to.deep.equal([])
  })

  it('commands show no secret except the private key to its creator', () => {
    const [application, ...others] = commands
    const statuses = [[0, 0, 1], [0, 0, 1, 0], [1, 1, 78], WRONG_SETTINGS.map(() => 78), [0, 0]].flat()
    expect(commands.map(({ status }) => status)).to.deep.equal(statuses) // cheap hashes fail doctor
    const { private_api_key: own, ...rest } = JSON.parse(application?.out ?? '')
    expect(own).to.match(/^sk_/)
    expect(found(JSON.stringify(rest) + application?.err)).to.deep.equal([])
    for (const { out, err } of others) expect(found(out + err)).to.deep.equal([])
    expect(found(others.at(-1)?.out ?? '', EMAIL), 'the event log').to.deep.equal([])
  })

  it('no file contains a plain password, private key or token, even for its owner', () => {
    const files = [...readdirSync(data).map((name) => join(data, name)), join(folder, 'copy.db')]
    const text = files.map((file) => readFileSync(file, 'latin1')).join('\n')
    expect(text).to.include(EMAIL) // proves that stored texts are found
    const kept = found(text)
    expect(kept.filter((one) => !one.startsWith('wrapped.v1$') && !one.startsWith('1$1$'))).to.deep.equal([])
    expect(kept, 'a password record and six keys').to.have.lengthOf(7)
  })
})

/** Calls every route that accepts or makes a secret, with valid and invalid input. Returns the secrets. */
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

const WRONG_SETTINGS: ReadonlyArray<Record<string, string>> = [
  { KEY_ENCRYPTION_KEY: `${ITS_OWN},${ANOTHER}` },
  { KEY_ENCRYPTION_KEY: `${ITS_OWN} ${ITS_OWN}`, PASSWORD_PEPPER: PEPPER },
  { KEY_ENCRYPTION_KEY_FILE: `/nowhere/${ANOTHER}` },
]

/** Another process creates a key that this server cannot unwrap. */
const untilItLacksAKey = async (server: Serving): Promise<void> => {
  const { send, close } = httpClient(server.url)
  await eventually('all requests fail', async () => {
    const { status } = await send({ method: 'GET', path: '/.well-known/jwks.json' })
    return status === 503 ? true : undefined
  })
  await close()
}

/** The stored secrets, and what can be derived from them. */
const storedSecrets = async (path: string): Promise<ReadonlyArray<string>> => {
  const store = sqliteStore(path)
  const keys = await succeed(store.listSigningKeys())
  const user = await succeed(store.findUserByEmail(EMAIL))
  await store.close()
  expect(keys.length).to.equal(6)
  if (!isSome(user)) throw new Error('the user is not there')
  const wrapping = aesKeyWrapping(KEY_ENCRYPTION_KEYS)
  const plain = keys.map((key) => {
    const material = wrapping.unwrap(key.material, key)
    if (isLeft(material)) throw new Error(material.left.reason)
    return material.right
  })
  return [
    user.value.passwordRecord,
    ...keys.map(({ material }) => material),
    ...plain,
    ...plain.filter((one) => one.startsWith('{')).map((one) => JSON.parse(one).d),
  ]
}

const _modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
