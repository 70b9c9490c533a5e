import type { IncomingMessage } from 'node:http'
import Router from '@koa/router'
import Koa, { type Context } from 'koa'
import type { Logger } from 'pino'
import { type Answer, type Content, failed, HEADERS_EVERYWHERE } from '../operation/answer.ts'
import type { HttpOperation } from '../operation/operation.ts'
import { fullPath, methodsOf, type Route } from '../operation/route.ts'
import { addressOf } from '../request/address.ts'
import { isMuchToCome } from '../request/body.ts'
import { requestIdOf } from '../request/request-id.ts'
import { pathOf } from '../request/target.ts'
import { validateHeaders } from './headers.ts'
import { type Answered, NOBODY, type Observer } from './observer.ts'
import { stackOf } from './stack.ts'

/**
 * The Koa application: routes in, and for every request one answer in the one envelope and one log line.
 *
 * @param makeId makes the id of a request that brought none
 * @param trustedProxies how many proxies stand in front
 * @param isLast whether the connection should end with the answer to this request
 */
export const koaApp = ({
  routes,
  log,
  makeId,
  trustedProxies,
  isLast,
  observer = NOBODY,
}: Readonly<{
  routes: ReadonlyArray<Route>
  log: Logger
  makeId: () => string
  trustedProxies: number
  isLast: (request: IncomingMessage) => boolean
  observer?: Observer | undefined
}>): Koa => {
  const router = new Router({ sensitive: true, strict: true })
  for (const route of routes) addTo(router, route, trustedProxies)
  const polled: ReadonlySet<string | undefined> = new Set(
    routes.filter(({ isPolled }) => isPolled).map(fullPath),
  )

  const app = new Koa()
  app.on('error', (error, context?: Context) => {
    const requestId = context?.state.requestId
    if (GONE.has(error.code)) log.info({ request_id: requestId, cause: error.code }, NOT_SENT)
    else log.error({ request_id: requestId, error: stackOf(error) }, NOT_SENT)
  })

  const answered = async (context: Context, next: () => Promise<unknown>): Promise<Answered> => {
    const startedAt = performance.now()
    const { requestId } = context.state
    context.req.url = pathOf(context.req.url ?? '/')
    const answer = validateHeaders(context.req) ?? (await answerOf(context, next, log))
    const isRestDropped = context.req.complete || !(await isMuchToCome(context.req))
    send(context, answer)
    context.set('X-Request-Id', requestId)
    if (!isRestDropped || isLast(context.req)) context.set('Connection', 'close')
    const how = { method: context.method, route: patternOf(context), status: answer.status }
    const took = performance.now() - startedAt
    log[levelOf(answer, polled.has(how.route))](
      { request_id: requestId, ...how, duration_ms: Math.round(took * 10) / 10, cause: answer.cause },
      'answered',
    )
    observer.answered(answer.isAbandoned ? { ...how, status: 'abandoned' } : how, took / 1000)
    return how
  }

  app.use((context, next) => {
    const requestId = requestIdOf(context.req, makeId)
    context.state.requestId = requestId
    return observer.within(context.req, requestId, () => answered(context, next))
  })
  app.use(router.routes())
  return app
}

/** What the service itself could not do is worth a look, and that somebody who asks every few seconds was answered is no news. */
const levelOf = ({ status, isAbandoned }: Answer, isPolled: boolean): 'debug' | 'info' | 'warn' => {
  if (status >= 500) return isAbandoned ? 'info' : 'warn'
  return isPolled && status === 200 ? 'debug' : 'info'
}

const NOT_SENT = 'an answer could not be sent'

/** What becomes of an answer when its client has gone, which clients may do. */
const GONE: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

const addTo = (router: Router, route: Route, trustedProxies: number): void => {
  const methods = methodsOf(route)
  const operations: Readonly<Record<string, HttpOperation | undefined>> = route.methods
  router.register(fullPath(route), [...methods], async (context: Context) => {
    const message = context.req
    const call = {
      requestId: context.state.requestId,
      wanted: isWaitedFor(message),
      address: () => addressOf(message, trustedProxies),
    }
    context.state.answer = await operations[context.method]?.answer({ message, call })()
  })
  const layer = router.stack.at(-1)
  if (layer !== undefined) layer.methods = [...methods] // it has added HEAD to every GET by itself
}

/**
 * Whether a client still waits. One that has ended its side may have done so because it has said all, and is believed to wait
 * for a moment; when it takes longer than that to come to its request, it has most likely gone, and is told if it has not.
 */
const isWaitedFor = ({ socket }: IncomingMessage): (() => boolean) => {
  const begunAt = performance.now()
  return () => !socket.destroyed && (!socket.readableEnded || performance.now() < begunAt + MOMENT_MS)
}

const MOMENT_MS = 500

/** The answer of the route, or of what stands in its way. */
const answerOf = async (context: Context, next: () => Promise<unknown>, log: Logger): Promise<Answer> => {
  try {
    await next()
    return context.state.answer ?? withoutRoute(context)
  } catch (error) {
    log.error({ request_id: context.state.requestId, error: stackOf(error) }, 'a request failed unexpectedly')
    return UNEXPECTED
  }
}

export const UNEXPECTED = failed(500, 'Something went wrong here. It was logged under the request id.')

/** All methods that some route takes. */
const OF_ALL = { Allow: 'GET, HEAD, POST, DELETE, OPTIONS' }

/** What is said of a path that does not exist, and of a method that does not exist on one that does. */
const withoutRoute = (context: Context): Answer => {
  const methods = layersOf(context).flatMap((layer) => layer.methods)
  if (context.method === 'OPTIONS' && context.req.url === '*') return { status: 204, headers: OF_ALL } // RFC 9110 §9.3.7
  if (methods.length === 0) return failed(404, 'There is nothing under this path.')
  const allow = { Allow: [...methods, 'OPTIONS'].join(', ') }
  return context.method === 'OPTIONS'
    ? { status: 204, headers: allow }
    : failed(405, `This path does not take ${context.method}.`, allow)
}

const send = (context: Context, { status, headers, body, content }: Answer): void => {
  context.set({ ...HEADERS_EVERYWHERE, ...headers })
  if (content === undefined) context.body = body ?? null
  else sendContent(context, content)
  context.status = status // behind the body: where there is none, Koa would take it for a 204
}

/** Koa takes a Buffer as it is, and any other array of bytes for an object. */
const sendContent = (context: Context, { type, data }: Content): void => {
  context.set('Content-Type', type)
  context.body = typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

/** The path as the route has it: what a client wrote is not for the log. */
const patternOf = (context: Context): string | undefined => layersOf(context)[0]?.path

/** The router leaves here what matched the path, whatever the method. */
const layersOf = (context: Context): ReadonlyArray<{ path: string; methods: ReadonlyArray<string> }> =>
  context.matched ?? []
