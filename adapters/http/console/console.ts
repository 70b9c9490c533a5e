import { isLeft } from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import type { Digests, Random } from '../../../application/ports/environment.ts'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import type { Responder } from '../operation/operation.ts'
import type { HttpResponse } from '../operation/response.ts'
import { ignoreBody } from '../request/body.ts'
import { type StartTimer, startNodeTimer } from '../request/deadline.ts'
import { readForm } from '../request/form.ts'
import { pathOf, type Request } from '../request/request.ts'
import { type HttpService, httpService } from '../service.ts'
import { type AccessRefusal, namesThisHost, newAccess } from './access.ts'
import { CHANGE_FIELDS, type Changes, change, confirm } from './actions.ts'
import { applications } from './applications.ts'
import { events } from './events.ts'
import { failurePage, MALFORMED, NOT_FOUND, OPENED, REFUSED, USED } from './failure-pages.ts'
import { CONSOLE_HEADERS, consoleLayout, type Page } from './layout.ts'
import type { ConsoleScreen, ScreenFailure, ScreenParts } from './parts.ts'
import { people } from './people.ts'
import { person } from './person.ts'
import { storeCheck } from './store-check.ts'
import { today } from './today.ts'

/** What the console needs. */
export type ConsoleOptions = Omit<ScreenParts, 'check' | 'isWritable'> &
  Readonly<{
    random: Random
    digests: Digests
    logger: Logger
    /** The store, as messages show it. */
    storeText: string
    /** The checks of `doctor`. It never rejects. */
    check: Parameters<typeof storeCheck>[0]
    /** Undefined if the console changes nothing. */
    changes: Changes | undefined
    /** Names the operator for the log. */
    asOperator: RequestContext
    /** Says why the store takes no change; undefined if it takes one. */
    closedBecause: () => Promise<string | undefined>
    /** The URL was opened, or opened again by another browser. */
    onOpening: (kind: 'opened' | 'used') => void
    onIdle: () => void
    /** Another timer for tests. */
    startTimer?: StartTimer
  }>

/** A console that does not listen yet. */
export type Console = Pick<HttpService, 'listen' | 'stop'> &
  Readonly<{
    /** The path and the query of the URL with the one-time secret. */
    openingTarget: string
  }>

/** The console of operators: the pages of docs/console.md, for one browser. It ends itself after 30 idle minutes. */
export const newConsole = (options: ConsoleOptions): Console => {
  const { changes, asOperator, clock, startTimer = startNodeTimer, logger, random } = options
  const isWritable = changes !== undefined
  const parts: ScreenParts = { ...options, isWritable, check: storeCheck(options.check, clock) }
  const access = newAccess(options)
  const toStranger = consoleLayout(undefined)
  const toResponse = consoleLayout({ store: options.storeText, isWritable, operator: asOperator.operator })
  let stopTimer = (): void => undefined
  const restartTimer = (): void => {
    stopTimer()
    stopTimer = startTimer(options.onIdle, IDLE_MS)
  }
  restartTimer()

  const open = ({ message, query }: Request): HttpResponse => {
    if (!namesThisHost(message)) return refused('other_host')
    if (message.headers['sec-purpose'] !== undefined) return { status: 503, headers: CONSOLE_HEADERS } // a prefetch must not use the secret up
    const opening = access.open(message, new URLSearchParams(query()).get('secret') ?? undefined)
    if (opening.kind === 'opened' || opening.kind === 'used') options.onOpening(opening.kind)
    switch (opening.kind) {
      case 'wrong':
        return refused('no_session')
      case 'used':
        return toStranger(USED)
      case 'again':
        return toScreen(access.path)
      case 'opened': {
        restartTimer()
        const from = message.headers['sec-fetch-site'] ?? 'none'
        // A browser does not send a strict cookie on along a redirect that a page of another site began.
        const answer = from === 'none' || from === 'same-origin' ? toScreen(access.path) : toResponse(OPENED)
        return { ...answer, headers: { ...answer.headers, 'Set-Cookie': opening.setCookie } }
      }
    }
  }

  const refused = (refusal: AccessRefusal): HttpResponse => toStranger(REFUSED[refusal])

  const shown = async (show: ConsoleScreen, { query }: Request): Promise<HttpResponse> => {
    const page = await show(parts, query())
    return toResponse(isLeft(page) ? { ...failurePage(page.left), refresh: refreshOf(query()) } : page.right)
  }

  const posted = async (request: Request, path: string): Promise<HttpResponse> => {
    const read = await request.deadline.whileArriving(
      request.message,
      readForm(CHANGE_FIELDS)(request.message),
    )()
    if (isLeft(read))
      return toResponse({ ...MALFORMED, status: read.left._tag === 'BodyTooLarge' ? 413 : 400 })
    if (path === 'check') {
      parts.check.start()
      return seeOther('today#checks')
    }
    if (changes === undefined) return toResponse(NOT_FOUND)
    const closed = await options.closedBecause()
    if (closed !== undefined) return toResponse(failurePage({ _tag: 'StoreClosed', reason: closed }))
    const changed = await change(changes, { ...request.context, ...asOperator }, read.right)
    if (isLeft(changed)) return toResponse(failurePage(changed.left))
    return 'href' in changed.right ? seeOther(changed.right.href) : toResponse(changed.right.page)
  }

  const respond: Responder['respond'] = (request) => async () => {
    const { message, deadline } = request
    const isWrite = message.method === 'POST'
    const path = subpathOf(request, access.path)
    if (path === 'open' && message.method === 'GET') return open(request)
    const refusal = access.refusalOf(message, isWrite)
    if (refusal !== undefined) return refused(refusal)
    if (!new URLSearchParams(request.query()).has('refreshed')) restartTimer()
    const late = (failure: ScreenFailure): HttpResponse => toResponse(failurePage(failure))
    if (isWrite) {
      return path === 'check' || path === 'change'
        ? deadline.limit(() => posted(request, path), late)()
        : toResponse(NOT_FOUND)
    }
    const body = await ignoreBody(message)()
    if (isLeft(body)) return toResponse(MALFORMED)
    if (path === '') return toScreen(access.path)
    const of = path === 'confirm' && !isWritable ? undefined : SCREENS_BY_PATH.get(path ?? '')
    return of === undefined ? toResponse(NOT_FOUND) : deadline.limit(() => shown(of, request), late)()
  }

  const responder: Responder = { respond }
  const service = httpService({
    // One route, so that neither the log nor an answer of the server names the path of the console.
    routes: () => [
      { path: '/', isPrefix: true, methods: { GET: responder, HEAD: responder, POST: responder } },
    ],
    log: logger,
    makeId: () => random.uuid(),
    trustedProxies: 0,
  })
  return {
    listen: service.listen,
    stop: async () => {
      stopTimer()
      await service.stop()
    },
    openingTarget: `${access.path}/open?secret=${access.secret}`,
  }
}

const IDLE_MS = 30 * 60_000

/** The rest of the path below that of the console; undefined elsewhere. */
const subpathOf = ({ message }: Request, path: string): string | undefined => {
  const target = pathOf(message.url ?? '/')
  return target.startsWith(`${path}/`) ? target.slice(path.length + 1) : undefined
}

const SCREENS_BY_PATH: ReadonlyMap<string, ConsoleScreen> = new Map(
  Object.entries({ today, people, person, events, applications, confirm }),
)

const seeOther = (location: string): HttpResponse => ({
  status: 303,
  headers: { ...CONSOLE_HEADERS, Location: location },
})

const toScreen = (path: string): HttpResponse => seeOther(`${path}/today`)

/** A list that is followed goes on after a failure, and does not keep the console from its end. */
const refreshOf = (query: string): Page['refresh'] => {
  const parameters = new URLSearchParams(query)
  if (parameters.get('follow') !== 'on') return undefined
  parameters.set('refreshed', '1')
  return { seconds: 15, href: `events?${parameters}` }
}
