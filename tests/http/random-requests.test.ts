import { expect } from 'chai'
import * as fc from 'fast-check'
import type { EventType } from '../../domain/event.ts'
import { API_KEY } from '../support/api-keys.ts'
import { onEveryStore } from '../support/every-store.ts'
import { expectListed } from '../support/listed.ts'
import { otherRoutes, PAGE_ROUTES } from '../support/routes.ts'
import type { StrictAnswer } from '../support/strict-answers.ts'
import { batch, CERTAIN } from './random-requests-plans.ts'
import { secretsIn, validateAnswer } from './random-requests-rules.ts'
import { answersTo } from './random-requests-sent.ts'
import { VALID } from './random-requests-valid.ts'
import { type Newcomer, openWorld, type World } from './random-requests-world.ts'

/** The number of requests to the first store (other stores get fewer), and the seed. Set the seed to repeat a failure. */
const REQUESTS = Number(process.env.RANDOM_REQUESTS ?? 500)
const SEED = Number(process.env.RANDOM_REQUESTS_SEED ?? Date.now() % 2 ** 31)
const AT_ONCE = 5

/** The event that each 2xx response implies. */
const HAPPENED: Readonly<Record<string, EventType>> = {
  'POST /api/v1/auth/application/token': 'ApplicationTokenIssued',
  'POST /oauth2/token': 'ApplicationTokenIssued',
  'POST /api/v1/auth/user/token': 'UserSignedIn',
  'POST /api/v1/auth/user/second_factor': 'UserSignedIn',
  'POST /api/v1/auth/user/vouched': 'UserSignedIn',
  'POST /api/v1/auth/user/passkey/complete': 'UserSignedIn',
  'POST /api/v1/auth/user/identity/complete': 'UserSignedIn',
  'POST /api/v1/profile/identities/complete': 'FactorEnrolled',
  'DELETE /api/v1/auth/user/token': 'UserSignedOut',
  'POST /api/v1/auth/user/token/renew': 'SessionRenewed',
  'POST /api/v1/users': 'UserRegistered',
  'POST /api/v1/users/recovery/complete': 'PasswordRecovered',
  'POST /api/v1/users/email_confirmation': 'EmailConfirmationStarted',
  'POST /api/v1/users/email_confirmation/complete': 'EmailConfirmed',
  'POST /api/v1/profile/sessions/end': 'UserSignedOut',
  'POST /api/v1/profile/sessions/end_others': 'OtherSessionsEnded',
  'GET /api/v1/profile/change_password': 'PasswordChanged',
  'POST /api/v1/profile/change_password': 'PasswordChanged',
  'POST /api/v1/profile/step_up': 'SessionSteppedUp',
  'POST /api/v1/profile/factors/totp/complete': 'FactorEnrolled',
  'POST /api/v1/profile/factors/passkey/complete': 'FactorEnrolled',
  'POST /api/v1/profile/factors/rename': 'FactorRenamed',
  'POST /api/v1/profile/factors/remove': 'FactorRemoved',
  'POST /api/v1/profile/remove': 'UserRemoved',
  'POST /api/v1/users/reset_factors': 'FactorsReset',
  'POST /api/v1/profile/attributes': 'UserAttributesChanged',
  'POST /api/v1/users/attributes': 'UserAttributesChanged',
  'POST /api/v1/users/roles': 'UserRolesChanged',
  'POST /api/v1/users/disable': 'UserDisabled',
  'POST /api/v1/users/enable': 'UserEnabled',
  'POST /api/v1/users/remove': 'UserRemoved',
  'POST /api/v1/users/end_sessions': 'SessionsEnded',
  'POST /account/email': 'EmailConfirmed',
}

/** Routes that change nothing, or whose 2xx response does not tell whether something happened. */
const NO_CERTAIN_EVENT: ReadonlyArray<string> = [
  'POST /api/v1/profile',
  'POST /api/v1/profile/factors/totp',
  'POST /api/v1/profile/factors/passkey',
  'POST /api/v1/profile/step_up/passkey',
  'POST /api/v1/auth/user/identity',
  'POST /api/v1/profile/identities',
  'POST /api/v1/profile/step_up/identity',
  'POST /api/v1/auth/user/passkey',
  'POST /api/v1/auth/user/second_factor/passkey',
  'POST /api/v1/profile/factors/recovery_codes', // the first factor brings codes, too
  'POST /api/v1/users/search',
  'POST /api/v1/users/show',
  'POST /api/v1/users/recovery',
  'POST /api/v1/users/recovery/mail',
  'POST /api/v1/profile/email',
  'POST /account/security', // it answers with a redirect
  'POST /account/sign-in', // it answers with a redirect
  'POST /account/second-factor',
  'POST /account/password',
  'POST /account/step-up',
  'POST /account/sign-out',
  'POST /account/register',
  'POST /account/remove',
  'POST /account',
  'POST /account/recovery',
  'POST /account/forgotten',
  'POST /account/change-email',
  'POST /oauth2/introspect',
  'POST /oauth2/revoke',
  'POST /oauth2/par',
  'POST /oauth2/userinfo',
]

/** The events of requests that also succeed if nothing needs to change, or if a second step follows. */
const REPEATABLE: ReadonlyArray<EventType | undefined> = [
  'SessionRenewed',
  'FactorRenamed',
  'UserAttributesChanged',
  'PasswordSet',
  'UserRolesChanged',
  'UserDisabled',
  'UserEnabled',
  'SessionsEnded',
]

/** The second of two clicks reads the same page. */
const CONFIRMS_AGAIN = '/account/email'

const seed = `RANDOM_REQUESTS_SEED=${SEED}`
/** The routes, statuses and events reached, over all stores. */
const reached = {
  routes: new Set<string>(),
  statuses: new Set<number>(),
  ofPages: new Set<number>(),
  events: new Set<EventType>(),
}

onEveryStore('random requests to a service', function (stores) {
  this.timeout(180_000)
  this.slow(60_000)
  let world: World
  before(async () => {
    world = await openWorld(await stores.lasting())
  })
  after(() => world.stop())

  /** Only the first store gets them, like most random requests. */
  const examples = stores.runs(REQUESTS) === REQUESTS ? CERTAIN : []
  const received: Array<string> = []
  let batches = 0
  let linesRead = 0
  let position = 0

  /** Checks that no secret is in the lines of both logs since the last check. */
  const validateLogs = async ({ canaries }: Newcomer): Promise<void> => {
    for (const line of world.lines.slice(linesRead)) {
      const { request_id: _, ...rest } = JSON.parse(line) // a valid id is chosen by the client
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

  it('each get a valid response in the envelope, and no response or log contains a secret', async () => {
    await fc.assert(
      fc.asyncProperty(batch(AT_ONCE), async (sent) => {
        const newcomer = await world.newcomer()
        batches += 1
        const validate = (answer: StrictAnswer) => validateAnswer(answer, newcomer.canaries)
        const answers = await answersTo(sent, world.running.port, newcomer.names, `r${batches}`, validate)
        for (const { status, headers } of answers) {
          reached.statuses.add(status)
          received.push(`${headers['x-request-id']} ${status}`)
        }
        await validateLogs(newcomer)
      }),
      {
        seed: SEED,
        examples: examples.map((one) => [one]),
        numRuns: examples.length + stores.runs(Math.ceil(REQUESTS / AT_ONCE)),
        endOnFailure: false,
      },
    )
  })

  it('leave the service working', async () => {
    const { running } = world
    const token = await running.userToken()
    const { status, body } = await running.send({ method: 'GET', path: '/api/v1/profile', token })
    expect({ status, email: body.email }, seed).to.deep.equal({ status: 200, email: running.user.email })
  })

  it('change something exactly when the response is 2xx', async () => {
    await world.stop()
    const lines = world.lines.map((line) => JSON.parse(line))
    const promised = lines
      .filter(({ status }) => status >= 200 && status < 300)
      .map(({ request_id: id, method, route }) => ({ id, route, type: HAPPENED[`${method} ${route}`] }))
      .filter(({ type }) => type !== undefined)
    const types = Object.values(HAPPENED)
    const events = await world.eventsAfter(0)
    // An enrolment also steps the session up.
    const enrolling = new Set(
      events.filter(({ type }) => type === 'FactorEnrolled').map(({ request_id }) => request_id),
    )
    /** Their answer is the same with and without a second step. */
    const onPages = new Set(
      lines
        .filter(({ status, route }) => status === 303 && String(route).startsWith('/account'))
        .map(({ request_id: id }) => id),
    )
    const ofRequests = events.filter(
      ({ request_id: id, type }) =>
        id !== undefined &&
        !onPages.has(id) &&
        types.includes(type) &&
        !(type === 'SessionSteppedUp' && enrolling.has(id)),
    )
    for (const { type } of ofRequests) reached.events.add(type)
    const happened = ofRequests.map(({ request_id: id, type }) => `${id} ${type}`)
    const may = promised.map(({ id, type }) => `${id} ${type}`)
    const must = promised
      .filter(({ type, route }) => !REPEATABLE.includes(type) && route !== CONFIRMS_AGAIN)
      .map(({ id, type }) => `${id} ${type}`)
    expect(surplus(happened, may), `${seed}: changes without a 2xx response`).to.deep.equal([])
    expect(surplus(must, happened), `${seed}: 2xx responses without a change`).to.deep.equal([])
    const logged = lines.map(({ request_id: id, status }) => `${id} ${status}`)
    expect(surplus(received, logged), `${seed}: responses without a log line`).to.deep.equal([])
    for (const { status, method, route } of lines) {
      if (status >= 200 && status < 400) reached.routes.add(`${method} ${route}`)
      if (PAGE_ROUTES.some((page) => page.endsWith(` ${route}`))) reached.ofPages.add(status)
    }
  })
})

describe('the random requests', () => {
  let routes: ReadonlyArray<string>
  before(async () => {
    routes = [...(await otherRoutes()).map(({ name }) => name), ...PAGE_ROUTES]
  })

  it('reach each route, each refusal and each event', () => {
    const missed = routes.filter((route) => !reached.routes.has(route.replace('…', '{path}')))
    expect(missed, seed).to.deep.equal([])
    const events = Object.values(HAPPENED).filter((type) => type !== 'UserEnabled') // only follows a random disabling
    expect([...reached.events], seed).to.include.members(events)
    expect([...reached.ofPages], seed).to.include.members([200, 303, 400, 403, 413, 415, 422])
    expect([...reached.statuses], seed).to.include.members([
      ...[200, 204, 400, 401, 403, 404, 405, 413, 415, 422, 431],
    ])
  })

  it('include a valid request for every route and every page, and for none that does not exist', () => {
    const prefixes = routes.filter((route) => route.endsWith('…'))
    const valid = VALID.map(({ method, path }) => {
      const route = `${method === 'HEAD' ? 'GET' : method} ${path.split('?')[0]}`
      return prefixes.find((prefix) => route.startsWith(prefix.slice(0, -1))) ?? route
    })
    expectListed([...new Set(valid)], routes, 'VALID in tests/http/random-requests-valid.ts')
  })

  it('know of each route that may change something what happens', () => {
    const mayChange = routes.filter((route) => !route.startsWith('GET ') || route in HAPPENED)
    expectListed([...Object.keys(HAPPENED), ...NO_CERTAIN_EVENT], mayChange, 'HAPPENED, or NO_CERTAIN_EVENT')
  })
})

/** The items that `one` contains more often than `other`. */
const surplus = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1)
  return one.filter((item) => {
    const count = left.get(item) ?? 0
    left.set(item, count - 1)
    return count <= 0
  })
}
