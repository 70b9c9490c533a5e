import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { OpenIdUseCases } from '../../../application/use-cases/openid.ts'
import { html } from '../operation/html.ts'
import type { Responder } from '../operation/operation.ts'
import type { HttpResponse } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { UNEXPECTED } from '../operation/server-errors.ts'
import { AUTHORIZE } from '../pages/continue-path.ts'
import { hasCookie, readCookie } from '../pages/cookies.ts'
import type { FormFailure } from '../pages/failures.ts'
import { alertHtml } from '../pages/fields.ts'
import { SIGN_IN } from '../pages/sign-in.ts'
import type { Site } from '../pages/visit.ts'
import { readBytes, validateMediaType } from '../request/body.ts'
import { FORM } from '../request/form.ts'
import type { Request } from '../request/request.ts'
import { failedPage, languageOf } from './failed-page.ts'
import type { OpenIdLibrary, Outcome } from './library.ts'

/** The parameter that our pages add to a request. */
export const CONTINUED = '&continued='

type Needed = Readonly<{ site: Site; library: OpenIdLibrary; useCases: Pick<OpenIdUseCases, 'continued'> }>

/**
 * The authorization endpoint (OpenID Connect Core §3.1.2). A browser comes from a client and goes back to it, at once or after a page. It is no
 * operation of the API: programs do not call it.
 */
export const authorizeRoute = (needed: Needed): Route<Responder> => {
  const responder: Responder = {
    respond: (request) =>
      request.deadline.limit(answering(needed, request), (failure) =>
        failedPage(needed.site, request, failure),
      ),
  }
  return { path: AUTHORIZE, methods: { GET: responder, POST: responder } }
}

const answering =
  (needed: Needed, request: Request): Task<HttpResponse> =>
  async () => {
    const { site, library, useCases } = needed
    const sent = await parametersOf(request)
    if (isLeft(sent)) return failedPage(needed.site, request, sent.left)
    const { query, continued } = sent.right
    if (lacksCookie(request, query)) return seeOther(`${site.prefix}${AUTHORIZE}?${query}`)
    const visitor = await site.browsers.session(readCookie(request.message, 'session'))()
    if (isLeft(visitor)) return failedPage(needed.site, request, visitor.left)
    const continuedSince = toUndefined(useCases.continued.open(continued, query))
    const context = { ...request.context, endUserAddress: request.context.address?.() }
    const outcome = await library.authorize(context, { visitor: visitor.right, query, continuedSince })()
    if (isLeft(outcome)) return failedPage(needed.site, request, outcome.left)
    const response = responseTo(needed, request, outcome.right)
    const lostCookie = continuedSince !== undefined && !hasCookie(request.message, 'session')
    return lostCookie ? withCookieNotice(site, response) : response
  }

/** A person comes back from the sign-in without its cookie, and is led there again: the page says why. */
const withCookieNotice = ({ prefix }: Site, response: HttpResponse): HttpResponse => {
  const { Location: to = '' } = response.headers ?? {}
  const hasNoNotice = to.startsWith(`${prefix}${SIGN_IN}?`) && !to.includes('&notice=')
  return hasNoNotice ? seeOther(`${to}&notice=no_cookie`) : response
}

/** The parameters as sent, in the form of a query. A POST has them in its form (§3.1.2.1). */
const parametersOf = async ({
  message,
  query,
  deadline,
}: Request): Promise<Either<FormFailure, Readonly<{ query: string; continued: string | undefined }>>> => {
  if (message.method !== 'POST') {
    const all = query()
    const at = all.lastIndexOf(CONTINUED)
    return right(
      at === -1
        ? { query: all, continued: undefined }
        : { query: all.slice(0, at), continued: all.slice(at + CONTINUED.length) },
    )
  }
  const bytes = await deadline.whileArriving(message, () => readBytes(message))()
  if (isLeft(bytes)) return bytes
  const unsupported = validateMediaType(message, FORM)
  return unsupported === undefined
    ? right({ query: new URLSearchParams(bytes.right.toString('latin1')).toString(), continued: undefined })
    : left(unsupported)
}

/** Browsers send no `SameSite=Lax` cookie with a form of another site, but with a redirect after it. A query that is longer may not arrive. */
const lacksCookie = ({ message }: Request, query: string): boolean =>
  message.method === 'POST' && !hasCookie(message, 'session') && query.length <= MOST_REDIRECTED

const MOST_REDIRECTED = 4_096

const seeOther = (location: string): HttpResponse => ({
  status: 303,
  headers: { Location: location, 'Referrer-Policy': 'no-referrer' },
})

const responseTo = (
  needed: Needed,
  request: Request,
  { status, headers, posted, shown }: Outcome,
): HttpResponse => {
  if (shown !== undefined) return errorPage(needed, request, shown)
  if (posted !== undefined) return postPage(needed, request, posted)
  const location = headers.get('location')
  if (status === 303 && location !== undefined) return seeOther(location)
  return UNEXPECTED
}

/** Posts the answer to the client (OAuth 2.0 Form Post Response Mode §2): at once, or by its button without a script. */
const postPage = (
  needed: Needed,
  request: Request,
  { action, fields }: NonNullable<Outcome['posted']>,
): HttpResponse => {
  const language = languageOf(needed.site, request)
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const content = html`<form method="post" action="${action}">${inputs}<button>${language.say('go.link')}</button></form>`
  return needed.site.layout(language)({ heading: language.say('go.heading'), content, postsElsewhere: true })
}

/** The client cannot be told: its address is not known to be right (RFC 6749 §4.1.2.1). So a person reads it, and tells who runs the client. */
const errorPage = (
  needed: Needed,
  request: Request,
  { error, description }: NonNullable<Outcome['shown']>,
): HttpResponse => {
  const language = languageOf(needed.site, request)
  const { say } = language
  const content = html`${alertHtml(say('authorize.wrong.title'), html`<p>${say('authorize.wrong.text')}</p>`)}<p><code>${error}</code> ${description}</p>`
  const page = { heading: say('page.problem'), isError: true, content }
  return { ...needed.site.layout(language)(page), status: 400, cause: error }
}
