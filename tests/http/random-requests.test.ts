import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { EventType } from '../../domain/event.ts'
import { ROOT } from '../architecture/root.ts'
import { API_KEY } from '../support/api-keys.ts'
import { onEveryStore } from '../support/every-store.ts'
import type { StrictAnswer } from '../support/strict-answers.ts'
import { judgeAnswer, secretsIn } from './random-requests-judge.ts'
import { batch, VALID } from './random-requests-plans.ts'
import { answersTo } from './random-requests-sent.ts'
import { type Newcomer, openWorld, type World } from './random-requests-world.ts'

/** How many requests are sent to the first store, the others getting fewer, and the seed that says which; to see a failure again, set it. */
const REQUESTS = Number(process.env.RANDOM_REQUESTS ?? 10_000)
const SEED = Number(process.env.RANDOM_REQUESTS_SEED ?? Date.now() % 2 ** 31)
const AT_ONCE = 5

/** What a 2xx answer says has happened. */
const HAPPENED: Readonly<Record<string, EventType>> = {
  'POST /api/v1/auth/application/token': 'ApplicationTokenIssued',
  'POST /oauth2/token': 'ApplicationTokenIssued',
  'POST /api/v1/auth/user/token': 'UserSignedIn',
  'DELETE /api/v1/auth/user/token': 'UserSignedOut',
  'POST /api/v1/users': 'UserRegistered',
  'POST /api/v1/profile/sessions/end': 'UserSignedOut',
  'POST /api/v1/profile/sessions/end_others': 'OtherSessionsEnded',
  'GET /api/v1/profile/change_password': 'PasswordChanged',
  'POST /api/v1/profile/change_password': 'PasswordChanged',
}

const seed = `RANDOM_REQUESTS_SEED=${SEED}`
/** How far they get, on one store or another. */
const reached = { routes: new Set<string>(), statuses: new Set<number>() }

onEveryStore('random requests to a service', function (stores) {
  this.timeout(180_000)
  this.slow(60_000)
  let world: World
  before(async () => {
    world = await openWorld((await stores.lasting()).store)
  })
  after(() => world.stop())

  const received: Array<string> = []
  let batches = 0
  let linesRead = 0
  let position = 0

  /** No secret is left behind in what was logged since the last time, in either log. */
  const judgeTraces = async ({ canaries }: Newcomer): Promise<void> => {
    for (const line of world.lines.slice(linesRead)) {
      const { request_id: _, ...rest } = JSON.parse(line) // a well-formed one is the client's own
      const text = JSON.stringify(rest)
      expect(rest.level, `an error was logged: ${line}`).to.be.below(50)
      expect(text).not.to.match(API_KEY)
      expect(secretsIn(text, canaries), line).to.deep.equal([])
    }
    linesRead = world.lines.length
    for (const { request_id: _, ...event } of await world.eventsAfter(position)) {
      position = event.position
      expect(secretsIn(JSON.stringify(event), canaries), JSON.stringify(event)).to.deep.equal([])
    }
  }

  it('each get a valid answer in the envelope, and no secret is told to anybody or left in a log', async () => {
    await fc.assert(
      fc.asyncProperty(batch(AT_ONCE), async (sent) => {
        const newcomer = await world.newcomer()
        batches += 1
        const judge = (answer: StrictAnswer) => judgeAnswer(answer, newcomer.canaries)
        const answers = await answersTo(sent, world.running.port, newcomer.names, `r${batches}`, judge)
        for (const { status, headers } of answers) {
          reached.statuses.add(status)
          received.push(`${headers['x-request-id']} ${status}`)
        }
        await judgeTraces(newcomer)
      }),
      { seed: SEED, numRuns: stores.runs(Math.ceil(REQUESTS / AT_ONCE)), endOnFailure: false },
    )
  })

  it('leave a service that works', async () => {
    const { running } = world
    const token = await running.userToken()
    const { status, body } = await running.send({ method: 'GET', path: '/api/v1/profile', token })
    expect({ status, body }, seed).to.deep.equal({ status: 200, body: { email: running.user.email } })
  })

  it('change something exactly where the answer is 2xx', async () => {
    await world.stop()
    const lines = world.lines.map((line) => JSON.parse(line))
    const promised = lines
      .filter(({ status }) => status >= 200 && status < 300)
      .map(({ request_id: id, method, route }) => ({ id, type: HAPPENED[`${method} ${route}`] }))
      .filter(({ type }) => type !== undefined)
      .map(({ id, type }) => `${id} ${type}`)
    const types = Object.values(HAPPENED)
    const happened = (await world.eventsAfter(0))
      .filter(({ request_id: id, type }) => id !== undefined && types.includes(type))
      .map(({ request_id: id, type }) => `${id} ${type}`)
    expect(surplus(happened, promised), `${seed}: changes nobody was told of`).to.deep.equal([])
    expect(surplus(promised, happened), `${seed}: told, and not in the log`).to.deep.equal([])
    const logged = lines.map(({ request_id: id, status }) => `${id} ${status}`)
    expect(surplus(received, logged), `${seed}: answers without a line of their own`).to.deep.equal([])
    for (const { status, method, route } of lines)
      if (status >= 200 && status < 300) reached.routes.add(`${method} ${route}`)
  })
})

describe('the random requests', () => {
  it('get as far as each route and each refusal', function () {
    if (REQUESTS < 10_000) this.skip() // too few to be sure of each
    expect([...reached.routes], seed).to.include.members(routesOfReadme())
    expect([...reached.statuses], seed).to.include.members([
      ...[200, 204, 400, 401, 403, 404, 405, 413, 415, 422, 431],
    ])
  })

  it('know a valid request for every route of the README', () => {
    expect(VALID.map(({ method, path }) => `${method} ${path}`)).to.include.members(routesOfReadme())
  })
})

/** The routes in the README's table: `GET` and `POST /path`. */
const routesOfReadme = (): ReadonlyArray<string> => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const table = readme.slice(readme.indexOf('| route |'), readme.indexOf('\n\n', readme.indexOf('| route |')))
  return table.split('\n').flatMap((row) => {
    const cell = row.split('|')[1] ?? ''
    const named = [...cell.matchAll(/`([A-Z]+)(?: (\/[^`]*))?`/g)]
    return named.map(([, method, path], index) => {
      const later = named.slice(index).find((one) => one[2] !== undefined)
      return `${method} ${path ?? later?.[2]}`
    })
  })
}

/** What one list holds more often than another. */
const surplus = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1)
  return one.filter((item) => {
    const count = left.get(item) ?? 0
    left.set(item, count - 1)
    return count <= 0
  })
}
