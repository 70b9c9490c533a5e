import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import { newConsole } from '../../adapters/http/console/console.ts'
import { composeOperations, Dependency, type Operations, provide } from '../../adapters/index.ts'
import { nodeDigests, systemRandom } from '../../adapters/node/environment.ts'
import { sqliteReadModel } from '../../adapters/stores/sqlite/read-model.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import { capturedLog } from '../support/captured-log.ts'
import { type Answer, httpClient, type TestRequest } from '../support/http-client.ts'
import { manualTimers } from '../support/manual-timers.ts'
import type { StoreSettings } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { enrolUser, userOf } from '../support/second-factors.ts'
import { settings } from '../support/settings.ts'
import { aSession, change, signedIn } from '../testkit/builders.ts'

/** What a test replaces. */
export type ConsoleGiven = Readonly<{
  /** Whether it changes things, as with `--write`. */
  write?: boolean
  storeText?: string
  operator?: string
  findings?: ReadonlyArray<Finding>
}>

export type Headers = Readonly<Record<string, string>>

export type ConsoleHere = Awaited<ReturnType<typeof startConsole>>

const NOW = Date.parse('2026-03-04T05:06:07.890Z')

export const OPERATOR_NAME = 'carol'
export const STORE_TEXT = 'sqlite:/srv/hidden/place.db'

/** Starts a console on a real socket, with a SQLite store. */
export const startConsole = async (
  environment: StoreSettings,
  { write = false, storeText = STORE_TEXT, operator = OPERATOR_NAME, findings = [] }: ConsoleGiven = {},
) => {
  const clock = () => NOW
  const operations = await composeOperations(
    settings({ ...environment }),
    provide(Dependency.clock, () => clock),
  )
  const model = sqliteReadModel(`${environment.DATABASE_URL.slice('sqlite:'.length)}.model`)
  const { log, lines } = capturedLog()
  const timers = manualTimers()
  const openings: Array<string> = []
  let [starts, ends] = [0, 0]
  const running = newConsole({
    store: operations.store,
    log: { store: operations.store, model },
    clock,
    passwordHasher: operations.passwordHasher,
    mails: undefined,
    random: systemRandom,
    digests: nodeDigests,
    logger: log,
    storeText,
    check: async () => findings,
    changes: write ? operations : undefined,
    asOperator: { operator },
    closedBecause: async () => undefined,
    onOpening: (kind) => openings.push(kind),
    onIdle: () => {
      ends += 1
    },
    startTimer: (...timer) => {
      starts += 1
      return timers.startTimer(...timer)
    },
  })
  const port = await running.listen('127.0.0.1', 0)
  const origin = `http://127.0.0.1:${port}`
  const target = running.openingTarget
  const [path = '', secret = ''] = target.split('/open?secret=')
  const client = httpClient(origin)
  const send = async (request: TestRequest): Promise<Answer> => {
    const answer = await client.send(request)
    expectStrict(answer)
    return answer
  }

  /** Opens it in a browser, which gets pages below the path of the console, and sends its forms there. */
  const open = async () => {
    const { headers } = await send({ method: 'GET', path: target })
    const [cookie = ''] = String(headers['set-cookie']).split(';')
    return {
      cookie,
      get: (below: string, more: Headers = {}) =>
        send({ method: 'GET', path: `${path}/${below}`, headers: { cookie, ...more } }),
      post: (below: string, form: Headers, more: Headers = {}) =>
        send({
          method: 'POST',
          path: `${path}/${below}`,
          body: new URLSearchParams(form).toString(),
          headers: { cookie, ...FORM, ...fromConsole(origin), ...more },
        }),
    }
  }

  return {
    port,
    origin,
    /** The random path, `/…`. */
    path,
    /** The path and the query of the URL with the one-time secret. */
    target,
    secret,
    operations,
    ...(await seed(operations)),
    /** Every line that it has logged, of every level. */
    lines,
    /** What it has said about its URL. */
    openings,
    /** How often the idle timer was started, and how long the running ones are set to, in milliseconds. */
    idle: () => ({ starts, running: timers.running() }),
    /** Lets the idle time pass, and returns how often the console has ended itself. */
    pass: () => {
      timers.pass()
      return ends
    },
    /** Each answer must have the headers of `expectStrict`. */
    send,
    open,
    stop: async () => {
      await client.close()
      await running.stop()
      await model.close()
      await operations.close()
    },
  }
}

export const ADA = { email: 'ada@example.com', password: 'correct horse' }
export const SHOP = { name: 'the shop', scope: 'users:sign_in' }

/** Ada, who has a session and second factors, and an application. */
const seed = async ({ store, registerUser, registerApplication }: Operations) => {
  const { id } = await succeed(registerUser(CONTEXT, ADA, { kind: 'operator' }))
  await enrolUser(store, id)
  const { passwordVersion, sessionsVersion } = await userOf(store, id)
  const session = aSession({ userId: id, passwordVersion, sessionsVersion, label: some('a phone') })
  await succeed(store.commit(change(signedIn(session))))
  return { user: id, application: (await succeed(registerApplication(CONTEXT, SHOP))).application.id }
}

/** No other origin may read, frame or open a response, and no cache keeps it. Those without a page have no policy for one. */
const expectStrict = ({ status, headers }: Answer): void => {
  expect(headers).to.include({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  expect(headers).not.to.have.any.keys('access-control-allow-origin', 'etag')
  if (status === 405 || status === 204) return // the server answers other methods, without the console
  expect(headers).to.include({
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
  if (status !== 303 && status !== 503)
    expect(headers['content-security-policy']).to.match(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    )
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The headers that a browser adds to a form of the console. */
export const fromConsole = (origin: string) => ({ 'sec-fetch-site': 'same-origin', origin })

/** The hidden fields of the form on a page. */
export const hiddenIn = (html: string): Headers =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )
