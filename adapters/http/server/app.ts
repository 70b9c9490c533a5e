import type { IncomingMessage } from 'node:http'
import Router from '@koa/router'
import Koa, { type Context } from 'koa'
import type { Logger } from 'pino'
import type { Responder } from '../operation/operation.ts'
import { errorResponse, HEADERS_EVERYWHERE, type HttpResponse } from '../operation/response.ts'
import { fullPath, fullPathPattern, methodsOf, type Route } from '../operation/route.ts'
import { ALL_METHODS, UNEXPECTED, UNKNOWN_PATH } from '../operation/server-errors.ts'
import { abortSignalOf } from '../request/abort-signal.ts'
import { addressOf } from '../request/address.ts'
import { hasLargeUnreadBody } from '../request/body.ts'
import { deadline, type StartTimer } from '../request/deadline.ts'
import { pathOf, queryOf, requestIdOf } from '../request/request.ts'
import { validateHeaders } from './headers.ts'
import { loggableError } from './loggable-error.ts'
import { type Answered, NO_OBSERVER, type Observer } from './observer.ts'

/**
 * The Koa application of the routes. It sends one response and writes one log line for every request.
 *
 * @param makeId makes the id of a request without `X-Request-Id`
 * @param trustedProxies how many proxies are in front of the server
 * @param isLast whether the connection should close after the response to this request
 * @param startTimer another timer of deadlines for tests
 * @param settingsFor returns which settings a path without a route needs
 */
export const koaApp = ({
  routes,
  log,
  makeId,
  trustedProxies,
  isLast,
  startTimer,
  observer = NO_OBSERVER,
  settingsFor,
}: Readonly<{
  routes: ReadonlyArray<Route<Responder>>
  log: Logger
  makeId: () => string
  trustedProxies: number
  isLast: (request: IncomingMessage) => boolean
  startTimer?: StartTimer | undefined
  observer?: Observer | undefined
  settingsFor?: SettingsFor | undefined
}>): Koa => {
  let hasWarned = false
  /** Once: every request of a misconfigured proxy has such an entry. The entry itself may be an address, which is not logged. */
  const onUnreadable = (): void => {
    if (!hasWarned) log.warn(UNREADABLE_ENTRY)
    hasWarned = true
  }
  const addressOfCaller = (message: IncomingMessage) => addressOf(message, trustedProxies, onUnreadable)
  const routerFor = routersOf(routes, { addressOfCaller, startTimer })
  const preflights = new Map(routes.map((route) => [fullPathPattern(route), route.preflight]))
  const polledPaths: ReadonlySet<string | undefined> = new Set(
    routes.filter(({ isPolled }) => isPolled).map(fullPathPattern),
  )

  const logOf = logPerOutcome(log)

  const app = new Koa()
  app.on('error', (error, context?: Context) => {
    const requestId = context?.state.requestId
    if (CLIENT_GONE.has(error.code)) log.info({ request_id: requestId, cause: error.code }, NOT_SENT)
    else log.error({ request_id: requestId, error: loggableError(error) }, NOT_SENT)
  })

  const handle = async (context: Context): Promise<Answered> => {
    const startedAt = performance.now()
    const { requestId } = context.state
    context.state.startedAt = startedAt
    const { req } = context
    req.url = pathOf(req.url ?? '/')
    const response =
      validateHeaders(req) ??
      (await responseOf(context, { router: routerFor(req.url), preflights, log, settingsFor }))
    const isReusable = req.complete || !(await hasLargeUnreadBody(req))
    const outcome = { method: req.method ?? '', route: patternOf(context), status: response.status }
    const took = performance.now() - startedAt
    send(context, isReusable && !isLast(req) ? response : closing(response))
    logOf(outcome)[levelOf(response, polledPaths.has(outcome.route))](
      { request_id: requestId, duration_ms: Math.round(took * 10) / 10, cause: response.cause },
      'answered',
    )
    observer.answered(response.isAbandoned ? { ...outcome, status: 'abandoned' } : outcome, took / 1000)
    return outcome
  }

  app.use((context) => {
    const requestId = requestIdOf(context.req, makeId)
    context.state.requestId = requestId
    return observer.within(context.req, requestId, () => handle(context))
  })
  return app
}

/** Returns a log whose lines have the fields of an outcome. They are the same for many requests, so they are serialized once. */
const logPerOutcome = (log: Logger) => {
  const logs = new Map<string, Logger>()
  return (outcome: Answered): Logger => {
    const name = `${outcome.method} ${outcome.route} ${outcome.status}`
    const known = logs.get(name)
    if (known !== undefined) return known
    const made = log.child(outcome)
    logs.set(name, made) // bounded: Node's parser knows few methods
    return made
  }
}

/** Failures of the server are warnings. Successful polls would fill the log, so they are debug lines. */
const levelOf = ({ status, isAbandoned }: HttpResponse, isPolled: boolean): 'debug' | 'info' | 'warn' => {
  if (status >= 500) return isAbandoned ? 'info' : 'warn'
  return isPolled && status === 200 ? 'debug' : 'info'
}

const NOT_SENT = 'a response could not be sent'

const UNREADABLE_ENTRY =
  'X-Forwarded-For has an entry that is no address: failures of its clients count on the address of the proxy. Check TRUST_PROXY and the proxy.'

/** The errors of a response whose client has disconnected. */
const CLIENT_GONE: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

/** What the routers need for each request; see `koaApp`. */
type PerRequest = Readonly<{
  addressOfCaller: (message: IncomingMessage) => string | undefined
  startTimer: StartTimer | undefined
}>

/** Returns a function that finds the router of a path. Paths are literal, so a look-up replaces the match of each expression. */
const routersOf = (
  routes: ReadonlyArray<Route<Responder>>,
  perRequest: PerRequest,
): ((path: string) => Koa.Middleware | undefined) => {
  const all = routes.map((route) => ({
    ...route,
    from: fullPath(route),
    to: routerOf(route, perRequest),
  }))
  const literal = new Map(all.filter(({ isPrefix }) => !isPrefix).map(({ from, to }) => [from, to]))
  const prefixes = all.filter(({ isPrefix }) => isPrefix)
  return (path) => literal.get(path) ?? prefixes.find(({ from }) => path.startsWith(from))?.to
}

const routerOf = (route: Route<Responder>, { addressOfCaller, startTimer }: PerRequest): Koa.Middleware => {
  const path = fullPath(route)
  // With `routerPath`, the router of a prefix compares this literal path instead of the path of the client.
  const router = new Router({ sensitive: true, strict: true, ...(route.isPrefix && { routerPath: path }) })
  const methods = methodsOf(route)
  const operations: Readonly<Record<string, Responder | undefined>> = route.methods
  router.register(path, [...methods], async (context: Context) => {
    const message = context.req
    const { startedAt, requestId } = context.state
    let signal: AbortSignal | undefined
    const ofRequest = deadline(startTimer)
    const requestContext = {
      requestId,
      beginCommit: ofRequest.beginCommit,
      /** Only hashing and waiting need it. A getter here would make V8 keep each request until the next full collection. */
      signal: () => {
        signal ??= abortSignalOf(context.res, startedAt, ofRequest)
        return signal
      },
      address: () => addressOfCaller(message),
    }
    context.state.response = await operations[context.method]?.respond({
      message,
      context: requestContext,
      deadline: ofRequest,
      query: () => queryOf(context.originalUrl),
      subpath: () => (message.url ?? '').slice(path.length),
    })()
  })
  const layer = router.stack.at(-1)
  if (layer !== undefined) {
    layer.methods = [...methods] // the router adds HEAD to every GET
    layer.path = fullPathPattern(route) // only for `patternOf`: the router has compiled its expression
  }
  return router.routes() as Koa.Middleware
}

/** The response of the route, or an error response. */
const responseOf = async (
  context: Context,
  {
    router,
    preflights,
    log,
    settingsFor,
  }: Readonly<{
    router: Koa.Middleware | undefined
    preflights: Preflights
    log: Logger
    settingsFor: SettingsFor | undefined
  }>,
): Promise<HttpResponse> => {
  try {
    await router?.(context, NOTHING_MORE)
    return context.state.response ?? responseWithoutRoute(context, preflights, settingsFor)
  } catch (error) {
    log.error(
      { request_id: context.state.requestId, error: loggableError(error) },
      'a request failed unexpectedly',
    )
    return UNEXPECTED
  }
}

/** What the responses to OPTIONS have beside `Allow`, by the pattern of the path. */
type Preflights = ReadonlyMap<string | undefined, Route['preflight']>

const NOTHING_MORE = async (): Promise<void> => {}

/** The response to OPTIONS, to an unknown path and to a method that the path does not take. */
const responseWithoutRoute = (
  context: Context,
  preflights: Preflights,
  settingsFor: SettingsFor | undefined,
): HttpResponse => {
  const methods = layersOf(context).flatMap((layer) => layer.methods)
  if (context.method === 'OPTIONS' && context.req.url === '*') return { status: 204, headers: ALL_METHODS } // RFC 9110 §9.3.7
  if (methods.length === 0) return withoutMethods(settingsFor?.(context.req.url ?? ''))
  const allow = { Allow: [...methods, 'OPTIONS'].join(', ') }
  return context.method === 'OPTIONS'
    ? { status: 204, headers: { ...allow, ...preflights.get(patternOf(context))?.(context.req) } }
    : errorResponse(405, `This path does not take ${context.method}.`, allow)
}

type SettingsFor = (path: string) => string | undefined

const withoutMethods = (settings: string | undefined): HttpResponse =>
  settings === undefined
    ? UNKNOWN_PATH
    : errorResponse(404, `This service lacks the route: it needs ${settings} (docs/settings.md).`)

const closing = (response: HttpResponse): HttpResponse => ({
  ...response,
  headers: { ...response.headers, Connection: 'close' },
})

/** Writes the response without Koa, which would look up and replace each header several times. */
const send = (context: Context, response: HttpResponse): void => {
  context.respond = false
  const { res } = context
  if (!context.writable) {
    res.end() // the client has disconnected
    return
  }
  const { status, headers, cookies = [], body, content } = response
  const lines = [
    ...(headers === undefined ? LINES_EVERYWHERE : linesOf({ ...HEADERS_EVERYWHERE, ...headers })),
    'X-Request-Id',
    context.state.requestId,
  ]
  const data = content?.data ?? (body === undefined ? '' : JSON.stringify(body))
  const type = content?.type ?? (body === undefined ? undefined : JSON_TYPE)
  if (type !== undefined) lines.push('Content-Type', type)
  if (!WITHOUT_LENGTH.has(status)) lines.push('Content-Length', String(Buffer.byteLength(data)))
  for (const cookie of cookies) lines.push('Set-Cookie', cookie)
  res.writeHead(status, lines).end(context.req.method === 'HEAD' ? undefined : data)
}

/** RFC 9110 §8.6: 204 must not have a Content-Length. In 304 it would be the length of another response. */
const WITHOUT_LENGTH: ReadonlySet<number> = new Set([204, 304])

/** Names and values in turn, as Node takes them. */
const linesOf = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(headers).flat()

const LINES_EVERYWHERE = linesOf(HEADERS_EVERYWHERE)

const JSON_TYPE = 'application/json; charset=utf-8'

/** The pattern of the route. The path of the client must not reach the log. */
const patternOf = (context: Context): string | undefined => layersOf(context)[0]?.path

/** The routes that match the path, with any method. The router stores them here. */
const layersOf = (context: Context): ReadonlyArray<{ path: string; methods: ReadonlyArray<string> }> =>
  context.matched ?? []
