import { writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { expect } from 'chai'
import { processWorkplace, type Serving } from '../support/command.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { eventually } from '../support/eventually.ts'
import { httpClient } from '../support/http-client.ts'
import { scrape } from '../support/scrape.ts'
import { agree, ENVIRONMENT, entriesAfter } from './stage.ts'

const DAY = 24 * 3_600_000
const EXTENSION = extname(new URL(import.meta.url).pathname)
const SHIFTED = new URL(`./shifted-clock${EXTENSION}`, import.meta.url).href
const DELETED = 'portcullis_expired_rows_deleted_total{table="one_time_tokens"}'

describe('a server that starts with a clock a year ahead', () => {
  let isServer = false
  const place = processWorkplace(([node = '', ...rest]) => [
    node,
    ...(isServer ? ['--import', SHIFTED] : []),
    ...rest,
  ])
  after(() => place.remove())

  /** Starts a server whose clock differs, and stops it after the work. */
  const during = async <A>(shift: number, work: (server: Serving) => Promise<A>): Promise<A> => {
    const clock = join(place.folder, 'clock')
    writeFileSync(clock, String(shift))
    isServer = true
    const server = await place.serve('serve', { ...ENVIRONMENT, SHIFTED_CLOCK: clock })
    isServer = false
    try {
      return await work(server)
    } finally {
      expect(await server.end()).to.equal(0)
    }
  }
  const made = async (words: string, input = '') => {
    const { status, out, err } = await place.portcullis(`${words} --json`, { input })
    expect(status, err).to.equal(0)
    return JSON.parse(out)
  }
  const post = async ({ url }: Serving, path: string, body: object, token?: string) => {
    const { send, close } = httpClient(url)
    const answer = await send({
      method: 'POST',
      path: `/api/v1/${path}`,
      body,
      ...(token === undefined ? {} : { token }),
    })
    await close()
    return answer
  }

  const email = 'ada@example.com'
  let keys: object
  before(async () => {
    const { public_api_key, private_api_key } = await made(
      'application create --name desk --scope users:recover',
    )
    keys = { public_api_key, private_api_key }
    await made(`user create --email ${email} --password-stdin`, 'the first password')
  })
  const recovery = async (server: Serving): Promise<string> => {
    const { token } = (await post(server, 'auth/application/token', keys)).body
    const started = await post(server, 'users/recovery', { email }, token)
    expect(started.status).to.equal(200)
    return started.body.token
  }
  const complete = async (server: Serving, token: string): Promise<number> => {
    const passwords = { new_password: 'the second password', new_password_check: 'the second password' }
    return (await post(server, 'users/recovery/complete', { token, ...passwords })).status
  }
  /** How many one-time tokens the server has deleted, once it has deleted any. */
  const deletions = ({ url }: Serving) =>
    eventually('tokens are deleted', async () => (await scrape(url)).value(DELETED) || undefined)

  it('deletes the one-time tokens that have expired, and no valid one', async () => {
    const old = await during(-2 * DAY, recovery)
    const valid = await during(0, recovery)
    await during(365 * DAY, async (server) => {
      await recovery(server) // its entries have the wrong time
      expect(await deletions(server)).to.equal(1)
    })
    await agree(place)
    await during(0, async (server) => {
      expect(await complete(server, old)).to.equal(422)
      expect(await complete(server, valid)).to.equal(200)
    })
    await agree(place)
  })

  it('deletes valid ones only at the second start, after which doctor names the clock', async () => {
    const valid = await during(0, recovery)
    await during(365 * DAY, recovery)
    await during(365 * DAY, deletions)
    await during(0, async (server) => expect(await complete(server, valid)).to.equal(422))
    const { status, out } = await place.portcullis('doctor --json', { environment: DEFAULT_COST })
    expect(status).to.equal(1)
    const { checks } = JSON.parse(out)
    const { detail } = checks.find(({ name }: { name: string }) => name === 'log')
    expect(detail).to.include('the row is missing')
    expect(detail).to.match(/A clock was 36[45] days ahead at position \d+,/)
    const position = Number(/at position (\d+)/.exec(detail)?.[1])
    const [first] = await entriesAfter(place, position - 1)
    expect(Date.parse(first?.at ?? '')).to.be.above(Date.now() + 364 * DAY)
    expect(detail).to.not.include('back-up')
  })
})
