import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { withRaw } from '../sqlite/raw.ts'
import { capturedLog } from '../support/captured-log.ts'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { startThrottled, statusesOf, type ThrottledService } from '../support/throttled-service.ts'

const STRANGER = 'somebody.unknown@nowhere.example'
const ADDRESSES = ['198.51.100.77', '2001:db8:77:1::abcd']
/** The decimal bytes of the first half of the second address, which identify its network. */
const NETWORK = '32.1.13.184.0.119.0.1'
const GUESS = 'a guess of mine'
const END_USER = '203.0.113.99'
const SECRETS = [...ADDRESSES, '2001:db8:77', NETWORK, END_USER, '127.0.0.1', STRANGER, GUESS, 'rubbish']

describe('a service with counted failures', () => {
  it('closes its file when it stops', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-traces-'))
    const running = await startThrottled({ DATABASE_URL: `sqlite:${join(folder, 'store.db')}` })
    expect(await running.failToSignIn(1)).to.deep.equal([422])
    expect(readdirSync(folder)).to.have.members(['store.db', 'store.db-wal', 'store.db-shm'])
    await running.stop()
    expect(readdirSync(folder)).to.deep.equal(['store.db'])
    rmSync(folder, { recursive: true })
  })
})

/** Starts a service and reaches every limit: session, account, unknown account, two addresses and an end user's address. */
const startFailed = async (environment: Environment) => {
  const { log, lines } = capturedLog()
  const running = await startThrottled(
    { ...environment, TRUST_PROXY: '1', LOG_LEVEL: 'trace' },
    provide(Dependency.log, () => log),
  )
  const session = await running.userToken()
  const failFrom = (address: string) => () =>
    running.send({
      method: 'GET',
      path: '/api/v1/profile',
      token: 'rubbish',
      headers: { 'x-forwarded-for': address },
    })
  for (const address of ADDRESSES)
    expect(await statusesOf(4, failFrom(address))).to.deep.equal([401, 401, 401, 429])
  expect(await statusesOf(4, () => running.change(session, GUESS))).to.deep.equal([422, 422, 422, 429])
  expect(await running.failToSignIn(1)).to.deep.equal([429])
  const token = await running.applicationToken()
  const signInForEndUser = () =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token,
      body: { email: STRANGER, password: GUESS },
      headers: { 'x-end-user-address': END_USER },
    })
  expect(await statusesOf(4, signInForEndUser)).to.deep.equal([422, 422, 422, 429])
  return { running, lines }
}

/** Waits until the refusals are in the log, which is after the responses. */
const noted = ({ service }: ThrottledService) =>
  eventually('5 entries SignInRefused', async () =>
    (await eventsOf(service.store, 'SignInRefused')).length === 5 ? true : undefined,
  )

onMemory('the traces of too many failures', (stores) => {
  let running: ThrottledService
  let lines: ReadonlyArray<string>
  before(async () => {
    ;({ running, lines } = await startFailed(await stores.fresh()))
  })
  after(() => running.stop())

  it('include a log line like that of any other response', () => {
    const refused = lines.map((line) => JSON.parse(line)).filter(({ status }) => status === 429)
    expect(refused.map(({ route }) => route)).to.deep.equal([
      '/api/v1/profile',
      '/api/v1/profile',
      '/api/v1/profile/change_password',
      '/api/v1/auth/user/token',
      '/api/v1/auth/user/token',
    ])
    for (const line of refused)
      expect(line).to.have.all.keys(
        'level',
        'time',
        'msg',
        'request_id',
        'method',
        'route',
        'status',
        'duration_ms',
      )
  })

  it('contain no address, unknown e-mail or guess in either log', async () => {
    await noted(running)
    const events = JSON.stringify(await succeed(running.service.store.readEvents({ after: 0, limit: 1_000 })))
    const everything = [events, ...lines].join('').toLowerCase()
    for (const secret of [...SECRETS, '@example.com']) expect(everything).to.not.include(secret)
  })
})

describe('the traces of too many failures in a database file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-traces-'))
  const path = join(folder, 'store.db')
  let running: ThrottledService
  before(async () => {
    ;({ running } = await startFailed({ DATABASE_URL: `sqlite:${path}` }))
  })
  after(async () => {
    await running.stop()
    rmSync(folder, { recursive: true })
  })

  it('are one digest for each counter, with numbers', () => {
    const rows = withRaw(path, (db) => db.prepare('SELECT * FROM failure_counts').all()) as ReadonlyArray<
      Readonly<Record<string, unknown>>
    >
    expect(rows).to.have.length(ADDRESSES.length + 8) // plus the session, the end user, both accounts and one sign-in, the last three with a network and alone
    for (const { key, ...numbers } of rows) {
      expect(key).to.match(/^[0-9a-f]{64}$/)
      expect(numbers).to.have.all.keys('kind', 'count', 'refused_until', 'forgotten_from')
      expect(numbers.count).to.equal(String(numbers.kind).startsWith('sign_ins') ? 1 : 3)
    }
  })

  it('contain no address, unknown e-mail or guess', async () => {
    await noted(running)
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1').toLowerCase())
    expect(files.length).to.be.greaterThan(1)
    for (const secret of SECRETS)
      expect(files.filter((text) => text.includes(secret)).length, secret).to.equal(0)
  })
})
